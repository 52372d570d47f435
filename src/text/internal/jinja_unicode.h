// Python's idea of characters: white space, words, letters, cases.
//
// Place in the journey: the lexer, the string methods and filters, and `repr`. General categories
// come from the room's tables (unicode.h); what Python adds to them is here.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace zhuzi::jinja {

[[nodiscard]] bool is_space(char32_t c);
[[nodiscard]] bool is_printable(char32_t c);
[[nodiscard]] bool is_alphabetic(char32_t c);
[[nodiscard]] bool is_decimal(char32_t c);
[[nodiscard]] bool is_digit(char32_t c);
[[nodiscard]] bool is_numeric(char32_t c);
[[nodiscard]] bool is_alphanumeric(char32_t c);
[[nodiscard]] bool is_upper(char32_t c);
[[nodiscard]] bool is_lower(char32_t c);
[[nodiscard]] bool is_title(char32_t c);
[[nodiscard]] inline bool is_cased(char32_t c) { return is_upper(c) || is_lower(c) || is_title(c); }
/// Skipped when a sigma looks for the letter before and after it.
[[nodiscard]] bool is_case_ignorable(char32_t c);
/// What \w matches.
[[nodiscard]] bool is_word(char32_t c);
/// The value of a decimal digit of any script.
[[nodiscard]] int decimal_value(char32_t c);

enum class Case : std::uint8_t { upper, lower, title, folded };
/// Up to three characters, as UTF-8. Without the rule of the final sigma.
[[nodiscard]] std::string in_case(Case which, char32_t c);

/// Bytes of white space at the beginning, at the end.
[[nodiscard]] std::size_t leading_space(std::string_view utf8);
[[nodiscard]] std::size_t trailing_space(std::string_view utf8);
/// Bytes of word characters at the beginning.
[[nodiscard]] std::size_t word_length(std::string_view utf8);
[[nodiscard]] bool is_identifier(std::string_view word);

/// The last character of a text that is not empty.
[[nodiscard]] std::string_view last_character(std::string_view utf8);

struct CaseRange {
  char32_t first = 0;
  char32_t last = 0;
  std::uint8_t stride = 1;  ///< 2 takes every other character.
  std::int32_t difference = 0;
};
struct LongCase {
  char32_t from = 0;
  char32_t to[3] = {};
};
struct CaseTable {
  std::span<const CaseRange> ranges;
  std::span<const LongCase> longs;
};
[[nodiscard]] CaseTable case_table(Case which);

}  // namespace zhuzi::jinja
