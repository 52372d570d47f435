// UTF-8: what is well-formed (Unicode 16, table 3-7), and what a broken piece shows as.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace zhuzi::utf8 {

/// U+FFFD, as it stands for each maximal broken part (the WHATWG rule, Python's errors="replace").
inline constexpr std::string_view replacement = "\xEF\xBF\xBD";

enum class Kind : std::uint8_t {
  character,   ///< A whole character of `length` bytes.
  incomplete,  ///< All `length` bytes to the end are a proper beginning of a character.
  broken,      ///< The first `length` bytes are a maximal part that can never become one.
};
struct Piece {
  Kind kind = Kind::character;
  std::size_t length = 0;
  char32_t code_point = 0;  ///< Of a whole character.
};

/// The first piece of `bytes`, which is not empty.
[[nodiscard]] Piece first_piece(std::string_view bytes);

/// Every incomplete or broken part becomes one U+FFFD.
[[nodiscard]] std::string lossy(std::string_view bytes);

[[nodiscard]] bool is_valid(std::string_view bytes);

void append(std::string& text, char32_t code_point);

}  // namespace zhuzi::utf8
