// What all splitters share: the class of the next character, and runs of a class.
//
// A byte that belongs to no character is a symbol of its own: it is cut like any other symbol, and
// byte-level BPE spells it as it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zhuzi::internal {

/// The classes that the patterns of GPT-2's kind tell apart: `\p{L}`, `\p{N}`, `\s`, and the rest.
enum class CharClass : std::uint8_t { letter, number, space, symbol };

struct ScannedChar {
  CharClass kind = CharClass::symbol;
  std::size_t length = 1;
};

/// The character at `at`, which is inside the text.
[[nodiscard]] ScannedChar char_at(std::string_view text, std::size_t at);

/// The end of the run of `kind` from `at` on; `at` itself where there is none.
[[nodiscard]] std::size_t run_end(std::string_view text, std::size_t at, CharClass kind);

/// A run of white space.
struct SpaceRun {
  std::size_t end = 0;
  std::size_t last_begin = 0;        ///< Where its last character begins.
  std::size_t after_line_break = 0;  ///< Behind its last CR or LF; 0 where it has none.
};
/// The run at `begin`, where a character of white space stands.
[[nodiscard]] SpaceRun space_run(std::string_view text, std::size_t begin);

/// `\s+(?!\S)|\s+`: a run leaves its last character to the word behind it, unless it is all there
/// is. `ends_text` says that nothing that counts follows the run.
[[nodiscard]] std::size_t space_piece_end(const SpaceRun& run, std::size_t begin, bool ends_text);

}  // namespace zhuzi::internal
