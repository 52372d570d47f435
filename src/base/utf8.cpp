#include "base/utf8.h"

namespace zhuzi::utf8 {
namespace {

struct Lead {
  std::size_t length = 0;  ///< 0: no character begins with this byte.
  unsigned char second_low = 0x80;
  unsigned char second_high = 0xBF;
  unsigned char bits = 0;  ///< Mask of the lead byte's part of the code point.
};

Lead lead_of(unsigned char byte) {
  if (byte < 0x80) return {.length = 1, .bits = 0x7F};
  if (byte < 0xC2) return {};
  if (byte < 0xE0) return {.length = 2, .bits = 0x1F};
  if (byte == 0xE0) return {.length = 3, .second_low = 0xA0, .bits = 0x0F};
  if (byte == 0xED) return {.length = 3, .second_high = 0x9F, .bits = 0x0F};
  if (byte < 0xF0) return {.length = 3, .bits = 0x0F};
  if (byte == 0xF0) return {.length = 4, .second_low = 0x90, .bits = 0x07};
  if (byte == 0xF4) return {.length = 4, .second_high = 0x8F, .bits = 0x07};
  if (byte < 0xF4) return {.length = 4, .bits = 0x07};
  return {};
}

}  // namespace

Piece first_piece(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const Lead lead = lead_of(at(0));
  if (lead.length == 0) return {Kind::broken, 1, 0};
  auto code_point = static_cast<char32_t>(at(0) & lead.bits);
  for (std::size_t i = 1; i < lead.length; ++i) {
    if (i == bytes.size()) return {Kind::incomplete, i, 0};
    const unsigned char low = i == 1 ? lead.second_low : 0x80;
    const unsigned char high = i == 1 ? lead.second_high : 0xBF;
    if (at(i) < low || at(i) > high) return {Kind::broken, i, 0};
    code_point = code_point << 6 | static_cast<char32_t>(at(i) & 0x3F);
  }
  return {Kind::character, lead.length, code_point};
}

std::string lossy(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const Piece piece = first_piece(bytes);
    text += piece.kind == Kind::character ? bytes.substr(0, piece.length) : replacement;
    bytes.remove_prefix(piece.length);
  }
  return text;
}

bool is_valid(std::string_view bytes) {
  while (!bytes.empty()) {
    const Piece piece = first_piece(bytes);
    if (piece.kind != Kind::character) return false;
    bytes.remove_prefix(piece.length);
  }
  return true;
}

void append(std::string& text, char32_t code_point) {
  const auto byte = [&](char32_t value) { text += static_cast<char>(value); };
  if (code_point < 0x80) {
    byte(code_point);
  } else if (code_point < 0x800) {
    byte(0xC0 | code_point >> 6);
    byte(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    byte(0xE0 | code_point >> 12);
    byte(0x80 | (code_point >> 6 & 0x3F));
    byte(0x80 | (code_point & 0x3F));
  } else {
    byte(0xF0 | code_point >> 18);
    byte(0x80 | (code_point >> 12 & 0x3F));
    byte(0x80 | (code_point >> 6 & 0x3F));
    byte(0x80 | (code_point & 0x3F));
  }
}

}  // namespace zhuzi::utf8
