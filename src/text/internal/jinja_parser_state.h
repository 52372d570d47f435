// Parser: what the two halves of the parser share, expressions and statements.
//
// Each parse function leaves the position behind what it took. A function that may recurse holds a
// Level, which fails the parse when the source is nested too deep.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/internal/jinja_ast.h"
#include "text/internal/jinja_fault.h"
#include "text/internal/jinja_lexer.h"

namespace zhuzi::jinja {

using ParsedExpression = Outcome<const Expression*>;
using Words = std::initializer_list<std::string_view>;

class Parser {
 public:
  /// Nested parentheses, blocks and the like; each is a few calls of the parser.
  static constexpr std::size_t depth_max = 120;

  explicit Parser(TokenList tokens)
      : tokens_(std::move(tokens.tokens)),
        error_(std::move(tokens.error)),
        program_(std::make_unique<Program>()) {}

  [[nodiscard]] Outcome<std::unique_ptr<Program>> run();

 private:
  /// One level of nesting, for as long as it lives.
  class Level {
   public:
    explicit Level(std::size_t& depth) : depth_(depth) { ++depth_; }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    std::size_t& depth_;
  };
  struct Operator {
    TokenKind token;
    Operation operation;
  };
  /// What the bodies of macros around the position mention.
  struct MacroUse {
    bool caller = false;
    bool varargs = false;
    bool kwargs = false;
  };

  // Tokens (jinja_parser.cpp).
  [[nodiscard]] const Token& current() const { return tokens_[position_]; }
  [[nodiscard]] const Token& next() const;
  Token take();
  [[nodiscard]] bool is(TokenKind kind) const { return current().kind == kind; }
  [[nodiscard]] bool is_word(std::string_view word) const;
  [[nodiscard]] bool is_word_of(Words words) const;
  [[nodiscard]] static bool is_word(const Token& token, std::string_view word);
  bool skip(TokenKind kind);
  bool skip_word(std::string_view word);
  [[nodiscard]] Outcome<Token> expect(TokenKind kind);
  [[nodiscard]] Done expect_word(std::string_view word);
  [[nodiscard]] std::unexpected<Fault> fail(std::string message, std::uint32_t line = 0);
  [[nodiscard]] Done check_depth();

  // Expressions (jinja_parser_expression.cpp, jinja_parser_primary.cpp).
  [[nodiscard]] ParsedExpression add(Expression::Data data, std::uint32_t line);
  [[nodiscard]] ParsedExpression parse_expression(bool takes_condition = true);
  [[nodiscard]] ParsedExpression parse_logic(std::string_view word);
  [[nodiscard]] ParsedExpression parse_not();
  [[nodiscard]] ParsedExpression parse_compare();
  [[nodiscard]] ParsedExpression parse_concat();
  [[nodiscard]] ParsedExpression parse_chain(std::size_t rank);
  [[nodiscard]] ParsedExpression parse_rank(std::size_t rank);
  [[nodiscard]] ParsedExpression parse_unary(bool takes_filters = true);
  [[nodiscard]] ParsedExpression parse_postfix(const Expression* expression);
  [[nodiscard]] ParsedExpression parse_filters_and_tests(const Expression* expression);
  [[nodiscard]] ParsedExpression parse_filter_chain(const Expression* subject);
  [[nodiscard]] ParsedExpression parse_one_filter(const Expression* subject);
  [[nodiscard]] ParsedExpression parse_test(const Expression* subject);
  [[nodiscard]] ParsedExpression parse_attribute(const Expression* object);
  [[nodiscard]] ParsedExpression parse_subscript(const Expression* object);
  [[nodiscard]] ParsedExpression parse_index();
  [[nodiscard]] Outcome<ArgumentNodes> parse_arguments();
  [[nodiscard]] Done parse_argument(ArgumentNodes& arguments, std::uint32_t line);
  [[nodiscard]] ParsedExpression parse_call(const Expression* callee);
  [[nodiscard]] Outcome<std::string> parse_dotted_name();
  [[nodiscard]] ParsedExpression parse_primary();
  [[nodiscard]] ParsedExpression parse_name();
  [[nodiscard]] ParsedExpression parse_string();
  [[nodiscard]] ParsedExpression parse_number();
  [[nodiscard]] ParsedExpression parse_list();
  [[nodiscard]] ParsedExpression parse_dict();
  /// One expression, or a tuple where commas follow. `end_word` ends a tuple too.
  struct TupleRules {
    bool takes_condition = true;
    bool may_be_empty = false;
    std::string_view end_word = {};
  };
  [[nodiscard]] ParsedExpression parse_tuple(const TupleRules& rules);
  [[nodiscard]] bool is_tuple_end(std::string_view end_word) const;

  // Statements (jinja_parser_statement.cpp).
  [[nodiscard]] Outcome<Body> parse_body(Words end_words);
  [[nodiscard]] Outcome<Body> parse_block_body(Words end_words);
  [[nodiscard]] Outcome<Body> parse_whole_body(std::string_view end_word);
  [[nodiscard]] Outcome<const Statement*> parse_statement();
  [[nodiscard]] Outcome<Statement::Data> parse_tag(std::string_view tag);
  [[nodiscard]] const Statement* add_statement(Statement::Data data, std::uint32_t line);
  [[nodiscard]] Outcome<Statement::Data> parse_set();
  [[nodiscard]] Outcome<Statement::Data> parse_if();
  [[nodiscard]] Outcome<Statement::Data> parse_for();
  [[nodiscard]] Outcome<Statement::Data> parse_macro();
  [[nodiscard]] Outcome<Statement::Data> parse_call_block();
  [[nodiscard]] Outcome<Statement::Data> parse_filter_block();
  [[nodiscard]] Outcome<Statement::Data> parse_with();
  [[nodiscard]] Outcome<Statement::Data> parse_block();
  [[nodiscard]] Outcome<Statement::Data> parse_autoescape();
  [[nodiscard]] Outcome<Statement::Data> parse_load();
  [[nodiscard]] Done parse_print(Body& body);
  [[nodiscard]] Done parse_parameters(MacroNode& macro);
  [[nodiscard]] Done parse_macro_body(MacroNode& macro, std::string_view end_word);
  struct TargetRules {
    bool takes_fields = false;
    std::string_view end_word = {};
  };
  [[nodiscard]] Outcome<Target> parse_target(const TargetRules& rules);
  [[nodiscard]] Outcome<Target> parse_one_target(const TargetRules& rules);
  [[nodiscard]] Outcome<Target> target_from(const Expression& expression);
  [[nodiscard]] Outcome<NameId> parse_name_target();
  [[nodiscard]] std::unexpected<Fault> fail_at_tag(std::optional<std::string_view> tag,
                                                   std::uint32_t line);

  std::vector<Token> tokens_;
  std::size_t position_ = 0;
  Fault error_;  ///< The lexer's, for the last token.
  std::size_t depth_ = 0;
  std::vector<std::string_view> open_tags_;
  std::vector<std::vector<std::string_view>> awaited_;  ///< The words that end each open body.
  std::vector<MacroUse> macros_;
  std::unique_ptr<Program> program_;
};

}  // namespace zhuzi::jinja
