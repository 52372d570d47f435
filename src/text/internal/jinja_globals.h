// The names that every template knows: range, namespace, raise_exception and the like.
#pragma once

#include <optional>
#include <string_view>

#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

[[nodiscard]] std::optional<Value> find_global(std::string_view name);

}  // namespace zhuzi::jinja
