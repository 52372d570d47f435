// Bar: tokens side by side in rank order, each as wide as its weight exp((logit - maximum) / T).
//
// Place in the journey: the sampler cuts the bar (top-k, top-p, min-p), and the needle picks from
// what is left (NUMERICS, rule 8). The page shows this bar.
//
// Invariant: widths are positive and the first is 1; a token whose width underflows to 0 can never
// be drawn and ends the bar. The bar grows to the right only as far as it is asked about.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/isa.h"
#include "sampling/internal/ranking.h"
#include "sampling/sampler.h"

namespace zhuzi::sampling {

class Bar {
 public:
  explicit Bar(std::size_t vocabulary);

  /// Starts over with a row without NaN and a temperature above 0. Returns the largest logit; only
  /// when that is finite is there a bar.
  float start(std::span<const float> row, float temperature);

  /// Tokens of the row whose logit is finite.
  [[nodiscard]] std::size_t count_finite() const { return ranking_.count_finite(); }
  /// Puts at least the first `count` tokens on the bar at once, if it has so many.
  void rank_first(const kernels::OpContext& context, std::size_t count);
  /// True when the bar has a token at `rank`; grows it until then.
  [[nodiscard]] bool reaches(const kernels::OpContext& context, std::size_t rank) {
    return rank < size_ || grow(context, rank);
  }

  [[nodiscard]] const Sampler::Survivor& operator[](std::size_t rank) const {
    return segments_[rank];
  }
  /// What has been looked at so far.
  [[nodiscard]] std::span<const Sampler::Survivor> segments() const {
    return std::span(segments_).first(size_);
  }
  /// The draw is over; what survived stays.
  void cut(std::size_t survivors) { size_ = std::min(size_, survivors); }
  void clear() { size_ = 0; }
  /// For a token that was chosen without widths.
  void set_only(TokenId token);
  /// For another use of its memory once the bar is cut.
  [[nodiscard]] Ranking& ranking() { return ranking_; }

 private:
  bool grow(const kernels::OpContext& context, std::size_t rank);
  void add_ranked(const kernels::OpContext& context);

  Ranking ranking_;
  std::vector<Sampler::Survivor> segments_;
  std::size_t size_ = 0;
  float temperature_ = 1;
  float reach_ = 0;       ///< Tokens down to maximum - reach * temperature are ranked.
  bool is_whole_ = true;  ///< Nothing to the right has a width.
};

}  // namespace zhuzi::sampling
