// Operators: arithmetic on numbers, + and * on strings and rows, % for formatting.
//
// Integers have 64 bits; a result that does not fit is an OverflowError. A result has the origin of
// the operand that came from the context.
#pragma once

#include "text/internal/jinja_ast.h"
#include "text/internal/jinja_session.h"
#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

/// Error: TypeError, ZeroDivisionError, OverflowError, UndefinedError.
[[nodiscard]] Outcome<Value> operate(Session& session, Operation operation, const Value& a,
                                     const Value& b);

[[nodiscard]] Outcome<Value> with_sign(Sign sign, const Value& value);

}  // namespace zhuzi::jinja
