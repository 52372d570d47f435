// The tests: `subject is name(arguments)`.
#pragma once

#include <string_view>

#include "text/internal/jinja_callable.h"

namespace zhuzi::jinja {

/// nullptr when there is none. A test's value is a bool, or what Python would take for one.
[[nodiscard]] const NamedFunction* find_test(std::string_view name);

}  // namespace zhuzi::jinja
