#include "text/internal/byte_level.h"

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/utf8.h"

namespace zhuzi::internal {
namespace {

constexpr bool stands_for_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr std::array<char16_t, 256> alphabet = [] {
  std::array<char16_t, 256> letters{};
  char16_t next = 0x100;
  for (unsigned byte = 0; byte < letters.size(); ++byte) {
    letters[byte] = stands_for_itself(byte) ? static_cast<char16_t>(byte) : next++;
  }
  return letters;
}();

constexpr std::size_t letters_end = 0x100 + 68;

/// The byte of a letter, -1 for what is no letter. All letters are below letters_end.
constexpr std::array<std::int16_t, letters_end> bytes_of_letters = [] {
  std::array<std::int16_t, letters_end> bytes{};
  bytes.fill(-1);
  for (std::size_t byte = 0; byte < alphabet.size(); ++byte) {
    bytes[alphabet[byte]] = static_cast<std::int16_t>(byte);
  }
  return bytes;
}();

struct Letter {
  int byte = -1;
  std::size_t length = 1;
};

/// The letter at the front. Letters have one or two bytes; anything else is none.
Letter first_letter(std::string_view spelling) {
  const auto lead = static_cast<unsigned char>(spelling[0]);
  if (lead < 0x80) return {.byte = bytes_of_letters[lead]};
  const utf8::Piece piece = utf8::first_piece(spelling);
  if (piece.kind != utf8::Kind::character || piece.code_point >= letters_end) return {};
  return {.byte = bytes_of_letters[piece.code_point], .length = piece.length};
}

}  // namespace

void append_bytes_of_spelling(std::string_view spelling, std::string& bytes) {
  const std::size_t before = bytes.size();
  for (std::size_t at = 0; at < spelling.size();) {
    const Letter letter = first_letter(spelling.substr(at));
    if (letter.byte < 0) {
      bytes.resize(before);
      bytes += spelling;
      return;
    }
    bytes += static_cast<char>(letter.byte);
    at += letter.length;
  }
}

void append_spelling_of_bytes(std::string_view bytes, std::string& spelling) {
  for (const char byte : bytes) utf8::append(spelling, alphabet[static_cast<unsigned char>(byte)]);
}

}  // namespace zhuzi::internal
