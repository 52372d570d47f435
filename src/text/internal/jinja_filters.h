// The filters: `subject | name(arguments)`.
//
// Place in the journey: found by name when a template is parsed, or by `map`. They stand in three
// files by what they are about; each has a table sorted by name.
#pragma once

#include <span>
#include <string_view>

#include "text/internal/jinja_callable.h"

namespace zhuzi::jinja {

/// nullptr when there is none.
[[nodiscard]] const NamedFunction* find_filter(std::string_view name);

// jinja_filters_text.cpp, jinja_filters_layout.cpp, jinja_filters_value.cpp,
// jinja_filters_row.cpp, jinja_filters_select.cpp, jinja_json.cpp
[[nodiscard]] std::span<const NamedFunction> text_filters();
[[nodiscard]] std::span<const NamedFunction> layout_filters();
[[nodiscard]] std::span<const NamedFunction> value_filters();
[[nodiscard]] std::span<const NamedFunction> row_filters();
[[nodiscard]] std::span<const NamedFunction> select_filters();
[[nodiscard]] std::span<const NamedFunction> json_filters();

}  // namespace zhuzi::jinja
