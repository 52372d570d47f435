// Statements: what each one writes and sets.
#include "text/internal/jinja_attribute.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_evaluator.h"
#include "text/internal/jinja_iterate.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {

Outcome<Text> Evaluator::run() {
  TRY(execute(program_.body));
  return document_.take();
}

Evaluator::Step Evaluator::execute(const Body& body) {
  for (const Statement* statement : body) {
    const Flow flow = TRY(execute(*statement));
    if (flow != Flow::go_on) return flow;
  }
  return Flow::go_on;
}

Evaluator::Step Evaluator::execute(const Statement& statement) {
  const Nesting nesting(node_depth_);
  Step step = Flow::go_on;
  if (Done paid = session_.spend(1); !paid) {
    step = std::unexpected(std::move(paid.error()));
  } else {
    step = std::visit([&](const auto& node) { return run_node(node); }, statement.data);
  }
  if (!step && step.error()->line == 0) step.error()->line = statement.line;
  return step;
}

Done Evaluator::emit(const Text& text) {
  TRY(session_.spend_bytes(text.size()));
  TRY(session_.check_bytes(output_->size() + text.size()));
  output_->append(text);
  return {};
}

Done Evaluator::print(const Value& value) {
  if (const Text* text = value.string()) {
    if (!session_.is_autoescaping()) return emit(*text);
  }
  const Text text = TRY(printed(session_, value));
  return emit(session_.is_autoescaping() ? escaped(text) : text);
}

Outcome<Evaluator::Captured> Evaluator::capture(const Body& body) {
  TextBuilder captured;
  TextBuilder* const outer = std::exchange(output_, &captured);
  Step flow = execute(body);
  output_ = outer;
  if (!flow) return std::unexpected(std::move(flow.error()));
  return Captured{.text = captured.take().as_markup(session_.is_autoescaping()), .flow = *flow};
}

Evaluator::Step Evaluator::run_node(const DataNode& node) {
  TRY(emit(*node.text.string()));
  return Flow::go_on;
}

Evaluator::Step Evaluator::run_node(const PrintNode& node) {
  const Value value = TRY(evaluate(*node.value));
  TRY(print(value));
  return Flow::go_on;
}

Evaluator::Step Evaluator::run_node(const SetNode& node) {
  const Value value = TRY(evaluate(*node.value));
  TRY(assign(node.target, value));
  return Flow::go_on;
}

Evaluator::Step Evaluator::run_node(const SetBlockNode& node) {
  Captured captured;
  {
    const Scope scope(*this);
    captured = TRY(capture(node.body));
  }
  Value value(std::move(captured.text));
  if (node.filter != nullptr) value = TRY(apply_chain(*node.filter, value));
  TRY(assign(node.target, value));
  return captured.flow;
}

Evaluator::Step Evaluator::run_node(const FilterBlockNode& node) {
  const Scope scope(*this);
  Captured captured = TRY(capture(node.body));
  const Value value = TRY(apply_chain(*node.filter, Value(std::move(captured.text))));
  TRY(print(value));
  return captured.flow;
}

Outcome<Value> Evaluator::apply_chain(const Expression& chain, const Value& subject) {
  const auto& node = std::get<FilterNode>(chain.data);
  if (node.subject == nullptr) return apply_filter(node, subject);
  return apply_filter(node, TRY(apply_chain(*node.subject, subject)));
}

Evaluator::Step Evaluator::run_node(const IfNode& node) {
  for (const IfNode::Branch& branch : node.branches) {
    auto test = evaluate(*branch.test);
    if (!test) {
      if (test.error()->line == 0) test.error()->line = branch.line;
      return std::unexpected(std::move(test.error()));
    }
    if (truth(*test)) return execute(branch.body);
  }
  return execute(node.otherwise);
}

Evaluator::Step Evaluator::run_node(const ForNode& node) {
  const Value items = TRY(evaluate(*node.items));
  return run_loop(node, items, {.outer = frame_, .depth = 0});
}

Outcome<std::vector<Value>> Evaluator::loop_items(const ForNode& node, const Value& items) {
  std::vector<Value> all = TRY(items_of(session_, items));
  if (node.test == nullptr) return all;
  std::vector<Value> kept;
  for (Value& item : all) {
    const Scope scope(*this);
    TRY(assign(node.target, item));
    if (truth(TRY(evaluate(*node.test)))) kept.push_back(std::move(item));
  }
  return kept;
}

