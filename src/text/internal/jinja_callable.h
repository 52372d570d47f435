// Callable: a value that can be called, and how arguments reach it.
//
// Place in the journey: globals, methods bound to their receiver, and macros with the frame they
// were defined in. Filters and tests take their arguments the same way, but are no values.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "text/internal/jinja_session.h"
#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

struct Frame;
struct MacroNode;

/// The name is a Text, since `**dict` can take it from the context.
struct NamedArgument {
  Text name;
  Value value;
};

struct Arguments {
  std::vector<Value> positional = {};
  std::vector<NamedArgument> named = {};
};

[[nodiscard]] const Value* find_named(const Arguments& arguments, std::string_view name);
/// The named arguments as a dict's entries.
[[nodiscard]] std::vector<Dict::Entry> entries_of_named(const Arguments& arguments);

/// A filter, a test, a method or a global: what is applied to `subject` (none for a global).
using Function = Outcome<Value> (*)(Session& session, const Value& subject,
                                    const Arguments& arguments);

struct NamedFunction {
  std::string_view name;
  Function function = nullptr;
};

/// The entry of a table that is sorted by name, or nullptr.
[[nodiscard]] const NamedFunction* find_function(std::span<const NamedFunction> table,
                                                 std::string_view name);

struct Method {
  Value receiver;
  const NamedFunction* entry = nullptr;
};
struct Global {
  const NamedFunction* entry = nullptr;
  std::string_view type_name = "function";
};
struct Macro {
  std::string_view name = {};  ///< Empty for the body of a {% call %}.
  const MacroNode* node = nullptr;
  Frame* frame = nullptr;  ///< Where it was defined; lives as long as the render.
};

struct Callable {
  std::variant<Method, Global, Macro> data;
  Extent extent = {};
  [[nodiscard]] std::string_view type_name() const;
};

[[nodiscard]] Outcome<Value> make_method(const Value& receiver, const NamedFunction* entry);

/// Puts arguments in the order of `names`; nullptr where one is missing. Error: TypeError for one
/// too many, an unknown name, or fewer than `required`.
[[nodiscard]] Done bind_into(std::span<const Value*> places, const Arguments& arguments,
                             std::string_view function, std::span<const std::string_view> names,
                             std::size_t required);

template <std::size_t N>
[[nodiscard]] Outcome<std::array<const Value*, N>> bind(const Arguments& arguments,
                                                        std::string_view function,
                                                        const std::string_view (&names)[N],
                                                        std::size_t required = 0) {
  std::array<const Value*, N> places{};
  TRY(bind_into(places, arguments, function, names, required));
  return places;
}

[[nodiscard]] Done expect_no_arguments(const Arguments& arguments, std::string_view function);

/// `fallback` where the argument is missing. Error: TypeError, UndefinedError.
[[nodiscard]] Outcome<std::int64_t> integer_or(const Value* argument, std::int64_t fallback);
[[nodiscard]] bool truth_or(const Value* argument, bool fallback);

}  // namespace zhuzi::jinja
