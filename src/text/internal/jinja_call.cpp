// Calls: how arguments are put together, and how macros and recursive loops run.
#include <algorithm>
#include <optional>

#include "text/internal/jinja_attribute.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_evaluator.h"
#include "text/internal/jinja_iterate.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

/// Removes the argument of this name.
std::optional<Value> take_named(Arguments& arguments, std::string_view name) {
  const auto found = std::ranges::find_if(
      arguments.named, [&](const NamedArgument& one) { return one.name.bytes() == name; });
  if (found == arguments.named.end()) return std::nullopt;
  Value value = std::move(found->value);
  arguments.named.erase(found);
  return value;
}

}  // namespace

Outcome<Arguments> Evaluator::arguments_of(const ArgumentNodes& nodes) {
  Arguments arguments;
  arguments.positional = TRY(values_of(nodes.positional));
  for (const auto& [name, value] : nodes.named) {
    arguments.named.push_back({.name = *name.string(), .value = TRY(evaluate(*value))});
  }
  if (nodes.more_positional != nullptr) {
    const Value row = TRY(evaluate(*nodes.more_positional));
    for (Value& item : TRY(items_of(session_, row))) {
      arguments.positional.push_back(std::move(item));
    }
  }
  if (nodes.more_named != nullptr) {
    const Value value = TRY(evaluate(*nodes.more_named));
    const Dict* dict = value.dict();
    if (dict == nullptr) {
      return raise(python::type_error, "argument after ** must be a mapping, not {}",
                   value.type_name());
    }
    TRY(session_.spend(dict->entries().size()));
    for (const Dict::Entry& entry : dict->entries()) {
      if (entry.key.string() == nullptr) {
        return raise(python::type_error, "keywords must be strings");
      }
      arguments.named.push_back({.name = *entry.key.string(), .value = entry.value});
    }
  }
  return arguments;
}

Outcome<Value> Evaluator::call(const Value& callee, Arguments arguments) {
  TRY(check_defined(callee));
  if (const Callable* callable = callee.callable()) {
    if (const auto* macro = std::get_if<Macro>(&callable->data)) {
      return call_macro(*macro, std::move(arguments));
    }
    if (const auto* method = std::get_if<Method>(&callable->data)) {
      return method->entry->function(session_, method->receiver, arguments);
    }
    return std::get<Global>(callable->data).entry->function(session_, Value(), arguments);
  }
  if (Joiner* joiner = callee.joiner()) {
    TRY(expect_no_arguments(arguments, "joiner"));
    return std::exchange(joiner->is_used, true) ? joiner->separator : Value(std::string());
  }
  if (const Loop* loop = callee.loop()) return call_loop(*loop, arguments);
  return raise(python::type_error, "'{}' object is not callable", callee.type_name());
}

Outcome<Value> Evaluator::make_macro(const MacroNode& node) {
  TRY(session_.spend(steps_of_object));
  FrameStore::capture(frame_);
  return Value(std::make_shared<const Callable>(
      Callable{.data = Macro{.name = node.name, .node = &node, .frame = frame_}}));
}

Outcome<Value> Evaluator::call_macro(const Macro& macro, Arguments arguments) {
  const Nesting nesting(call_depth_);
  if (call_depth_ > session_.limits().depth_max) {
    return raise(python::recursion_error, "maximum recursion depth exceeded");
  }
  TRY(session_.spend(arguments.named.size() * (1 + macro.node->parameters.size())));
  const Scope scope(*this, macro.frame);
  TRY(bind_parameters(*macro.node, arguments));
  return Value(TRY(capture(macro.node->body)).text);
}

Done Evaluator::bind_parameters(const MacroNode& node, Arguments& arguments) {
  const std::size_t given = std::min(arguments.positional.size(), node.parameters.size());
  for (std::size_t i = 0; i < given; ++i) {
    frame_->set(node.parameters[i].name, arguments.positional[i]);
  }
  // All values first: a fallback may name a later parameter, which is then undefined.
  for (std::size_t i = given; i < node.parameters.size(); ++i) {
    const NameId name = node.parameters[i].name;
    if (auto value = take_named(arguments, program_.name_of(name))) {
      frame_->set(name, *std::move(value));
    }
  }
  TRY(bind_caller(node, arguments));
  TRY(bind_rest(node, arguments));
  for (std::size_t i = given; i < node.parameters.size(); ++i) {
    const Parameter& parameter = node.parameters[i];
    if (frame_->find(parameter.name) != nullptr) continue;
    const std::string& name = program_.name_of(parameter.name);
    frame_->set(parameter.name, parameter.fallback != nullptr
                                    ? TRY(evaluate(*parameter.fallback))
                                    : make_undefined("parameter '" + name + "' was not provided"));
  }
  return {};
}

Done Evaluator::bind_caller(const MacroNode& node, Arguments& arguments) {
  const bool is_parameter = std::ranges::any_of(
      node.parameters, [&](const Parameter& one) { return one.name == program_.caller_name; });
  if (!node.takes_caller || is_parameter) return {};
  auto caller = take_named(arguments, "caller");
  frame_->set(program_.caller_name,
              caller ? *std::move(caller) : make_undefined("No caller defined"));
  return {};
}

Done Evaluator::bind_rest(const MacroNode& node, const Arguments& arguments) {
  if (node.takes_kwargs) {
    frame_->set(program_.kwargs_name, TRY(make_dict(entries_of_named(arguments))));
  } else if (!arguments.named.empty()) {
    return raise(python::type_error, "macro '{}' takes no keyword argument '{}'", node.name,
                 arguments.named.front().name.bytes());
  }
  const std::size_t taken = std::min(node.parameters.size(), arguments.positional.size());
  if (node.takes_varargs) {
    frame_->set(program_.varargs_name,
                TRY(make_tuple({arguments.positional.begin() + static_cast<std::ptrdiff_t>(taken),
                                arguments.positional.end()})));
  } else if (arguments.positional.size() > taken) {
    return raise(python::type_error, "macro '{}' takes not more than {} argument(s)", node.name,
                 node.parameters.size());
  }
  return {};
}

Outcome<Value> Evaluator::call_loop(const Loop& loop, const Arguments& arguments) {
  if (loop.recursive == nullptr) {
    return raise(python::type_error,
                 "The loop must have the 'recursive' marker to be called recursively.");
  }
  const auto [items] = TRY(bind(arguments, "loop", {"iterable"}, 1));
  const Nesting nesting(call_depth_);
  if (call_depth_ > session_.limits().depth_max) {
    return raise(python::recursion_error, "maximum recursion depth exceeded");
  }
  TextBuilder captured;
  TextBuilder* const outer = std::exchange(output_, &captured);
  Step step = run_loop(*loop.recursive, *items, {.outer = loop.outer, .depth = loop.depth + 1});
  output_ = outer;
  if (!step) return std::unexpected(std::move(step.error()));
  return Value(captured.take().as_markup(session_.is_autoescaping()));
}

}  // namespace zhuzi::jinja
