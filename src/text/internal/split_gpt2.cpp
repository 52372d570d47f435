// The splitters of GPT-2's kind.
//
//   gpt-2   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//   smollm  each \p{N} alone, and the pattern above on each stretch between them: no stretch has a
//           number, and white space before a number is white space at the end of a stretch.
#include "text/internal/split.h"
#include "text/internal/split_scan.h"

namespace zhuzi::internal {
namespace {

enum class Numbers : std::uint8_t { in_runs, apart };

/// `'s|'t|'re|'ve|'m|'ll|'d`: its length, 0 where there is none.
std::size_t contraction(std::string_view rest) {
  if (rest.size() < 2 || rest[0] != '\'') return 0;
  const char first = rest[1];
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const std::string_view two = rest.substr(1, 2);
  return two == "re" || two == "ve" || two == "ll" ? 3 : 0;
}

std::size_t word_end(std::string_view text, std::size_t begin, Numbers numbers) {
  if (const std::size_t length = contraction(text.substr(begin)); length > 0) return begin + length;
  const bool is_blank = text[begin] == ' ' && begin + 1 < text.size();
  const std::size_t inner = is_blank ? begin + 1 : begin;
  const ScannedChar first = char_at(text, inner);
  const bool is_apart = numbers == Numbers::apart && first.kind == CharClass::number;
  if (is_apart) return inner == begin ? begin + first.length : inner;
  if (first.kind != CharClass::space) return run_end(text, inner + first.length, first.kind);
  const SpaceRun run = space_run(text, begin);
  const bool ends_text =
      run.end == text.size() ||
      (numbers == Numbers::apart && char_at(text, run.end).kind == CharClass::number);
  return space_piece_end(run, begin, ends_text);
}

}  // namespace

std::size_t gpt2_word_end(std::string_view text, std::size_t begin) {
  return word_end(text, begin, Numbers::in_runs);
}

std::size_t smollm_word_end(std::string_view text, std::size_t begin) {
  return word_end(text, begin, Numbers::apart);
}

}  // namespace zhuzi::internal
