// What an undefined value says when something is asked of it that it cannot do.
#pragma once

#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

/// UndefinedError, or SecurityError where the attribute exists and is forbidden.
[[nodiscard]] inline std::unexpected<Fault> undefined_fault(const Value& undefined) {
  const Undefined& what = *undefined.undefined();
  return raise(what.is_unsafe ? python::security_error : python::undefined_error, "{}",
               what.message);
}

/// `value`, unless it is undefined.
[[nodiscard]] inline Done check_defined(const Value& value) {
  if (value.is_undefined()) return undefined_fault(value);
  return {};
}

}  // namespace zhuzi::jinja
