// One sum of exponentials for the row, then one subtraction for each token that is reported.
#include "sampling/internal/logprobs.h"

#include <algorithm>

#include "base/math64.h"
#include "kernels/vocabulary.h"

namespace zhuzi::sampling {

Logprobs::Logprobs(std::size_t vocabulary)
    : row_(vocabulary), top_(std::min(vocabulary, SamplingParams::top_logprobs_max)) {}

void Logprobs::keep(std::span<const float> row) { std::ranges::copy(row, row_.begin()); }

void Logprobs::report(const kernels::OpContext& context, Ranking& ranking, std::size_t count,
                      Sampled& sampled) {
  const kernels::ExponentialSum sum = kernels::exponential_sum(context, row_, 1.0f);
  const double log_total = math64::log(static_cast<double>(sum.total));
  const auto entry = [&](TokenId token, std::size_t rank) {
    const double distance = static_cast<double>(row_[index(token)]) - sum.maximum;
    return TokenLogprob{
        .token = token, .logprob = static_cast<float>(distance - log_total), .rank = rank + 1};
  };
  ranking.start(row_);
  ranking.rank_first(count);
  count = std::min({count, ranking.size(), top_.size()});
  for (std::size_t rank = 0; rank < count; ++rank) top_[rank] = entry(ranking.token(rank), rank);
  sampled.has_logprobs = true;
  sampled.logprob = entry(sampled.token, ranking.rank_of(sampled.token));
  sampled.top_logprobs = std::span(top_).first(count);
}

}  // namespace zhuzi::sampling
