// Log-probabilities of a raw row: what the model said, before any stage of sampling.
#pragma once

#include <span>
#include <vector>

#include "kernels/isa.h"
#include "sampling/internal/ranking.h"
#include "sampling/sampler.h"

namespace zhuzi::sampling {

/// log softmax at temperature 1: logit - maximum - log(total), in double, rounded once. `total` is
/// NUMERICS rule 2's.
class Logprobs {
 public:
  explicit Logprobs(std::size_t vocabulary);

  /// Keeps a copy of the row, which later stages change.
  void keep(std::span<const float> row);
  /// Of the row kept last: the token's own entry and the first `count`, ties by id. `ranking` is
  /// used up. The entries are valid until the next call.
  void report(const kernels::OpContext& context, Ranking& ranking, std::size_t count,
              Sampled& sampled);

 private:
  std::vector<float> row_;
  std::vector<TokenLogprob> top_;
};

}  // namespace zhuzi::sampling
