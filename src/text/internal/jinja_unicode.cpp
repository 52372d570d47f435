// Python's idea of characters: see the header.
#include "text/internal/jinja_unicode.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/utf8.h"
#include "text/internal/unicode.h"

namespace zhuzi::jinja {
namespace {

using internal::Category;
using internal::category_of;

struct Stretch {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool is_in(const std::array<Stretch, N>& stretches, char32_t c) {
  const auto after = std::ranges::upper_bound(stretches, c, {}, &Stretch::first);
  return after != stretches.begin() && c <= (after - 1)->last;
}

// The properties Other_Uppercase and Other_Lowercase.
constexpr std::array<Stretch, 5> other_upper{{{0x2160, 0x216F},
                                              {0x24B6, 0x24CF},
                                              {0x1F130, 0x1F149},
                                              {0x1F150, 0x1F169},
                                              {0x1F170, 0x1F189}}};
constexpr std::array<Stretch, 24> other_lower{
    {{0xAA, 0xAA},       {0xBA, 0xBA},       {0x2B0, 0x2B8},     {0x2C0, 0x2C1},
     {0x2E0, 0x2E4},     {0x345, 0x345},     {0x37A, 0x37A},     {0x1D2C, 0x1D6A},
     {0x1D78, 0x1D78},   {0x1D9B, 0x1DBF},   {0x2071, 0x2071},   {0x207F, 0x207F},
     {0x2090, 0x209C},   {0x2170, 0x217F},   {0x24D0, 0x24E9},   {0x2C7C, 0x2C7D},
     {0xA69C, 0xA69D},   {0xA770, 0xA770},   {0xA7F8, 0xA7F9},   {0xAB5C, 0xAB5F},
     {0x10780, 0x10780}, {0x10783, 0x10785}, {0x10787, 0x107B0}, {0x107B2, 0x107BA}}};

// Numeric_Type=Digit beyond the decimal digits: superscripts, circled digits.
constexpr std::array<Stretch, 20> other_digits{
    {{0xB2, 0xB3},       {0xB9, 0xB9},       {0x1369, 0x1371},   {0x19DA, 0x19DA},
     {0x2070, 0x2070},   {0x2074, 0x2079},   {0x2080, 0x2089},   {0x2460, 0x2468},
     {0x2474, 0x247C},   {0x2488, 0x2490},   {0x24EA, 0x24EA},   {0x24F5, 0x24FD},
     {0x24FF, 0x24FF},   {0x2776, 0x277E},   {0x2780, 0x2788},   {0x278A, 0x2792},
     {0x10A40, 0x10A43}, {0x10E60, 0x10E68}, {0x11052, 0x1105A}, {0x1F100, 0x1F10A}}};

// Ideographs that are numbers, as 三 is.
constexpr char32_t numeric_letters[] = {
    0x3405,  0x3483,  0x382A,  0x3B4D,  0x4E00,  0x4E03,  0x4E07,  0x4E09,  0x4E5D,
    0x4E8C,  0x4E94,  0x4E96,  0x4EBF,  0x4EC0,  0x4EDF,  0x4EE8,  0x4F0D,  0x4F70,
    0x5104,  0x5146,  0x5169,  0x516B,  0x516D,  0x5341,  0x5343,  0x5344,  0x5345,
    0x534C,  0x53C1,  0x53C2,  0x53C3,  0x53C4,  0x56DB,  0x58F1,  0x58F9,  0x5E7A,
    0x5EFE,  0x5EFF,  0x5F0C,  0x5F0D,  0x5F0E,  0x5F10,  0x62FE,  0x634C,  0x67D2,
    0x6F06,  0x7396,  0x767E,  0x8086,  0x842C,  0x8CAE,  0x8CB3,  0x8D30,  0x9621,
    0x9646,  0x964C,  0x9678,  0x96F6,  0xF96B,  0xF973,  0xF978,  0xF9B2,  0xF9D1,
    0xF9D3,  0xF9FD,  0x20001, 0x20064, 0x200E2, 0x20121, 0x2092A, 0x20983, 0x2098C,
    0x2099C, 0x20AEA, 0x20AFD, 0x20B19, 0x22390, 0x22998, 0x23B1B, 0x2626D, 0x2F890};

// Word_Break MidLetter, MidNumLet and Single_Quote.
constexpr std::array<Stretch, 16> mid_letters{{{0x27, 0x27},
                                               {0x2E, 0x2E},
                                               {0x3A, 0x3A},
                                               {0xB7, 0xB7},
                                               {0x387, 0x387},
                                               {0x55F, 0x55F},
                                               {0x5F4, 0x5F4},
                                               {0x2018, 0x2019},
                                               {0x2024, 0x2024},
                                               {0x2027, 0x2027},
                                               {0xFE13, 0xFE13},
                                               {0xFE52, 0xFE52},
                                               {0xFE55, 0xFE55},
                                               {0xFF07, 0xFF07},
                                               {0xFF0E, 0xFF0E},
                                               {0xFF1A, 0xFF1A}}};

std::optional<char32_t> mapped(std::span<const CaseRange> ranges, char32_t c) {
  const auto after = std::ranges::upper_bound(ranges, c, {}, &CaseRange::first);
  if (after == ranges.begin()) return std::nullopt;
  const CaseRange& range = *(after - 1);
  if (c > range.last || (c - range.first) % range.stride != 0) return std::nullopt;
  return static_cast<char32_t>(static_cast<std::int32_t>(c) + range.difference);
}

}  // namespace

bool is_space(char32_t c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  return internal::is_white_space(c, category_of(c));
}

bool is_printable(char32_t c) {
  if (c < 0x80) return c >= 0x20 && c < 0x7F;
  const Category category = category_of(c);
  return category < Category::Zs;
}

bool is_alphabetic(char32_t c) { return internal::is_letter(category_of(c)); }
bool is_decimal(char32_t c) { return category_of(c) == Category::Nd; }
bool is_digit(char32_t c) { return is_decimal(c) || is_in(other_digits, c); }
bool is_numeric(char32_t c) {
  return internal::is_number(category_of(c)) || std::ranges::binary_search(numeric_letters, c);
}
bool is_alphanumeric(char32_t c) { return is_alphabetic(c) || is_numeric(c); }
bool is_upper(char32_t c) { return category_of(c) == Category::Lu || is_in(other_upper, c); }
bool is_lower(char32_t c) { return category_of(c) == Category::Ll || is_in(other_lower, c); }
bool is_title(char32_t c) { return category_of(c) == Category::Lt; }

bool is_case_ignorable(char32_t c) {
  switch (category_of(c)) {
    case Category::Mn:
    case Category::Me:
    case Category::Cf:
    case Category::Lm:
    case Category::Sk: return true;
    default: return is_in(mid_letters, c);
  }
}

bool is_word(char32_t c) {
  const Category category = category_of(c);
  return internal::is_letter(category) || internal::is_number(category) ||
         category == Category::Pc || category == Category::Mn || category == Category::Mc;
}

int decimal_value(char32_t c) {
  // Decimal digits stand in rows of ten, zero first; the row begins where the category begins or
  // ten before another row.
  char32_t first = c;
  while (first > 0 && is_decimal(first - 1)) --first;
  return static_cast<int>((c - first) % 10);
}

std::string in_case(Case which, char32_t c) {
  const CaseTable table = case_table(which);
  std::string text;
  const auto place = std::ranges::lower_bound(table.longs, c, {}, &LongCase::from);
  if (place != table.longs.end() && place->from == c) {
    for (const char32_t one : place->to) {
      if (one != 0) utf8::append(text, one);
    }
    return text;
  }
  if (const auto one = mapped(table.ranges, c)) {
    utf8::append(text, *one);
    return text;
  }
  if (which == Case::title) return in_case(Case::upper, c);
  if (which == Case::folded) return in_case(Case::lower, c);
  utf8::append(text, c);
  return text;
}

std::string_view last_character(std::string_view utf8) {
  std::size_t begin = utf8.size() - 1;
  while (begin > 0 && (static_cast<unsigned char>(utf8[begin]) & 0xC0) == 0x80) --begin;
  return utf8.substr(begin);
}

std::size_t leading_space(std::string_view utf8) {
  std::size_t length = 0;
  while (length < utf8.size()) {
    const utf8::Piece piece = utf8::first_piece(utf8.substr(length));
    if (!is_space(piece.code_point)) break;
    length += piece.length;
  }
  return length;
}

std::size_t trailing_space(std::string_view utf8) {
  std::size_t kept = utf8.size();
  while (kept > 0) {
    const std::string_view last = last_character(utf8.substr(0, kept));
    if (!is_space(utf8::first_piece(last).code_point)) break;
    kept -= last.size();
  }
  return utf8.size() - kept;
}

std::size_t word_length(std::string_view utf8) {
  std::size_t length = 0;
  while (length < utf8.size()) {
    const utf8::Piece piece = utf8::first_piece(utf8.substr(length));
    if (!is_word(piece.code_point)) break;
    length += piece.length;
  }
  return length;
}

bool is_identifier(std::string_view word) {
  bool is_first = true;
  while (!word.empty()) {
    const utf8::Piece piece = utf8::first_piece(word);
    const Category category = category_of(piece.code_point);
    const bool begins =
        internal::is_letter(category) || category == Category::Nl || piece.code_point == U'_';
    if (category == Category::No || (is_first && !begins)) return false;
    is_first = false;
    word.remove_prefix(piece.length);
  }
  return !is_first;
}

}  // namespace zhuzi::jinja
