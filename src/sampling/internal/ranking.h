// Ranking: tokens of one row by logit, largest first, ties by id; sorted only as far as asked.
//
// Place in the journey: the sampler asks it for the first k tokens, or for all down to a logit; a
// row of 152k logits is never sorted whole for the few tokens that a draw reaches.
//
// How: one pass takes the maximum of each block of 64 logits. To go down to a threshold, only
// blocks whose maximum reaches it are read again; what they hold joins the end of the list, sorted.
//
// Invariant: `size` tokens are ranked, and no other token of the row ranks above any of them. -0
// equals +0. -inf is never ranked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace zhuzi::sampling {

class Ranking {
 public:
  explicit Ranking(std::size_t vocabulary);

  /// Starts over with a row without NaN, which stays valid and unchanged while it is ranked.
  void start(std::span<const float> row);
  /// The largest logit; -inf when no token is left.
  [[nodiscard]] float maximum() const { return maximum_; }
  /// Tokens whose logit is finite: as many can be ranked.
  [[nodiscard]] std::size_t count_finite() const;

  /// Ranks at least the first `count` tokens, or all when there are fewer.
  void rank_first(std::size_t count);
  /// Ranks all tokens whose logit is `lowest` or more.
  void rank_down_to(float lowest);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] TokenId token(std::size_t rank) const;
  [[nodiscard]] float logit(std::size_t rank) const;
  /// The rank of any token, 0 is the first; counts without ranking.
  [[nodiscard]] std::size_t rank_of(TokenId token) const;

 private:
  void sort_from(std::size_t first);

  std::span<const float> row_;
  std::vector<float> block_maxima_;
  std::vector<float> largest_maxima_;
  std::vector<std::uint64_t> keys_;  ///< Logit (descending) in the high half, id in the low half.
  std::vector<std::uint64_t> exchange_;  ///< For the sort.
  std::size_t blocks_ = 0;
  std::size_t size_ = 0;
  float maximum_ = 0;
  float ranked_down_to_ = 0;
};

}  // namespace zhuzi::sampling
