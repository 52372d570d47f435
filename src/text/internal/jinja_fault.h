// Fault and Outcome: how the template engine says that a template cannot go on.
//
// Place in the journey: every function of the engine that a template or its context can make fail
// returns an Outcome. The fault is a pointer, so that an Outcome is hardly larger than its value.
//
// Invariant: a fault's type is the name of the class that Python would raise; its line is 0 until
// the statement that was running is known.
#pragma once

#include <fmt/format.h>

#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "text/chat_template.h"

namespace zhuzi::jinja {

using Fault = std::unique_ptr<TemplateFault>;

template <typename T>
using Outcome = std::expected<T, Fault>;
using Done = Outcome<void>;

namespace python {
inline constexpr std::string_view index_error = "IndexError";
inline constexpr std::string_view memory_error = "MemoryError";
inline constexpr std::string_view overflow_error = "OverflowError";
inline constexpr std::string_view recursion_error = "RecursionError";
inline constexpr std::string_view runtime_error = "TemplateRuntimeError";
inline constexpr std::string_view security_error = "SecurityError";
inline constexpr std::string_view syntax_error = "TemplateSyntaxError";
inline constexpr std::string_view timeout_error = "TimeoutError";
inline constexpr std::string_view type_error = "TypeError";
inline constexpr std::string_view undefined_error = "UndefinedError";
inline constexpr std::string_view value_error = "ValueError";
inline constexpr std::string_view zero_division_error = "ZeroDivisionError";
}  // namespace python

/// `return raise(python::type_error, "'{}' object is not iterable", name);`
template <typename... Arguments>
[[nodiscard]] std::unexpected<Fault> raise(std::string_view type,
                                           fmt::format_string<Arguments...> text,
                                           Arguments&&... arguments) {
  return std::unexpected(std::make_unique<TemplateFault>(
      TemplateFault{.type = std::string(type),
                    .message = fmt::format(text, std::forward<Arguments>(arguments)...)}));
}

/// Python's integers have no limit; here they have 64 bits, and a larger one is no other number.
[[nodiscard]] inline std::unexpected<Fault> integer_overflow() {
  return raise(python::overflow_error, "an integer of more than 64 bits");
}

}  // namespace zhuzi::jinja
