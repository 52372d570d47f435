// Members: see the header.
#include "text/internal/jinja_member.h"

#include <algorithm>

#include "text/internal/jinja_ast.h"
#include "text/internal/jinja_frame.h"
#include "text/internal/jinja_print.h"

namespace zhuzi::jinja {
namespace {

using Found = std::optional<Value>;

Value forbidden(const Value& object, std::string_view name) {
  return Value(std::make_shared<const Undefined>(
      Undefined{.message = fmt::format("access to attribute {} of '{}' object is unsafe.",
                                       quoted_python(name), object.type_name()),
                .is_unsafe = true}));
}

/// Methods that would change a list or a dict.
bool is_mutator(const Value& object, std::string_view name) {
  static constexpr std::string_view of_list[] = {"append", "clear",  "extend",  "insert",
                                                 "pop",    "remove", "reverse", "sort"};
  static constexpr std::string_view of_dict[] = {"clear", "pop", "popitem", "setdefault", "update"};
  const Sequence* row = object.sequence();
  if (row != nullptr && row->is_list()) {
    return std::ranges::find(of_list, name) != std::end(of_list);
  }
  return object.dict() != nullptr && std::ranges::find(of_dict, name) != std::end(of_dict);
}

Found loop_property(const Loop& loop, std::string_view name) {
  const auto number = [](std::size_t value) { return Value(static_cast<std::int64_t>(value)); };
  const std::size_t count = loop.count;
  if (name == "index") return number(loop.index + 1);
  if (name == "index0") return number(loop.index);
  if (name == "revindex") return number(count - loop.index);
  if (name == "revindex0") return number(count - loop.index - 1);
  if (name == "first") return Value(loop.index == 0);
  if (name == "last") return Value(loop.index + 1 >= count);
  if (name == "length") return number(count);
  if (name == "depth") return number(loop.depth + 1);
  if (name == "depth0") return number(loop.depth);
  if (name == "previtem") {
    const bool is_there = loop.index > 0 && loop.index <= loop.items.size();
    return is_there ? loop.items[loop.index - 1] : make_undefined("there is no previous item");
  }
  if (name == "nextitem") {
    const bool is_there = loop.index + 1 < loop.items.size();
    return is_there ? loop.items[loop.index + 1] : make_undefined("there is no next item");
  }
  return std::nullopt;
}

Found macro_property(const Macro& macro, std::string_view name) {
  const MacroNode& node = *macro.node;
  if (name == "name") return Value(node.name);
  if (name == "arguments") return node.parameter_names;
  if (name == "catch_kwargs") return Value(node.takes_kwargs);
  if (name == "catch_varargs") return Value(node.takes_varargs);
  if (name == "caller") return Value(node.takes_caller);
  return std::nullopt;
}

Found property(const Value& object, std::string_view name) {
  if (const Namespace* space = object.name_space()) {
    const Value* field = space->find(name);
    return field != nullptr ? Found(*field) : std::nullopt;
  }
  if (const Loop* loop = object.loop()) return loop_property(*loop, name);
  if (const Cycler* cycler = object.cycler(); cycler != nullptr && name == "current") {
    return cycler->items[cycler->position];
  }
  const Sequence* row = object.sequence();
  if (row != nullptr && row->kind == Sequence::Kind::group) {
    if (name == "grouper") return row->items[0];
    if (name == "list") return row->items[1];
  }
  if (const Callable* callable = object.callable()) {
    const auto* macro = std::get_if<Macro>(&callable->data);
    if (macro != nullptr) return macro_property(*macro, name);
  }
  return std::nullopt;
}

std::span<const NamedFunction> methods_of(const Value& object, std::string_view name) {
  if (object.string() != nullptr) {
    return name.starts_with("is") ? text_predicates() : text_methods();
  }
  if (object.dict() != nullptr) return dict_methods();
  if (object.range() != nullptr) return tuple_methods();
  if (object.cycler() != nullptr) return cycler_methods();
  if (object.loop() != nullptr) return loop_methods();
  if (const Sequence* row = object.sequence()) {
    if (row->is_list()) return list_methods();
    if (row->is_tuple()) return tuple_methods();
  }
  if (const Callable* callable = object.callable()) {
    const auto* global = std::get_if<Global>(&callable->data);
    if (global != nullptr && global->entry->name == "dict") return dict_class_methods();
  }
  return {};
}

}  // namespace

Outcome<std::optional<Value>> member(const Value& object, std::string_view name) {
  if (Found found = property(object, name)) return found;
  if (const NamedFunction* entry = find_function(methods_of(object, name), name)) {
    return TRY(make_method(object, entry));
  }
  const bool is_internal = name.starts_with("__") && name.ends_with("__");
  if (is_internal || is_mutator(object, name)) return forbidden(object, name);
  return std::nullopt;
}

}  // namespace zhuzi::jinja
