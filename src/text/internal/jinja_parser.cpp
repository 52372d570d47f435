// The parser's ground: tokens, messages, nodes, and the way in.
#include "text/internal/jinja_parser.h"

#include <algorithm>

#include "base/utf8.h"
#include "text/internal/jinja_check.h"
#include "text/internal/jinja_parser_state.h"

namespace zhuzi::jinja {

NameId Program::intern(std::string_view name) {
  const auto [place, is_new] =
      ids.try_emplace(std::string(name), static_cast<NameId>(names.size()));
  if (is_new) names.emplace_back(name);
  return place->second;
}

Outcome<std::unique_ptr<Program>> parse_template(std::string_view source) {
  if (source.size() > template_bytes_max) {
    return raise(python::memory_error, "the template has more than {} bytes", template_bytes_max);
  }
  if (!utf8::is_valid(source)) {
    return raise("UnicodeDecodeError", "the template is not valid UTF-8");
  }
  const std::string text = normalized_source(source);
  auto program = TRY(Parser(tokenize(text)).run());
  TRY(check_program(*program));
  return program;
}

Outcome<std::unique_ptr<Program>> Parser::run() {
  program_->body = TRY(parse_body({}));
  if (is(TokenKind::error)) return fail({});
  return std::move(program_);
}

const Token& Parser::next() const { return tokens_[std::min(position_ + 1, tokens_.size() - 1)]; }

Token Parser::take() {
  const Token token = current();
  if (position_ + 1 < tokens_.size()) ++position_;
  return token;
}

bool Parser::is_word(const Token& token, std::string_view word) {
  return token.kind == TokenKind::name && token.text == word;
}

bool Parser::is_word(std::string_view word) const { return is_word(current(), word); }

bool Parser::is_word_of(Words words) const {
  return std::ranges::any_of(words, [&](std::string_view word) { return is_word(word); });
}

bool Parser::skip(TokenKind kind) {
  if (!is(kind)) return false;
  take();
  return true;
}

bool Parser::skip_word(std::string_view word) {
  if (!is_word(word)) return false;
  take();
  return true;
}

Outcome<Token> Parser::expect(TokenKind kind) {
  if (is(kind)) return take();
  if (is(TokenKind::end)) {
    return fail(fmt::format("unexpected end of template, expected '{}'.", describe(kind)));
  }
  return fail(fmt::format("expected token '{}', got '{}'", describe(kind), describe(current())));
}

Done Parser::expect_word(std::string_view word) {
  if (skip_word(word)) return {};
  if (is(TokenKind::end)) {
    return fail(fmt::format("unexpected end of template, expected '{}'.", word));
  }
  return fail(fmt::format("expected token '{}', got '{}'", word, describe(current())));
}

std::unexpected<Fault> Parser::fail(std::string message, std::uint32_t line) {
  if (is(TokenKind::error)) return std::unexpected(std::move(error_));
  auto fault = raise(python::syntax_error, "{}", message);
  fault.error()->line = line != 0 ? line : current().line;
  return fault;
}

Done Parser::check_depth() {
  if (depth_ <= depth_max) return {};
  return fail(fmt::format("the template is nested deeper than {} levels", depth_max));
}

namespace {

std::uint32_t height_of(const Expression* expression) {
  return expression == nullptr ? 0 : expression->height;
}

/// The tallest of the expressions that a node points to.
struct TallestChild {
  std::uint32_t tallest = 0;
  void see(const Expression* child) { tallest = std::max(tallest, height_of(child)); }
  void see(const std::vector<const Expression*>& children) {
    for (const Expression* child : children) see(child);
  }
  template <typename Key>
  void see(const std::vector<std::pair<Key, const Expression*>>& children) {
    for (const auto& [key, child] : children) see(child);
  }
  void see(const ArgumentNodes& arguments) {
    see(arguments.positional);
    see(arguments.named);
    see(arguments.more_positional);
    see(arguments.more_named);
  }

  void operator()(const Literal&) {}
  void operator()(const Variable&) {}
  void operator()(const ListNode& node) { see(node.items); }
  void operator()(const TupleNode& node) { see(node.items); }
  void operator()(const DictNode& node) {
    for (const auto& [key, value] : node.entries) {
      see(key);
      see(value);
    }
  }
  void operator()(const AttributeNode& node) { see(node.object); }
  void operator()(const SubscriptNode& node) {
    see(node.object);
    see(node.index);
  }
  void operator()(const SliceNode& node) {
    see(node.start);
    see(node.stop);
    see(node.step);
  }
  void operator()(const CallNode& node) {
    see(node.callee);
    see(node.arguments);
  }
  void operator()(const FilterNode& node) {
    see(node.subject);
    see(node.arguments);
  }
  void operator()(const TestNode& node) {
    see(node.subject);
    see(node.arguments);
  }
  void operator()(const SignNode& node) { see(node.operand); }
  void operator()(const NotNode& node) { see(node.operand); }
  void operator()(const ChainNode& node) {
    see(node.first);
    see(node.rest);
  }
  void operator()(const ConcatNode& node) { see(node.parts); }
  void operator()(const CompareNode& node) {
    see(node.first);
    see(node.rest);
  }
  void operator()(const LogicNode& node) { see(node.parts); }
  void operator()(const ConditionNode& node) {
    see(node.test);
    see(node.then);
    see(node.otherwise);
  }
};

}  // namespace

ParsedExpression Parser::add(Expression::Data data, std::uint32_t line) {
  TallestChild children;
  std::visit(children, data);
  if (children.tallest >= Expression::height_max) {
    return fail(
        fmt::format("an expression is nested deeper than {} levels", Expression::height_max));
  }
  program_->expressions.push_back(
      {.data = std::move(data), .line = line, .height = children.tallest + 1});
  return &program_->expressions.back();
}

const Statement* Parser::add_statement(Statement::Data data, std::uint32_t line) {
  program_->statements.push_back({.data = std::move(data), .line = line});
  return &program_->statements.back();
}

}  // namespace zhuzi::jinja
