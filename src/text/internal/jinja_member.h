// Members: what Python's getattr finds on a value, apart from items.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "text/internal/jinja_callable.h"
#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

/// A field, a property or a method bound to the object; empty when there is none. What the sandbox
/// forbids is an undefined value that says so when it is used.
[[nodiscard]] Outcome<std::optional<Value>> member(const Value& object, std::string_view name);

// The methods of each type, sorted by name (jinja_text_methods.cpp, jinja_text_predicates.cpp,
// jinja_methods.cpp). Those of strings that begin with `is` are the predicates.
[[nodiscard]] std::span<const NamedFunction> text_methods();
[[nodiscard]] std::span<const NamedFunction> text_predicates();
[[nodiscard]] std::span<const NamedFunction> dict_methods();
[[nodiscard]] std::span<const NamedFunction> list_methods();
[[nodiscard]] std::span<const NamedFunction> tuple_methods();
[[nodiscard]] std::span<const NamedFunction> cycler_methods();
[[nodiscard]] std::span<const NamedFunction> loop_methods();
/// Of the global `dict`.
[[nodiscard]] std::span<const NamedFunction> dict_class_methods();

}  // namespace zhuzi::jinja
