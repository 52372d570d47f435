// AddedTokens: entries that are found whole in raw text, before it is cut into words.
//
// Place in the journey: the first step of `encode`. Control tokens are found in trusted text only,
// user-defined ones anywhere.
//
// Invariant: a control token is never found where one of its bytes is untrusted.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "text/internal/vocabulary.h"

namespace zhuzi::internal {

/// A stretch of the text, [begin, end) in bytes.
struct ByteRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct AddedMatch {
  ByteRange range;
  TokenId id{};
};

class AddedTokens {
 public:
  /// Bounds the work for each byte of text.
  static constexpr std::size_t token_bytes_max = 1024;

  /// The control and user-defined entries. Error: corrupt_file for one that is too long.
  [[nodiscard]] static Result<AddedTokens> of(const Vocabulary& vocabulary);

  /// The first match at or after `from`; the longest one there that is allowed. `trusted` ascends
  /// and its ranges do not touch.
  [[nodiscard]] std::optional<AddedMatch> find(std::string_view text, std::size_t from,
                                               std::span<const ByteRange> trusted) const;

 private:
  struct Entry {
    std::string spelling;
    TokenId id{};
    bool is_control = false;
  };
  [[nodiscard]] std::optional<AddedMatch> longest_at(std::string_view text, std::size_t begin,
                                                     std::size_t trusted_end) const;

  std::vector<Entry> entries_;      ///< In the order of their bytes.
  std::array<bool, 256> begins_{};  ///< Which bytes begin one.
};

}  // namespace zhuzi::internal
