// Unicode general categories, for the splitters.
//
// Place in the journey: where text is cut into words before BPE. The data is Unicode 16.0.0, part
// of the source (unicode_tables.cpp): which version a distribution ships must not change an answer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace zhuzi::internal {

/// In the order that tools/fixtures/unicode/unicode_tables.py writes.
// clang-format off
enum class Category : std::uint8_t {
  Lu, Ll, Lt, Lm, Lo,          // letters
  Mn, Mc, Me,                  // marks
  Nd, Nl, No,                  // numbers
  Pc, Pd, Ps, Pe, Pi, Pf, Po,  // punctuation
  Sm, Sc, Sk, So,              // symbols
  Zs, Zl, Zp,                  // separators
  Cc, Cf, Cs, Co, Cn,          // control, format, surrogate, private use, unassigned
};
// clang-format on

inline constexpr std::size_t category_stretch_count = 4099;
/// First code point << 5 | category, ascending; the last stretch ends with U+10FFFF.
extern const std::array<std::uint32_t, category_stretch_count> category_stretches;

/// Of a code point up to U+10FFFF.
[[nodiscard]] Category category_of(char32_t code_point);

[[nodiscard]] constexpr bool is_letter(Category category) { return category <= Category::Lo; }
[[nodiscard]] constexpr bool is_number(Category category) {
  return category >= Category::Nd && category <= Category::No;
}

/// The property White_Space, which is `\s` of the patterns that models ship: the separators, and
/// the controls U+0009 to U+000D and U+0085.
[[nodiscard]] constexpr bool is_white_space(char32_t code_point, Category category) {
  if (category >= Category::Zs && category <= Category::Zp) return true;
  return (code_point >= 0x09 && code_point <= 0x0D) || code_point == 0x85;
}

}  // namespace zhuzi::internal
