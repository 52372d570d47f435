// Attributes and subscripts: `x.name`, `x[index]`, `x[start:stop:step]`, as Jinja's sandbox allows.
//
// `x.name` looks for a member first, then for an item; `x['name']` the other way round. What is not
// there is undefined. What exists and could change a value or reach into Python is undefined too,
// and says so when it is used.
#pragma once

#include <string_view>

#include "text/internal/jinja_session.h"
#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

/// `name` is a string. Error: UndefinedError when the object is undefined.
[[nodiscard]] Outcome<Value> attribute(const Value& object, const Value& name);
[[nodiscard]] Outcome<Value> subscript(Session& session, const Value& object, const Value& index);

/// Each is an integer or none.
struct SliceParts {
  Value start = {};
  Value stop = {};
  Value step = {};
};
[[nodiscard]] Outcome<Value> slice_value(Session& session, const Value& object,
                                         const SliceParts& parts);

/// Error: SecurityError for a name that begins with an underscore.
[[nodiscard]] Done check_field_name(std::string_view name);

}  // namespace zhuzi::jinja
