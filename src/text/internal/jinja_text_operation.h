// Operations on texts that filters and string methods share. Every result carries the marks of the
// characters it was made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "text/internal/jinja_session.h"
#include "text/internal/jinja_text.h"
#include "text/internal/jinja_unicode.h"
#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

/// upper(), casefold(), and lower() with its final sigma.
[[nodiscard]] Text in_case(const Text& text, Case which);
/// capitalize(): the first character in title case, the rest lower.
[[nodiscard]] Text capitalized(const Text& text);
/// title(): every letter behind a non-letter in title case.
[[nodiscard]] Text titled(const Text& text);
[[nodiscard]] Text swapped_case(const Text& text);
/// Whether there are letters with a case, and all are of this one (upper or lower).
[[nodiscard]] bool is_in_case(const Text& text, Case which);

enum class Side : std::uint8_t { left, right, both };
/// Without white space at its ends, or without the characters in `characters`.
[[nodiscard]] Text stripped(const Text& text, Side side,
                            std::optional<std::string_view> characters);

/// The first `count` places of `from` become `to`; a negative count means all.
[[nodiscard]] Outcome<Text> replaced(Session& session, const Text& text, const Text& from,
                                     const Text& to, std::int64_t count);

/// The parts between the places of `separator`, which is not empty.
[[nodiscard]] Outcome<std::vector<Value>> split(Session& session, const Text& text,
                                                std::string_view separator,
                                                std::int64_t splits_max);
[[nodiscard]] Outcome<std::vector<Value>> split_from_right(Session& session, const Text& text,
                                                           std::string_view separator,
                                                           std::int64_t splits_max);
/// The parts between runs of white space.
[[nodiscard]] Outcome<std::vector<Value>> split_words(Session& session, const Text& text,
                                                      std::int64_t splits_max);
[[nodiscard]] Outcome<std::vector<Value>> split_words_from_right(Session& session, const Text& text,
                                                                 std::int64_t splits_max);

/// One line: its bytes, and where the next begins.
struct Line {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t next = 0;
};
/// As Python's splitlines: no empty line behind the last line break.
[[nodiscard]] std::vector<Line> lines_of(std::string_view utf8);

enum class Alignment : std::uint8_t { left, right, center };
struct Padding {
  std::int64_t width = 0;  ///< The result has at least as many characters.
  Alignment alignment = Alignment::left;
  std::string_view fill = " ";        ///< One character.
  OriginId origin = template_origin;  ///< Of the fill, beside that of the text.
};
[[nodiscard]] Outcome<Text> padded(Session& session, const Text& text, const Padding& padding);

/// The parts with `separator` between them.
[[nodiscard]] Outcome<Text> joined(Session& session, const std::vector<Text>& parts,
                                   const Text& separator);

}  // namespace zhuzi::jinja
