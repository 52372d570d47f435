// One field of a formatted text: what `%05.2f` or `{:>5}` ask for, and how it is done.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "text/internal/jinja_session.h"
#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

struct FormatSpec {
  /// Beyond it a field is refused: no text needs it, and a float would be that long.
  static constexpr std::int64_t precision_max = 1'000;

  OriginId origin = template_origin;  ///< Of the pattern, whose fill and digits count are used.
  std::string_view fill = " ";
  char alignment = 0;  ///< `<`, `>`, `^`, `=` (behind the sign); 0 is the type's own.
  char sign = '-';     ///< `+` and ` ` show one for positive numbers too.
  bool is_alternate = false;
  char grouping = 0;  ///< `,` or `_` between thousands.
  std::int64_t width = 0;
  std::optional<std::int64_t> precision = {};
  char type = 0;
};

/// The spec of str.format, such as `*^10,.2f`. Error: ValueError.
[[nodiscard]] Outcome<FormatSpec> parse_format_spec(std::string_view spec);

/// Cut to the precision and padded to the width.
[[nodiscard]] Outcome<Text> format_text(Session& session, const Text& text, const FormatSpec& spec);
[[nodiscard]] Outcome<Text> format_integer(Session& session, std::int64_t value,
                                           const FormatSpec& spec, OriginId origin);
[[nodiscard]] Outcome<Text> format_real(Session& session, double value, const FormatSpec& spec,
                                        OriginId origin);

}  // namespace zhuzi::jinja
