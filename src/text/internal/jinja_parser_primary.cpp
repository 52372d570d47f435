// Primary expressions and what is hung on them: literals, names, brackets, attributes, subscripts,
// calls, filters, tests.
#include <charconv>

#include "base/utf8.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_literal.h"
#include "text/internal/jinja_parser_state.h"
#include "text/internal/jinja_tests.h"

namespace zhuzi::jinja {

ParsedExpression Parser::parse_primary() {
  switch (current().kind) {
    case TokenKind::name: return parse_name();
    case TokenKind::string: return parse_string();
    case TokenKind::integer:
    case TokenKind::real: return parse_number();
    case TokenKind::lbracket: return parse_list();
    case TokenKind::lbrace: return parse_dict();
    case TokenKind::lparen: {
      take();
      const Expression* tuple = TRY(parse_tuple({.may_be_empty = true}));
      TRY(expect(TokenKind::rparen));
      return tuple;
    }
    default: return fail(fmt::format("unexpected '{}'", describe(current())));
  }
}

ParsedExpression Parser::parse_name() {
  const Token token = take();
  const std::string_view name = token.text;
  if (name == "true" || name == "True") return add(Literal{Value(true)}, token.line);
  if (name == "false" || name == "False") return add(Literal{Value(false)}, token.line);
  if (name == "none" || name == "None") return add(Literal{Value()}, token.line);
  for (MacroUse& macro : macros_) {
    macro.caller |= name == "caller";
    macro.varargs |= name == "varargs";
    macro.kwargs |= name == "kwargs";
  }
  return add(Variable{program_->intern(name)}, token.line);
}

ParsedExpression Parser::parse_string() {
  const std::uint32_t line = current().line;
  std::string text;
  while (is(TokenKind::string)) {
    auto part = unescaped_literal(current().text);
    if (!part) return fail(std::move(part.error()));
    text += *part;
    take();
  }
  return add(Literal{Value(std::move(text))}, line);
}

ParsedExpression Parser::parse_number() {
  const Token token = current();
  if (token.kind == TokenKind::real) {
    take();
    return add(Literal{Value(real_literal(token.text))}, token.line);
  }
  const auto integer = integer_literal(token.text);
  if (!integer) return fail("an integer of more than 64 bits");
  take();
  return add(Literal{Value(*integer)}, token.line);
}

ParsedExpression Parser::parse_list() {
  const std::uint32_t line = take().line;
  ListNode node;
  while (!is(TokenKind::rbracket)) {
    if (!node.items.empty()) TRY(expect(TokenKind::comma));
    if (is(TokenKind::rbracket)) break;
    node.items.push_back(TRY(parse_expression()));
  }
  TRY(expect(TokenKind::rbracket));
  return add(std::move(node), line);
}

ParsedExpression Parser::parse_dict() {
  const std::uint32_t line = take().line;
  DictNode node;
  while (!is(TokenKind::rbrace)) {
    if (!node.entries.empty()) TRY(expect(TokenKind::comma));
    if (is(TokenKind::rbrace)) break;
    const Expression* key = TRY(parse_expression());
    TRY(expect(TokenKind::colon));
    const Expression* value = TRY(parse_expression());
    node.entries.emplace_back(key, value);
  }
  TRY(expect(TokenKind::rbrace));
  return add(std::move(node), line);
}

ParsedExpression Parser::parse_attribute(const Expression* object) {
  const std::uint32_t line = take().line;
  const Token token = current();
  if (token.kind == TokenKind::name) {
    take();
    return add(AttributeNode{.object = object, .name = Value(std::string(token.text))}, line);
  }
  if (token.kind != TokenKind::integer) return fail("expected name or number");
  const Expression* index = TRY(parse_number());
  return add(SubscriptNode{.object = object, .index = index}, line);
}

ParsedExpression Parser::parse_subscript(const Expression* object) {
  const std::uint32_t line = take().line;
  TupleNode indices;
  while (!is(TokenKind::rbracket)) {
    if (!indices.items.empty()) TRY(expect(TokenKind::comma));
    indices.items.push_back(TRY(parse_index()));
  }
  TRY(expect(TokenKind::rbracket));
  const Expression* index =
      indices.items.size() == 1 ? indices.items.front() : TRY(add(std::move(indices), line));
  return add(SubscriptNode{.object = object, .index = index}, line);
}

ParsedExpression Parser::parse_index() {
  const std::uint32_t line = current().line;
  SliceNode node;
  if (!is(TokenKind::colon)) {
    node.start = TRY(parse_expression());
    if (!is(TokenKind::colon)) return node.start;
  }
  take();
  const auto is_part_end = [&] {
    return is(TokenKind::colon) || is(TokenKind::rbracket) || is(TokenKind::comma);
  };
  if (!is_part_end()) node.stop = TRY(parse_expression());
  if (skip(TokenKind::colon) && !is_part_end()) node.step = TRY(parse_expression());
  return add(node, line);
}

ParsedExpression Parser::parse_call(const Expression* callee) {
  const std::uint32_t line = current().line;
  ArgumentNodes arguments = TRY(parse_arguments());
  return add(CallNode{.callee = callee, .arguments = std::move(arguments)}, line);
}

Outcome<ArgumentNodes> Parser::parse_arguments() {
  const std::uint32_t line = TRY(expect(TokenKind::lparen)).line;
  ArgumentNodes arguments;
  bool is_first = true;
  while (!is(TokenKind::rparen)) {
    if (!is_first) TRY(expect(TokenKind::comma));
    if (is(TokenKind::rparen)) break;
    TRY(parse_argument(arguments, line));
    is_first = false;
  }
  TRY(expect(TokenKind::rparen));
  return arguments;
}

Done Parser::parse_argument(ArgumentNodes& arguments, std::uint32_t line) {
  const bool has_more_positional = arguments.more_positional != nullptr;
  const bool has_more_named = arguments.more_named != nullptr;
  const auto misplaced = [&] { return fail("invalid syntax for function call expression", line); };
  if (is(TokenKind::mul)) {
    if (has_more_positional || has_more_named) return misplaced();
    take();
    arguments.more_positional = TRY(parse_expression());
  } else if (is(TokenKind::pow)) {
    if (has_more_named) return misplaced();
    take();
    arguments.more_named = TRY(parse_expression());
  } else if (is(TokenKind::name) && next().kind == TokenKind::assign) {
    if (has_more_named) return misplaced();
    Value name(std::string(take().text));
    take();
    const Expression* value = TRY(parse_expression());
    arguments.named.emplace_back(std::move(name), value);
  } else {
    if (has_more_positional || has_more_named || !arguments.named.empty()) return misplaced();
    arguments.positional.push_back(TRY(parse_expression()));
  }
  return {};
}

Outcome<std::string> Parser::parse_dotted_name() {
  std::string name(TRY(expect(TokenKind::name)).text);
  while (skip(TokenKind::dot)) {
    name += '.';
    name += TRY(expect(TokenKind::name)).text;
  }
  return name;
}

ParsedExpression Parser::parse_filter_chain(const Expression* subject) {
  while (skip(TokenKind::pipe)) subject = TRY(parse_one_filter(subject));
  return subject;
}

ParsedExpression Parser::parse_one_filter(const Expression* subject) {
  const std::uint32_t line = current().line;
  FilterNode node{.subject = subject};
  node.name = TRY(parse_dotted_name());
  node.filter = find_filter(node.name);
  if (is(TokenKind::lparen)) node.arguments = TRY(parse_arguments());
  return add(std::move(node), line);
}

ParsedExpression Parser::parse_test(const Expression* subject) {
  const std::uint32_t line = take().line;
  const bool is_negated = skip_word("not");
  TestNode node{.subject = subject};
  node.name = TRY(parse_dotted_name());
  node.test = find_test(node.name);
  const bool has_operand = is(TokenKind::name) || is(TokenKind::string) || is(TokenKind::integer) ||
                           is(TokenKind::real) || is(TokenKind::lbracket) || is(TokenKind::lbrace);
  if (is(TokenKind::lparen)) {
    node.arguments = TRY(parse_arguments());
  } else if (has_operand && !is_word_of({"else", "or", "and"})) {
    if (is_word("is")) return fail("You cannot chain multiple tests with is");
    const Level level(depth_);
    TRY(check_depth());
    const Expression* operand = TRY(parse_primary());
    node.arguments.positional.push_back(TRY(parse_postfix(operand)));
  }
  const Expression* test = TRY(add(std::move(node), line));
  return is_negated ? add(NotNode{test}, line) : ParsedExpression(test);
}

}  // namespace zhuzi::jinja
