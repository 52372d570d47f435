// Expressions with operators, from the loosest to the tightest:
//
//   a if b else c | or | and | not | < == in ... | + - | ~ | * / // % | ** | -x | x.y x[] x() |f is
//
// Operators of one rank become one flat node, so a long sum is not a deep tree.
#include <array>
#include <span>

#include "text/internal/jinja_parser_state.h"

namespace zhuzi::jinja {
namespace {

struct ComparisonToken {
  TokenKind token;
  Comparison comparison;
};
constexpr std::array comparison_tokens{ComparisonToken{TokenKind::eq, Comparison::eq},
                                       ComparisonToken{TokenKind::ne, Comparison::ne},
                                       ComparisonToken{TokenKind::lt, Comparison::lt},
                                       ComparisonToken{TokenKind::lteq, Comparison::lteq},
                                       ComparisonToken{TokenKind::gt, Comparison::gt},
                                       ComparisonToken{TokenKind::gteq, Comparison::gteq}};

struct OperationToken {
  TokenKind token;
  Operation operation;
};
constexpr std::array sum_tokens{OperationToken{TokenKind::add, Operation::add},
                                OperationToken{TokenKind::sub, Operation::sub}};
constexpr std::array product_tokens{OperationToken{TokenKind::mul, Operation::mul},
                                    OperationToken{TokenKind::div, Operation::div},
                                    OperationToken{TokenKind::floordiv, Operation::floordiv},
                                    OperationToken{TokenKind::mod, Operation::mod}};
constexpr std::array power_tokens{OperationToken{TokenKind::pow, Operation::pow}};

enum Rank : std::size_t { sum, product, power };
constexpr std::array<std::span<const OperationToken>, 3> rank_tokens{sum_tokens, product_tokens,
                                                                     power_tokens};

const OperationToken* operation_of(std::size_t rank, TokenKind kind) {
  for (const OperationToken& one : rank_tokens[rank]) {
    if (one.token == kind) return &one;
  }
  return nullptr;
}

}  // namespace

ParsedExpression Parser::parse_expression(bool takes_condition) {
  const Level level(depth_);
  TRY(check_depth());
  std::uint32_t line = current().line;
  const Expression* expression = TRY(parse_logic("or"));
  while (takes_condition && skip_word("if")) {
    ConditionNode node{.then = expression};
    node.test = TRY(parse_logic("or"));
    if (skip_word("else")) node.otherwise = TRY(parse_expression());
    expression = TRY(add(node, line));
    line = current().line;
  }
  return expression;
}

ParsedExpression Parser::parse_logic(std::string_view word) {
  const bool is_or = word == "or";
  const auto parse_part = [&] { return is_or ? parse_logic("and") : parse_not(); };
  std::uint32_t line = current().line;
  LogicNode node{.stop = is_or};
  node.parts.push_back(TRY(parse_part()));
  while (is_word(word)) {
    if (node.parts.size() > 1) line = current().line;
    take();
    node.parts.push_back(TRY(parse_part()));
  }
  if (node.parts.size() == 1) return node.parts.front();
  return add(std::move(node), line);
}

ParsedExpression Parser::parse_not() {
  if (!is_word("not")) return parse_compare();
  const Level level(depth_);
  TRY(check_depth());
  const std::uint32_t line = take().line;
  const Expression* operand = TRY(parse_not());
  return add(NotNode{operand}, line);
}

ParsedExpression Parser::parse_compare() {
  CompareNode node;
  node.first = TRY(parse_rank(Rank::sum));
  while (true) {
    std::optional<Comparison> comparison;
    for (const ComparisonToken& one : comparison_tokens) {
      if (is(one.token)) comparison = one.comparison;
    }
    if (is_word("in")) comparison = Comparison::in;
    if (is_word("not") && is_word(next(), "in")) {
      take();
      comparison = Comparison::not_in;
    }
    if (!comparison) break;
    take();
    const Expression* operand = TRY(parse_rank(Rank::sum));
    node.rest.emplace_back(*comparison, operand);
  }
  if (node.rest.empty()) return node.first;
  return add(std::move(node), current().line);
}

/// The operands of a rank: between sums and products stands `~`.
ParsedExpression Parser::parse_chain(std::size_t rank) {
  if (rank == Rank::sum) return parse_concat();
  if (rank == Rank::product) return parse_rank(Rank::power);
  return parse_unary();
}

ParsedExpression Parser::parse_rank(std::size_t rank) {
  std::uint32_t line = current().line;
  ChainNode node;
  node.first = TRY(parse_chain(rank));
  while (const OperationToken* found = operation_of(rank, current().kind)) {
    if (!node.rest.empty()) line = current().line;
    take();
    const Expression* operand = TRY(parse_chain(rank));
    node.rest.emplace_back(found->operation, operand);
  }
  if (node.rest.empty()) return node.first;
  return add(std::move(node), line);
}

ParsedExpression Parser::parse_concat() {
  const std::uint32_t line = current().line;
  ConcatNode node;
  node.parts.push_back(TRY(parse_rank(Rank::product)));
  while (skip(TokenKind::tilde)) node.parts.push_back(TRY(parse_rank(Rank::product)));
  if (node.parts.size() == 1) return node.parts.front();
  return add(std::move(node), line);
}

ParsedExpression Parser::parse_unary(bool takes_filters) {
  const Level level(depth_);
  TRY(check_depth());
  const std::uint32_t line = current().line;
  const Expression* expression = nullptr;
  if (is(TokenKind::sub) || is(TokenKind::add)) {
    const Sign sign = take().kind == TokenKind::sub ? Sign::negative : Sign::positive;
    const Expression* operand = TRY(parse_unary(false));
    expression = TRY(add(SignNode{.sign = sign, .operand = operand}, line));
  } else {
    expression = TRY(parse_primary());
  }
  expression = TRY(parse_postfix(expression));
  return takes_filters ? parse_filters_and_tests(expression) : ParsedExpression(expression);
}

ParsedExpression Parser::parse_postfix(const Expression* expression) {
  while (true) {
    if (is(TokenKind::dot)) {
      expression = TRY(parse_attribute(expression));
    } else if (is(TokenKind::lbracket)) {
      expression = TRY(parse_subscript(expression));
    } else if (is(TokenKind::lparen)) {
      expression = TRY(parse_call(expression));
    } else {
      return expression;
    }
  }
}

ParsedExpression Parser::parse_filters_and_tests(const Expression* expression) {
  while (true) {
    if (is(TokenKind::pipe)) {
      expression = TRY(parse_filter_chain(expression));
    } else if (is_word("is")) {
      expression = TRY(parse_test(expression));
    } else if (is(TokenKind::lparen)) {
      expression = TRY(parse_call(expression));
    } else {
      return expression;
    }
  }
}

bool Parser::is_tuple_end(std::string_view end_word) const {
  return is(TokenKind::variable_end) || is(TokenKind::block_end) || is(TokenKind::rparen) ||
         (!end_word.empty() && is_word(end_word));
}

ParsedExpression Parser::parse_tuple(const TupleRules& rules) {
  std::uint32_t line = current().line;
  TupleNode node;
  bool is_tuple = false;
  while (!is_tuple_end(rules.end_word)) {
    node.items.push_back(TRY(parse_expression(rules.takes_condition)));
    if (!skip(TokenKind::comma)) break;
    is_tuple = true;
    line = current().line;
  }
  if (!is_tuple && !node.items.empty()) return node.items.front();
  if (!is_tuple && !rules.may_be_empty) {
    return fail(fmt::format("Expected an expression, got '{}'", describe(current())));
  }
  return add(std::move(node), line);
}

}  // namespace zhuzi::jinja
