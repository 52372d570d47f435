// Byte-pair merging: which two neighbours become one, and the merging of a word.
//
// Place in the journey: the last step of `encode`, on one word at a time, given as the ids of its
// bytes. MergeTable is immutable after load; a Merger is the scratch of one call of `encode`.
//
// Invariant: the pair of the lowest rank is merged first, of equal ones the leftmost, one at a
// time, also where a merge makes a pair of a lower rank. A word of n ids costs in the order of n
// log n.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace zhuzi::internal {

/// Merges by pair. A slot packs a whole merge, so that a look-up touches one line of memory:
///
///   63       43 42       22 21        0
///   [left: 21 ] [right: 21] [rank: 22 ]
class MergeTable {
 public:
  static constexpr std::size_t merges_max = (std::size_t{1} << 22) - 1;
  static constexpr std::uint32_t no_rank = UINT32_MAX;

  struct Merge {
    TokenId left{};
    TokenId right{};
    TokenId result{};
  };

  /// In the order of their ranks; of equal pairs the first counts. Ids are below
  /// Vocabulary::entries_max. Error: corrupt_file for too many, or pairs chosen to be slow.
  [[nodiscard]] static Result<MergeTable> make(const std::vector<Merge>& merges);

  /// The rank of the merge of two neighbours; no_rank where they do not merge.
  [[nodiscard]] std::uint32_t rank(TokenId left, TokenId right) const {
    const std::uint64_t pair = pair_of(left, right);
    for (std::size_t at = home_of(pair);; at = (at + 1) & mask_) {
      const std::uint64_t slot = slots_[at];
      if (slot >> rank_bits == pair) return static_cast<std::uint32_t>(slot & rank_mask);
      if (slot == empty) return no_rank;
    }
  }
  [[nodiscard]] TokenId result(std::uint32_t rank) const { return results_[rank]; }

 private:
  static constexpr unsigned id_bits = 21;
  static constexpr unsigned rank_bits = 22;
  static constexpr std::uint64_t rank_mask = (std::uint64_t{1} << rank_bits) - 1;
  static constexpr std::uint64_t empty = UINT64_MAX;

  static std::uint64_t pair_of(TokenId left, TokenId right) {
    return static_cast<std::uint64_t>(index(left)) << id_bits | index(right);
  }
  [[nodiscard]] std::size_t home_of(std::uint64_t pair) const {
    return static_cast<std::size_t>(pair * 0x9E37'79B9'7F4A'7C15 >> shift_);
  }

  std::vector<std::uint64_t> slots_;
  std::vector<TokenId> results_;
  std::size_t mask_ = 0;
  unsigned shift_ = 63;
};

class Merger {
 public:
  explicit Merger(const MergeTable& merges) : merges_(merges) {}

  /// Merges a word in place. Its ids are fewer than 2^32.
  void merge(std::vector<TokenId>& word);

  /// Pairs compared, ranked and taken from the queue so far: tests hold its growth to a line.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// Words up to this length are merged in place; the work per id grows with it.
  static constexpr std::size_t short_word_max = 32;
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Symbol {
    TokenId id{};
    std::uint32_t previous = none;
    std::uint32_t next = none;
    std::uint32_t rank = MergeTable::no_rank;  ///< Of the pair with the next symbol.
  };

  void merge_short(std::vector<TokenId>& word);
  void merge_long(std::vector<TokenId>& word);
  void rank_pair(std::uint32_t left);

  const MergeTable& merges_;
  std::vector<Symbol> symbols_;
  std::vector<std::uint64_t> queue_;  ///< A heap of rank << 32 | position, the least on top.
  std::uint64_t steps_ = 0;
};

}  // namespace zhuzi::internal
