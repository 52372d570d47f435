// What Jinja's compiler refuses although the grammar allows it: unknown filters and tests outside
// of conditions, and break and continue outside of loops.
#pragma once

#include "text/internal/jinja_ast.h"
#include "text/internal/jinja_fault.h"

namespace zhuzi::jinja {

/// Inside an {% if %} or `a if b else c` an unknown filter is an error only when it is reached.
[[nodiscard]] Done check_program(const Program& program);

}  // namespace zhuzi::jinja
