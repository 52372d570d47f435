// Statements: the tags of the language, and what an assignment may write to.
#include <algorithm>

#include "text/internal/jinja_parser_state.h"

namespace zhuzi::jinja {

/// Statements up to a tag whose word is one of `end_words`, or to the end of the source.
Outcome<Body> Parser::parse_body(Words end_words) {
  const Level level(depth_);
  TRY(check_depth());
  awaited_.emplace_back(end_words);
  Body body;
  while (!is(TokenKind::end)) {
    const Token token = current();
    if (is(TokenKind::data)) {
      take();
      body.push_back(add_statement(DataNode{Value(std::string(token.text))}, token.line));
    } else if (skip(TokenKind::variable_begin)) {
      const Expression* value = TRY(parse_tuple({}));
      TRY(expect(TokenKind::variable_end));
      body.push_back(add_statement(PrintNode{value}, value->line));
    } else if (skip(TokenKind::block_begin)) {
      if (is_word_of(end_words)) break;
      if (is_word("print")) {
        TRY(parse_print(body));
      } else {
        body.push_back(TRY(parse_statement()));
      }
      TRY(expect(TokenKind::block_end));
    } else {
      return fail("internal parsing error");
    }
  }
  awaited_.pop_back();
  return body;
}

/// The rest of an opening tag, then its body; the position is at the word that ends it.
Outcome<Body> Parser::parse_block_body(Words end_words) {
  skip(TokenKind::colon);
  TRY(expect(TokenKind::block_end));
  Body body = TRY(parse_body(end_words));
  if (is(TokenKind::end)) {
    awaited_.emplace_back(end_words);
    return fail_at_tag(std::nullopt, 0);
  }
  return body;
}

Outcome<Body> Parser::parse_whole_body(std::string_view end_word) {
  Body body = TRY(parse_block_body({end_word}));
  take();
  return body;
}

std::unexpected<Fault> Parser::fail_at_tag(std::optional<std::string_view> tag,
                                           std::uint32_t line) {
  std::string message =
      tag ? fmt::format("Encountered unknown tag '{}'.", *tag) : "Unexpected end of template.";
  std::string looking;
  bool is_expected = false;
  for (const auto& words : awaited_) {
    is_expected |= tag && std::ranges::find(words, *tag) != words.end();
  }
  if (!awaited_.empty()) {
    for (const std::string_view word : awaited_.back()) {
      looking += fmt::format("{}'{}'", looking.empty() ? "" : " or ", word);
    }
  }
  if (!looking.empty()) {
    message += is_expected ? " You probably made a nesting mistake. Jinja is expecting this tag, "
                             "but currently looking for " +
                                 looking + "."
                           : " Jinja was looking for the following tags: " + looking + ".";
  }
  if (!open_tags_.empty()) {
    message +=
        fmt::format(" The innermost block that needs to be closed is '{}'.", open_tags_.back());
  }
  return fail(std::move(message), line);
}

Outcome<const Statement*> Parser::parse_statement() {
  const Token token = current();
  if (token.kind != TokenKind::name) return fail("tag name expected");
  open_tags_.push_back(token.text);
  Statement::Data data = TRY(parse_tag(token.text));
  open_tags_.pop_back();
  return add_statement(std::move(data), token.line);
}

Outcome<Statement::Data> Parser::parse_tag(std::string_view tag) {
  struct Tag {
    std::string_view word;
    Outcome<Statement::Data> (Parser::*parse)();
  };
  static constexpr Tag tags[] = {{"set", &Parser::parse_set},
                                 {"if", &Parser::parse_if},
                                 {"for", &Parser::parse_for},
                                 {"macro", &Parser::parse_macro},
                                 {"call", &Parser::parse_call_block},
                                 {"filter", &Parser::parse_filter_block},
                                 {"with", &Parser::parse_with},
                                 {"block", &Parser::parse_block},
                                 {"include", &Parser::parse_load},
                                 {"import", &Parser::parse_load},
                                 {"extends", &Parser::parse_load},
                                 {"from", &Parser::parse_load},
                                 {"autoescape", &Parser::parse_autoescape}};
  const std::uint32_t line = current().line;
  for (const Tag& one : tags) {
    if (one.word != tag) continue;
    take();
    return (this->*one.parse)();
  }
  if (skip_word("break")) return BreakNode{};
  if (skip_word("continue")) return ContinueNode{};
  if (skip_word("generation")) return GenerationNode{TRY(parse_whole_body("endgeneration"))};
  open_tags_.pop_back();
  return fail_at_tag(tag, line);
}

Done Parser::parse_print(Body& body) {
  take();
  for (bool is_first = true; !is(TokenKind::block_end); is_first = false) {
    if (!is_first) TRY(expect(TokenKind::comma));
    const Expression* value = TRY(parse_expression());
    body.push_back(add_statement(PrintNode{value}, value->line));
  }
  return {};
}

Outcome<Statement::Data> Parser::parse_set() {
  Target target = TRY(parse_target({.takes_fields = true}));
  if (skip(TokenKind::assign)) {
    const Expression* value = TRY(parse_tuple({}));
    return SetNode{.target = std::move(target), .value = value};
  }
  SetBlockNode node{.target = std::move(target)};
  node.filter = TRY(parse_filter_chain(nullptr));
  node.body = TRY(parse_whole_body("endset"));
  return node;
}

Outcome<Statement::Data> Parser::parse_if() {
  IfNode node;
  std::uint32_t line = tokens_[position_ - 1].line;
  while (true) {
    IfNode::Branch branch{.line = line};
    branch.test = TRY(parse_tuple({.takes_condition = false}));
    branch.body = TRY(parse_block_body({"elif", "else", "endif"}));
    node.branches.push_back(std::move(branch));
    const Token token = take();
    line = current().line;
    if (is_word(token, "elif")) continue;
    if (is_word(token, "else")) node.otherwise = TRY(parse_whole_body("endif"));
    return node;
  }
}

Outcome<Statement::Data> Parser::parse_for() {
  ForNode node;
  node.target = TRY(parse_target({.end_word = "in"}));
  TRY(expect_word("in"));
  node.items = TRY(parse_tuple({.takes_condition = false, .end_word = "recursive"}));
  if (skip_word("if")) node.test = TRY(parse_expression());
  node.is_recursive = skip_word("recursive");
  node.body = TRY(parse_block_body({"endfor", "else"}));
  if (is_word(take(), "else")) node.otherwise = TRY(parse_whole_body("endfor"));
  return node;
}

Done Parser::parse_parameters(MacroNode& macro) {
  TRY(expect(TokenKind::lparen));
  bool has_fallback = false;
  while (!is(TokenKind::rparen)) {
    if (!macro.parameters.empty()) TRY(expect(TokenKind::comma));
    Parameter parameter{.name = TRY(parse_name_target())};
    if (skip(TokenKind::assign)) {
      parameter.fallback = TRY(parse_expression());
      has_fallback = true;
    } else if (has_fallback) {
      return fail("non-default argument follows default argument");
    }
    macro.parameters.push_back(parameter);
  }
  TRY(expect(TokenKind::rparen));
  std::vector<Value> names;
  for (const Parameter& parameter : macro.parameters) {
    names.emplace_back(program_->name_of(parameter.name));
  }
  macro.parameter_names = TRY(make_tuple(std::move(names)));
  return {};
}

Done Parser::parse_macro_body(MacroNode& macro, std::string_view end_word) {
  macros_.emplace_back();
  macro.body = TRY(parse_whole_body(end_word));
  const MacroUse use = macros_.back();
  macros_.pop_back();
  macro.takes_caller = use.caller;
  macro.takes_varargs = use.varargs;
  macro.takes_kwargs = use.kwargs;
  return {};
}

Outcome<Statement::Data> Parser::parse_macro() {
  MacroNode macro;
  macro.target = TRY(parse_name_target());
  macro.name = program_->name_of(macro.target);
  TRY(parse_parameters(macro));
  TRY(parse_macro_body(macro, "endmacro"));
  return macro;
}

Outcome<Statement::Data> Parser::parse_call_block() {
  const std::uint32_t line = tokens_[position_ - 1].line;
  CallBlockNode node;
  if (is(TokenKind::lparen)) TRY(parse_parameters(node.caller));
  node.call = TRY(parse_expression());
  if (!std::holds_alternative<CallNode>(node.call->data)) return fail("expected call", line);
  TRY(parse_macro_body(node.caller, "endcall"));
  return node;
}

Outcome<Statement::Data> Parser::parse_filter_block() {
  FilterBlockNode node;
  node.filter = TRY(parse_one_filter(nullptr));
  node.filter = TRY(parse_filter_chain(node.filter));
  node.body = TRY(parse_whole_body("endfilter"));
  return node;
}

Outcome<Statement::Data> Parser::parse_with() {
  WithNode node;
  while (!is(TokenKind::block_end)) {
    if (!node.variables.empty()) TRY(expect(TokenKind::comma));
    Target target = TRY(parse_target({}));
    TRY(expect(TokenKind::assign));
    const Expression* value = TRY(parse_expression());
    node.variables.emplace_back(std::move(target), value);
  }
  node.body = TRY(parse_whole_body("endwith"));
  return node;
}

Outcome<Statement::Data> Parser::parse_block() {
  BlockNode node;
  node.name = std::string(TRY(expect(TokenKind::name)).text);
  node.is_scoped = skip_word("scoped");
  skip_word("required");
  if (is(TokenKind::sub)) {
    return fail(
        "Block names in Jinja have to be valid Python identifiers and may not contain hyphens, "
        "use an underscore instead.");
  }
  node.body = TRY(parse_whole_body("endblock"));
  skip_word(node.name);
  return node;
}

Outcome<Statement::Data> Parser::parse_autoescape() {
  AutoescapeNode node;
  node.value = TRY(parse_expression());
  node.body = TRY(parse_whole_body("endautoescape"));
  return node;
}

Outcome<Statement::Data> Parser::parse_load() {
  TRY(parse_expression());
  // `as x`, `import x`, `with context`, `ignore missing`: words and names up to the tag's end.
  while (is(TokenKind::name) || is(TokenKind::comma)) take();
  return LoadNode{};
}

Outcome<NameId> Parser::parse_name_target() {
  const Token token = TRY(expect(TokenKind::name));
  for (const std::string_view constant : {"true", "false", "none", "True", "False", "None"}) {
    if (token.text == constant) return fail("can't assign to 'name'", token.line);
  }
  return program_->intern(token.text);
}

Outcome<Target> Parser::parse_target(const TargetRules& rules) {
  RowTarget row;
  bool is_row = false;
  while (!is_tuple_end(rules.end_word)) {
    row.targets.push_back(TRY(parse_one_target(rules)));
    if (!skip(TokenKind::comma)) break;
    is_row = true;
  }
  if (is_row) return Target{std::move(row)};
  if (row.targets.empty()) {
    return fail(fmt::format("Expected an expression, got '{}'", describe(current())));
  }
  return std::move(row.targets.front());
}

Outcome<Target> Parser::parse_one_target(const TargetRules& rules) {
  if (rules.takes_fields && is(TokenKind::name) && next().kind == TokenKind::dot) {
    const NameId name = program_->intern(take().text);
    take();
    return Target{
        FieldTarget{.name = name, .field = std::string(TRY(expect(TokenKind::name)).text)}};
  }
  const Level level(depth_);
  TRY(check_depth());
  const Expression* expression = TRY(parse_primary());
  return target_from(*expression);
}

Outcome<Target> Parser::target_from(const Expression& expression) {
  if (const auto* variable = std::get_if<Variable>(&expression.data)) {
    return Target{NameTarget{variable->name}};
  }
  if (const auto* tuple = std::get_if<TupleNode>(&expression.data)) {
    RowTarget row;
    for (const Expression* item : tuple->items) row.targets.push_back(TRY(target_from(*item)));
    return Target{std::move(row)};
  }
  const std::string_view kind = std::holds_alternative<Literal>(expression.data)    ? "const"
                                : std::holds_alternative<ListNode>(expression.data) ? "list"
                                : std::holds_alternative<DictNode>(expression.data) ? "dict"
                                                                                    : "expression";
  return fail(fmt::format("can't assign to '{}'", kind), expression.line);
}

}  // namespace zhuzi::jinja
