#include "text/internal/split_scan.h"

#include <array>

#include "base/utf8.h"
#include "text/internal/unicode.h"

namespace zhuzi::internal {
namespace {

CharClass class_of(char32_t code_point) {
  const Category category = category_of(code_point);
  if (is_letter(category)) return CharClass::letter;
  if (is_number(category)) return CharClass::number;
  if (is_white_space(code_point, category)) return CharClass::space;
  return CharClass::symbol;
}

constexpr std::array<CharClass, 128> ascii_classes = [] {
  std::array<CharClass, 128> classes{};
  for (unsigned c = 0; c < classes.size(); ++c) {
    const bool is_ascii_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool is_digit = c >= '0' && c <= '9';
    const bool is_space = c == ' ' || (c >= 0x09 && c <= 0x0D);
    classes[c] = is_ascii_letter ? CharClass::letter
                 : is_digit      ? CharClass::number
                 : is_space      ? CharClass::space
                                 : CharClass::symbol;
  }
  return classes;
}();

}  // namespace

ScannedChar char_at(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < ascii_classes.size()) return {.kind = ascii_classes[byte], .length = 1};
  const utf8::Piece piece = utf8::first_piece(text.substr(at));
  if (piece.kind != utf8::Kind::character) return {.kind = CharClass::symbol, .length = 1};
  return {.kind = class_of(piece.code_point), .length = piece.length};
}

std::size_t run_end(std::string_view text, std::size_t at, CharClass kind) {
  while (at < text.size()) {
    const ScannedChar next = char_at(text, at);
    if (next.kind != kind) break;
    at += next.length;
  }
  return at;
}

SpaceRun space_run(std::string_view text, std::size_t begin) {
  SpaceRun run{.end = begin, .last_begin = begin};
  while (run.end < text.size()) {
    const ScannedChar next = char_at(text, run.end);
    if (next.kind != CharClass::space) break;
    const bool breaks_line = text[run.end] == '\r' || text[run.end] == '\n';
    run.last_begin = run.end;
    run.end += next.length;
    if (breaks_line) run.after_line_break = run.end;
  }
  return run;
}

std::size_t space_piece_end(const SpaceRun& run, std::size_t begin, bool ends_text) {
  const bool is_single = run.last_begin == begin;
  return ends_text || is_single ? run.end : run.last_begin;
}

}  // namespace zhuzi::internal
