// Printing: str() and repr() of every value, HTML escapes, Python's spelling of floats.
//
// Place in the journey: whatever a template prints, joins or concatenates goes through `printed`.
// Marks: a string keeps its own; numbers, quotes and brackets have the origin of their value.
#pragma once

#include <string>
#include <string_view>

#include "text/internal/jinja_session.h"
#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

/// str(value); undefined prints nothing.
[[nodiscard]] Outcome<Text> printed(Session& session, const Value& value);
/// repr(value).
[[nodiscard]] Outcome<Text> represented(Session& session, const Value& value);

/// repr of a float: the shortest digits that read back the same.
[[nodiscard]] std::string python_real(double value);
/// repr of a string, as error messages have it.
[[nodiscard]] std::string quoted_python(std::string_view utf8);

/// `&<>"'` as entities, unless the text is markup already; the result is markup.
[[nodiscard]] Text escaped(const Text& text);
/// The same for what is markup already.
[[nodiscard]] Text escaped_again(const Text& text);

}  // namespace zhuzi::jinja
