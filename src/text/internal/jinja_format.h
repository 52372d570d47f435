// Formatting: Python's `pattern % values` and `pattern.format(...)`.
#pragma once

#include <optional>
#include <string_view>

#include "text/internal/jinja_callable.h"
#include "text/internal/jinja_session.h"
#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

/// `values` is a tuple, a dict for %(name)s, or one value. Error: TypeError, ValueError, KeyError.
[[nodiscard]] Outcome<Value> percent_formatted(Session& session, const Text& pattern,
                                               const Value& values);

/// str.format. Error: IndexError, KeyError, ValueError.
[[nodiscard]] Outcome<Value> brace_formatted(Session& session, const Text& pattern,
                                             const Arguments& arguments);

}  // namespace zhuzi::jinja
