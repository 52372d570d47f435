// The splitters of Llama 3's kind; n is 3 for llama-bpe and 1 for qwen2.
//
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,n}|
//    ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
#include "text/internal/split.h"
#include "text/internal/split_scan.h"

namespace zhuzi::internal {
namespace {

bool breaks_line(char c) { return c == '\r' || c == '\n'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)`: its length, 0 where there is none. Without regard to case,
/// U+017F (long s) is an s too.
std::size_t contraction(std::string_view rest) {
  constexpr std::string_view long_s = "\xC5\xBF";
  if (rest.size() < 2 || rest[0] != '\'') return 0;
  if (rest.substr(1).starts_with(long_s)) return 1 + long_s.size();
  const char first = lower(rest[1]);
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  if (rest.size() < 3) return 0;
  const char second = lower(rest[2]);
  const bool is_long =
      ((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l');
  return is_long ? 3 : 0;
}

/// `\p{N}{1,max}` behind a first number that ends at `end`.
std::size_t numbers_end(std::string_view text, std::size_t end, std::size_t numbers_max) {
  for (std::size_t count = 1; count < numbers_max && end < text.size(); ++count) {
    const ScannedChar next = char_at(text, end);
    if (next.kind != CharClass::number) break;
    end += next.length;
  }
  return end;
}

/// `[^\s\p{L}\p{N}]+[\r\n]*` from `at`, where a symbol stands.
std::size_t symbols_end(std::string_view text, std::size_t at) {
  std::size_t end = run_end(text, at, CharClass::symbol);
  while (end < text.size() && breaks_line(text[end])) ++end;
  return end;
}

bool is_at(std::string_view text, std::size_t at, CharClass kind) {
  return at < text.size() && char_at(text, at).kind == kind;
}

std::size_t word_end(std::string_view text, std::size_t begin, std::size_t numbers_max) {
  if (const std::size_t length = contraction(text.substr(begin)); length > 0) return begin + length;
  const ScannedChar first = char_at(text, begin);
  const std::size_t second = begin + first.length;
  if (first.kind == CharClass::letter) return run_end(text, second, CharClass::letter);
  if (first.kind == CharClass::number) return numbers_end(text, second, numbers_max);
  if (!breaks_line(text[begin]) && is_at(text, second, CharClass::letter)) {
    return run_end(text, second, CharClass::letter);
  }
  if (first.kind == CharClass::symbol) return symbols_end(text, begin);
  if (text[begin] == ' ' && is_at(text, second, CharClass::symbol))
    return symbols_end(text, second);
  const SpaceRun run = space_run(text, begin);
  if (run.after_line_break > begin) return run.after_line_break;
  return space_piece_end(run, begin, run.end == text.size());
}

}  // namespace

std::size_t llama3_word_end(std::string_view text, std::size_t begin) {
  return word_end(text, begin, 3);
}

std::size_t qwen2_word_end(std::string_view text, std::size_t begin) {
  return word_end(text, begin, 1);
}

}  // namespace zhuzi::internal
