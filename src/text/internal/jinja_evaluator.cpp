// Expressions: each node's value.
#include "text/internal/jinja_evaluator.h"

#include <algorithm>

#include "text/internal/jinja_attribute.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_operator.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {

Outcome<Value> Evaluator::evaluate(const Expression& expression) {
  const Nesting nesting(node_depth_);
  if (node_depth_ > session_.limits().depth_max * nodes_per_call) {
    return raise(python::recursion_error, "maximum recursion depth exceeded");
  }
  TRY(session_.spend(1));
  return std::visit([&](const auto& node) { return value_of(node); }, expression.data);
}

Outcome<Value> Evaluator::value_of(const Literal& node) { return node.value; }

Outcome<Value> Evaluator::lookup(NameId name) {
  for (const Frame* frame = frame_; frame != nullptr; frame = frame->parent) {
    TRY(session_.spend(frame->cost()));
    if (const Value* value = frame->find(name)) return *value;
  }
  return make_undefined("'" + program_.name_of(name) + "' is undefined");
}

Outcome<Value> Evaluator::value_of(const Variable& node) { return lookup(node.name); }

Outcome<std::vector<Value>> Evaluator::values_of(
    const std::vector<const Expression*>& expressions) {
  std::vector<Value> values;
  values.reserve(expressions.size());
  for (const Expression* one : expressions) values.push_back(TRY(evaluate(*one)));
  return values;
}

Outcome<Value> Evaluator::value_of(const ListNode& node) {
  return make_list(TRY(values_of(node.items)));
}

Outcome<Value> Evaluator::value_of(const TupleNode& node) {
  return make_tuple(TRY(values_of(node.items)));
}

Outcome<Value> Evaluator::value_of(const DictNode& node) {
  std::vector<Dict::Entry> entries;
  entries.reserve(node.entries.size());
  for (const auto& [key_node, value_node] : node.entries) {
    Value key = TRY(evaluate(*key_node));
    Value value = TRY(evaluate(*value_node));
    entries.push_back({.key = std::move(key), .value = std::move(value)});
  }
  return make_dict(std::move(entries));
}

Outcome<Value> Evaluator::value_of(const AttributeNode& node) {
  const Value object = TRY(evaluate(*node.object));
  return attribute(object, node.name);
}

Outcome<Value> Evaluator::value_of(const SubscriptNode& node) {
  const Value object = TRY(evaluate(*node.object));
  if (const auto* slice = std::get_if<SliceNode>(&node.index->data)) {
    // Jinja computes constants early, and there a slice of a dict is only undefined.
    if (std::holds_alternative<DictNode>(node.object->data)) return make_undefined("no slice");
    return slice_of(object, *slice);
  }
  const Value index = TRY(evaluate(*node.index));
  return subscript(session_, object, index);
}

Outcome<Value> Evaluator::slice_of(const Value& object, const SliceNode& node) {
  const auto part = [&](const Expression* one) -> Outcome<Value> {
    if (one == nullptr) return Value();
    return evaluate(*one);
  };
  SliceParts parts;
  parts.start = TRY(part(node.start));
  parts.stop = TRY(part(node.stop));
  parts.step = TRY(part(node.step));
  return slice_value(session_, object, parts);
}

Outcome<Value> Evaluator::value_of(const SliceNode&) {
  // Reached only for a slice among several indices, as in x[1:2, 3], which nothing understands.
  return raise(python::type_error, "unhashable type: 'slice'");
}

Outcome<Value> Evaluator::value_of(const CallNode& node) {
  const Value callee = TRY(evaluate(*node.callee));
  Arguments arguments = TRY(arguments_of(node.arguments));
  return call(callee, std::move(arguments));
}

Outcome<Value> Evaluator::apply_filter(const FilterNode& node, const Value& subject) {
  if (node.filter == nullptr) {
    return raise(python::runtime_error, "No filter named '{}' found.", node.name);
  }
  const Arguments arguments = TRY(arguments_of(node.arguments));
  return node.filter->function(session_, subject, arguments);
}

Outcome<Value> Evaluator::value_of(const FilterNode& node) {
  return apply_filter(node, TRY(evaluate(*node.subject)));
}

Outcome<Value> Evaluator::value_of(const TestNode& node) {
  const Value subject = TRY(evaluate(*node.subject));
  if (node.test == nullptr) {
    return raise(python::runtime_error, "No test named '{}' found.", node.name);
  }
  const Arguments arguments = TRY(arguments_of(node.arguments));
  return node.test->function(session_, subject, arguments);
}

Outcome<Value> Evaluator::value_of(const SignNode& node) {
  return with_sign(node.sign, TRY(evaluate(*node.operand)));
}

Outcome<Value> Evaluator::value_of(const NotNode& node) {
  return Value(!truth(TRY(evaluate(*node.operand))));
}

Outcome<Value> Evaluator::value_of(const ChainNode& node) {
  Value value = TRY(evaluate(*node.first));
  for (const auto& [operation, operand_node] : node.rest) {
    const Value operand = TRY(evaluate(*operand_node));
    value = TRY(operate(session_, operation, value, operand));
  }
  return value;
}

Outcome<Value> Evaluator::value_of(const ConcatNode& node) {
  TextBuilder builder;
  const bool is_markup = session_.is_autoescaping();
  for (const Expression* part : node.parts) {
    const Value value = TRY(evaluate(*part));
    const Text text = TRY(printed(session_, value));
    TRY(session_.spend_bytes(text.size()));
    TRY(session_.check_bytes(builder.size() + text.size()));
    builder.append(is_markup ? escaped(text) : text);
  }
  return Value(builder.take().as_markup(is_markup));
}

Outcome<bool> Evaluator::compare(Comparison comparison, const Value& a, const Value& b) {
  TRY(session_.spend(std::min(a.extent().weight, b.extent().weight)));
  switch (comparison) {
    case Comparison::eq: return equal(a, b);
    case Comparison::ne: return !equal(a, b);
    case Comparison::lt: return ordered(Order::less, a, b);
    case Comparison::lteq: return ordered(Order::at_most, a, b);
    case Comparison::gt: return ordered(Order::greater, a, b);
    case Comparison::gteq: return ordered(Order::at_least, a, b);
    case Comparison::in:
    case Comparison::not_in: break;
  }
  const bool is_in = TRY(contains(session_, b, a));
  return is_in == (comparison == Comparison::in);
}

Outcome<Value> Evaluator::value_of(const CompareNode& node) {
  Value left = TRY(evaluate(*node.first));
  for (const auto& [comparison, operand] : node.rest) {
    Value right = TRY(evaluate(*operand));
    if (!TRY(compare(comparison, left, right))) return Value(false);
    left = std::move(right);
  }
  return Value(true);
}

Outcome<Value> Evaluator::value_of(const LogicNode& node) {
  Value value;
  for (const Expression* part : node.parts) {
    value = TRY(evaluate(*part));
    if (truth(value) == node.stop) break;
  }
  return value;
}

Outcome<Value> Evaluator::value_of(const ConditionNode& node) {
  if (truth(TRY(evaluate(*node.test)))) return evaluate(*node.then);
  if (node.otherwise != nullptr) return evaluate(*node.otherwise);
  return make_undefined(
      "the inline if-expression evaluated to false and no else section was "
      "defined.");
}

}  // namespace zhuzi::jinja
