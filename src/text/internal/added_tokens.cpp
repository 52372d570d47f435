// The entries are sorted, so those that share a beginning stand together: reading the text byte by
// byte narrows a range of entries, and the last one that is complete is the longest.
#include "text/internal/added_tokens.h"

#include <algorithm>
#include <tuple>

namespace zhuzi::internal {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// Where the trusted range that holds `at` ends; 0 where none does.
std::size_t trusted_end(std::span<const ByteRange> trusted, std::size_t at) {
  const auto after = std::ranges::upper_bound(trusted, at, {}, &ByteRange::begin);
  if (after == trusted.begin()) return 0;
  const ByteRange& range = *(after - 1);
  return at < range.end ? range.end : 0;
}

}  // namespace

Result<AddedTokens> AddedTokens::of(const Vocabulary& vocabulary) {
  AddedTokens added;
  for (std::size_t i = 0; i < vocabulary.size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    const TokenKind kind = vocabulary.kind(id);
    const std::string_view spelling = vocabulary.spelling(id);
    if (kind != TokenKind::control && kind != TokenKind::user_defined) continue;
    if (spelling.empty()) continue;
    if (spelling.size() > token_bytes_max) {
      return fail(ErrorCode::corrupt_file, "Token {} has {} bytes; at most {} are allowed.", i,
                  spelling.size(), token_bytes_max);
    }
    added.entries_.push_back(
        {.spelling = std::string(spelling), .id = id, .is_control = kind == TokenKind::control});
    added.begins_[byte_at(spelling, 0)] = true;
  }
  // Of equal spellings the last id stands last and is the one that `longest_at` keeps.
  std::ranges::sort(added.entries_, [](const Entry& a, const Entry& b) {
    return std::tie(a.spelling, a.id) < std::tie(b.spelling, b.id);
  });
  return added;
}

std::optional<AddedMatch> AddedTokens::find(std::string_view text, std::size_t from,
                                            std::span<const ByteRange> trusted) const {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (!begins_[byte_at(text, at)]) continue;
    if (auto match = longest_at(text, at, trusted_end(trusted, at))) return match;
  }
  return std::nullopt;
}

std::optional<AddedMatch> AddedTokens::longest_at(std::string_view text, std::size_t begin,
                                                  std::size_t trusted_end) const {
  std::optional<AddedMatch> longest;
  std::span<const Entry> candidates = entries_;
  for (std::size_t length = 0; !candidates.empty(); ++length) {
    const std::size_t end = begin + length;
    while (!candidates.empty() && candidates.front().spelling.size() == length) {
      const Entry& whole = candidates.front();
      if (!whole.is_control || end <= trusted_end) {
        longest = AddedMatch{.range = {.begin = begin, .end = end}, .id = whole.id};
      }
      candidates = candidates.subspan(1);
    }
    if (end == text.size()) break;
    const auto byte = [&](const Entry& entry) { return byte_at(entry.spelling, length); };
    const auto same = std::ranges::equal_range(candidates, byte_at(text, end), {}, byte);
    candidates = std::span<const Entry>(same.begin(), same.end());
  }
  return longest;
}

}  // namespace zhuzi::internal