Evaluator::Step Evaluator::run_loop(const ForNode& node, const Value& items, LoopPlace place) {
  TRY(session_.spend(steps_of_object));
  const NameId loop_name = program_.loop_name;
  Loop* loop = session_.frames().make_loop();
  loop->items = TRY(loop_items(node, items));
  loop->count = loop->items.size();
  loop->depth = place.depth;
  loop->outer = place.outer;
  loop->recursive = node.is_recursive ? &node : nullptr;
  bool has_finished_round = false;
  for (; loop->index < loop->count; ++loop->index) {
    TRY(session_.spend(1));
    const Scope scope(*this, place.outer);
    frame_->set(loop_name, Value(loop));
    TRY(assign(node.target, loop->items[loop->index]));
    const Flow flow = TRY(execute(node.body));
    if (flow == Flow::break_loop) break;
    if (flow == Flow::go_on) has_finished_round = true;
  }
  loop->items = {};
  if (has_finished_round) return Flow::go_on;
  const Scope scope(*this, place.outer);
  return execute(node.otherwise);
}

Done Evaluator::assign(const Target& target, const Value& value) {
  if (const auto* name = std::get_if<NameTarget>(&target.data)) {
    TRY(session_.spend(frame_->cost()));
    frame_->set(name->name, value);
    return {};
  }
  if (const auto* row = std::get_if<RowTarget>(&target.data)) return assign_row(*row, value);
  return assign_field(std::get<FieldTarget>(target.data), value);
}

Done Evaluator::assign_row(const RowTarget& target, const Value& value) {
  if (!is_iterable(value)) {
    return raise(python::type_error, "cannot unpack non-iterable {} object", value.type_name());
  }
  const std::vector<Value> items = TRY(items_of(session_, value));
  const std::size_t expected = target.targets.size();
  if (items.size() > expected) {
    return raise(python::value_error, "too many values to unpack (expected {})", expected);
  }
  if (items.size() < expected) {
    return raise(python::value_error, "not enough values to unpack (expected {}, got {})", expected,
                 items.size());
  }
  for (std::size_t i = 0; i < expected; ++i) TRY(assign(target.targets[i], items[i]));
  return {};
}

Done Evaluator::assign_field(const FieldTarget& target, const Value& value) {
  Namespace* space = TRY(lookup(target.name)).name_space();
  if (space == nullptr) {
    return raise(python::runtime_error, "cannot assign attribute on non-namespace object");
  }
  TRY(check_field_name(target.field));
  TRY(session_.spend(space->cost()));
  space->set(Text(target.field), value);
  return {};
}

Evaluator::Step Evaluator::run_node(const MacroNode& node) {
  frame_->set(node.target, TRY(make_macro(node)));
  return Flow::go_on;
}

Evaluator::Step Evaluator::run_node(const CallBlockNode& node) {
  const auto& call_node = std::get<CallNode>(node.call->data);
  const Value callee = TRY(evaluate(*call_node.callee));
  Arguments arguments = TRY(arguments_of(call_node.arguments));
  arguments.named.push_back({.name = Text("caller"), .value = TRY(make_macro(node.caller))});
  const Value value = TRY(call(callee, std::move(arguments)));
  TRY(print(value));
  return Flow::go_on;
}

Evaluator::Step Evaluator::run_node(const WithNode& node) {
  std::vector<Value> values;
  for (const auto& [target, value] : node.variables) values.push_back(TRY(evaluate(*value)));
  const Scope scope(*this);
  for (std::size_t i = 0; i < values.size(); ++i) {
    TRY(assign(node.variables[i].first, values[i]));
  }
  return execute(node.body);
}

Evaluator::Step Evaluator::run_node(const GenerationNode& node) {
  const Scope scope(*this);
  const Captured captured = TRY(capture(node.body));
  TRY(session_.spend_bytes(captured.text.size()));
  TRY(session_.check_bytes(output_->size() + captured.text.size()));
  output_->append_as_generation(captured.text);
  return Flow::go_on;
}

Evaluator::Step Evaluator::run_node(const BlockNode& node) {
  const Scope scope(*this, node.is_scoped ? frame_ : root_);
  TRY(execute(node.body));
  return Flow::go_on;
}

Evaluator::Step Evaluator::run_node(const AutoescapeNode& node) {
  const Scope scope(*this);
  const bool outer = session_.is_autoescaping();
  session_.set_autoescaping(truth(TRY(evaluate(*node.value))));
  Step step = execute(node.body);
  session_.set_autoescaping(outer);
  return step;
}

Evaluator::Step Evaluator::run_node(const BreakNode&) { return Flow::break_loop; }
Evaluator::Step Evaluator::run_node(const ContinueNode&) { return Flow::continue_loop; }

Evaluator::Step Evaluator::run_node(const LoadNode&) {
  return raise(python::type_error, "no loader for this environment specified");
}

}  // namespace zhuzi::jinja
