// The parser: template source to a Program.
//
// Place in the journey: called once for a model's template. Grammar and precedence are Jinja2's,
// with its messages; recursion is bounded by `depth_max`, which no real template comes near.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "text/internal/jinja_ast.h"
#include "text/internal/jinja_fault.h"

namespace zhuzi::jinja {

inline constexpr std::size_t template_bytes_max = std::size_t{4} << 20;

[[nodiscard]] Outcome<std::unique_ptr<Program>> parse_template(std::string_view source);

}  // namespace zhuzi::jinja
