// The checker: one walk over the tree. Its recursion is bounded by the parser's.
#include "text/internal/jinja_check.h"

namespace zhuzi::jinja {
namespace {

constexpr std::string_view assertion_error = "TemplateAssertionError";

struct Place {
  bool is_conditional = false;  ///< Directly inside a condition: names of filters are not checked.
  bool is_in_loop = false;
};

Done check(const Body& body, Place place);
Done check(const Expression* expression, Place place);

Done check_all(const std::vector<const Expression*>& expressions, Place place) {
  for (const Expression* one : expressions) TRY(check(one, place));
  return {};
}

Done check_all(const ArgumentNodes& arguments, Place place) {
  TRY(check_all(arguments.positional, place));
  for (const auto& [name, value] : arguments.named) TRY(check(value, place));
  TRY(check(arguments.more_positional, place));
  return check(arguments.more_named, place);
}

std::unexpected<Fault> fault_at(std::unexpected<Fault> fault, std::uint32_t line) {
  fault.error()->line = line;
  return fault;
}

struct ExpressionChecker {
  Place place;
  std::uint32_t line;

  Done operator()(const Literal&) const { return {}; }
  Done operator()(const Variable&) const { return {}; }
  Done operator()(const ListNode& node) const { return check_all(node.items, place); }
  Done operator()(const TupleNode& node) const { return check_all(node.items, place); }
  Done operator()(const DictNode& node) const {
    for (const auto& [key, value] : node.entries) TRY(check_all({key, value}, place));
    return {};
  }
  Done operator()(const AttributeNode& node) const { return check(node.object, place); }
  Done operator()(const SubscriptNode& node) const {
    return check_all({node.object, node.index}, place);
  }
  Done operator()(const SliceNode& node) const {
    return check_all({node.start, node.stop, node.step}, place);
  }
  Done operator()(const CallNode& node) const {
    TRY(check(node.callee, place));
    return check_all(node.arguments, place);
  }
  Done operator()(const FilterNode& node) const {
    if (node.filter == nullptr && !place.is_conditional) {
      return fault_at(raise(assertion_error, "No filter named '{}'.", node.name), line);
    }
    TRY(check(node.subject, place));
    return check_all(node.arguments, place);
  }
  Done operator()(const TestNode& node) const {
    if (node.test == nullptr && !place.is_conditional) {
      return fault_at(raise(assertion_error, "No test named '{}'.", node.name), line);
    }
    TRY(check(node.subject, place));
    return check_all(node.arguments, place);
  }
  Done operator()(const SignNode& node) const { return check(node.operand, place); }
  Done operator()(const NotNode& node) const { return check(node.operand, place); }
  Done operator()(const ChainNode& node) const {
    TRY(check(node.first, place));
    for (const auto& [operation, operand] : node.rest) TRY(check(operand, place));
    return {};
  }
  Done operator()(const ConcatNode& node) const { return check_all(node.parts, place); }
  Done operator()(const CompareNode& node) const {
    TRY(check(node.first, place));
    for (const auto& [comparison, operand] : node.rest) TRY(check(operand, place));
    return {};
  }
  Done operator()(const LogicNode& node) const { return check_all(node.parts, place); }
  Done operator()(const ConditionNode& node) const {
    Place inside = place;
    inside.is_conditional = true;
    return check_all({node.test, node.then, node.otherwise}, inside);
  }
};

Done check(const Expression* expression, Place place) {
  if (expression == nullptr) return {};
  return std::visit(ExpressionChecker{place, expression->line}, expression->data);
}

struct StatementChecker {
  Place place;
  std::uint32_t line;

  /// A scope of its own, in the same loop.
  [[nodiscard]] Place scope() const { return {.is_in_loop = place.is_in_loop}; }

  Done operator()(const DataNode&) const { return {}; }
  Done operator()(const PrintNode& node) const { return check(node.value, place); }
  Done operator()(const SetNode& node) const { return check(node.value, place); }
  Done operator()(const SetBlockNode& node) const {
    TRY(check(node.filter, scope()));
    return check(node.body, scope());
  }
  Done operator()(const IfNode& node) const {
    Place inside = place;
    inside.is_conditional = true;
    for (const IfNode::Branch& branch : node.branches) {
      TRY(check(branch.test, inside));
      TRY(check(branch.body, inside));
    }
    return check(node.otherwise, inside);
  }
  Done operator()(const ForNode& node) const {
    TRY(check(node.items, place));
    TRY(check(node.test, scope()));
    TRY(check(node.body, {.is_in_loop = true}));
    return check(node.otherwise, {.is_in_loop = place.is_in_loop && !node.is_recursive});
  }
  Done operator()(const MacroNode& node) const {
    for (const Parameter& parameter : node.parameters) TRY(check(parameter.fallback, {}));
    return check(node.body, {});
  }
  Done operator()(const CallBlockNode& node) const {
    TRY(check(node.call, place));
    return (*this)(node.caller);
  }
  Done operator()(const FilterBlockNode& node) const {
    TRY(check(node.filter, scope()));
    return check(node.body, scope());
  }
  Done operator()(const WithNode& node) const {
    for (const auto& [target, value] : node.variables) TRY(check(value, place));
    return check(node.body, scope());
  }
  Done operator()(const GenerationNode& node) const { return check(node.body, {}); }
  Done operator()(const BlockNode& node) const { return check(node.body, {}); }
  Done operator()(const AutoescapeNode& node) const {
    TRY(check(node.value, scope()));
    return check(node.body, scope());
  }
  Done operator()(const BreakNode&) const { return check_loop("'break' outside loop"); }
  Done operator()(const ContinueNode&) const {
    return check_loop("'continue' not properly in loop");
  }
  Done operator()(const LoadNode&) const { return {}; }

 private:
  Done check_loop(std::string_view message) const {
    if (place.is_in_loop) return {};
    return fault_at(raise("SyntaxError", "{}", message), line);
  }
};

Done check(const Body& body, Place place) {
  for (const Statement* statement : body) {
    TRY(std::visit(StatementChecker{place, statement->line}, statement->data));
  }
  return {};
}

}  // namespace

Done check_program(const Program& program) { return check(program.body, {}); }

}  // namespace zhuzi::jinja
