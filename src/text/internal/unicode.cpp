// A code point's stretch is found by a binary search among those that reach into its page of 256
// code points: for most scripts of many letters that is one.
#include "text/internal/unicode.h"

#include <algorithm>

#include "base/check.h"

namespace zhuzi::internal {
namespace {

constexpr std::size_t page_count = 0x110000 / 256;

/// For each page the index of the stretch that its first code point is in; one more at the end.
using Pages = std::array<std::uint16_t, page_count + 1>;

Pages make_pages() {
  Pages pages{};
  std::size_t stretch = 0;
  for (std::size_t page = 0; page < page_count; ++page) {
    const std::size_t first = page * 256;
    while (stretch + 1 < category_stretch_count && category_stretches[stretch + 1] >> 5 <= first) {
      ++stretch;
    }
    pages[page] = static_cast<std::uint16_t>(stretch);
  }
  pages[page_count] = category_stretch_count - 1;
  return pages;
}

}  // namespace

Category category_of(char32_t code_point) {
  static const Pages pages = make_pages();
  check(code_point < page_count * 256, "a code point beyond U+10FFFF");
  const std::size_t page = code_point / 256;
  const auto* const first = category_stretches.begin() + pages[page];
  const auto* const last = category_stretches.begin() + pages[page + 1] + 1;
  const auto* const after = std::upper_bound(first, last, code_point << 5 | 31);
  return static_cast<Category>(*(after - 1) & 31);
}

}  // namespace zhuzi::internal
