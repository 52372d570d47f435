// The chain: check, adjust, cut the bar, let the needle fall.
#include "sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "kernels/vocabulary.h"
#include "sampling/internal/adjust.h"
#include "sampling/internal/bar.h"
#include "sampling/internal/logprobs.h"
#include "sampling/philox.h"

namespace zhuzi {

using kernels::OpContext;
using sampling::Bar;
using sampling::Logprobs;

struct Sampler::Scratch {
  explicit Scratch(std::size_t vocabulary)
      : values(vocabulary), bar(vocabulary), logprobs(vocabulary) {}

  std::vector<float> values;
  Bar bar;
  Logprobs logprobs;
};

namespace {

std::unexpected<Error> invalid_row(std::span<const float> logits) {
  for (std::size_t id = 0; id < logits.size(); ++id) {
    if (logits[id] < std::numeric_limits<float>::infinity()) continue;
    return fail(ErrorCode::numeric, "The model computed {} as the logit of token {}.",
                std::isnan(logits[id]) ? "NaN" : "+inf", id);
  }
  return fail(ErrorCode::numeric, "The model computed no finite logit: all {} are -inf.",
              logits.size());
}

/// Errors that only the request's own parameters can cause.
Result<void> usable_maximum(float maximum) {
  if (std::isfinite(maximum)) return {};
  if (maximum < 0) {
    return fail(ErrorCode::numeric,
                "No token is left to draw: allowed_tokens, forbidden_tokens, min_tokens and "
                "penalties exclude all of them.");
  }
  return fail(ErrorCode::numeric,
              "repetition_penalty makes a logit infinite; use a value nearer to 1.");
}

struct Cut {
  std::size_t survivors = 0;
  double mass = 0;
};

/// Takes tokens from the left of the bar, at most `limit`, until their mass is `wanted` or one is
/// narrower than `narrowest`.
Cut take(const OpContext& context, Bar& bar, std::size_t limit, double wanted, float narrowest) {
  Cut cut;
  while (cut.survivors < limit && cut.mass < wanted && bar.reaches(context, cut.survivors) &&
         bar[cut.survivors].width >= narrowest) {
    cut.mass += double{bar[cut.survivors].width};
    ++cut.survivors;
  }
  return cut;
}

/// Top-k, top-p and min-p each keep a prefix of the ranks, so the shortest one remains.
Cut truncate(const OpContext& context, Bar& bar, std::span<const float> logits,
             const SamplingParams& params) {
  constexpr double all = std::numeric_limits<double>::infinity();
  const bool has_top_k = params.top_k > 0 && std::cmp_less(params.top_k, logits.size());
  const bool has_top_p = params.top_p < 1;
  const auto whole_mass = [&] {
    return double{kernels::exponential_sum(context, logits, params.temperature).total};
  };
  if (!has_top_k && !has_top_p && params.min_p == 0) {
    return {.survivors = bar.count_finite(), .mass = whole_mass()};
  }
  std::size_t limit = logits.size();
  if (has_top_k) {
    limit = static_cast<std::size_t>(params.top_k);
    bar.rank_first(context, limit);
  }
  double wanted = all;
  if (has_top_p) {
    const double mass = has_top_k ? take(context, bar, limit, all, 0).mass : whole_mass();
    wanted = double{params.top_p} * mass;
  }
  return take(context, bar, limit, wanted, params.min_p);
}

/// The rank that `point` falls into; the last survivor when rounding lets it fall behind.
std::size_t rank_under(const OpContext& context, Bar& bar, std::size_t survivors, double point) {
  double sum = 0;
  std::size_t rank = 0;
  for (; rank < survivors && bar.reaches(context, rank); ++rank) {
    sum += double{bar[rank].width};
    if (sum > point) return rank;
  }
  return rank - 1;
}

Result<Sampled> draw(const OpContext& context, std::span<const float> logits,
                     const SamplingParams& params, std::uint32_t position, Bar& bar) {
  TRY(usable_maximum(bar.start(logits, params.temperature)));
  const Cut cut = truncate(context, bar, logits, params);
  const double u = needle(params.seed, position, params.choice);
  const std::size_t rank = rank_under(context, bar, cut.survivors, u * cut.mass);
  bar.cut(cut.survivors);
  return Sampled{.token = bar[rank].token,
                 .survivors = cut.survivors,
                 .needle = u,
                 .mass = cut.mass,
                 .probability = double{bar[rank].width} / cut.mass};
}

Result<Sampled> most_likely(const OpContext& context, std::span<const float> logits, Bar& bar) {
  const kernels::Best best = kernels::argmax(context, logits);
  TRY(usable_maximum(best.value));
  const auto token = static_cast<TokenId>(best.index);
  bar.set_only(token);
  return Sampled{.token = token, .survivors = 1, .mass = 1, .probability = 1};
}

}  // namespace

Sampler::Sampler(std::size_t vocabulary) : scratch_(std::make_unique<Scratch>(vocabulary)) {}
Sampler::Sampler(Sampler&&) noexcept = default;
Sampler& Sampler::operator=(Sampler&&) noexcept = default;
Sampler::~Sampler() = default;

Result<Sampled> Sampler::sample(const OpContext& context, std::span<float> logits,
                                const SamplingParams& params, const TokenHistory& history,
                                std::uint32_t position) {
  auto& [values, bar, logprobs] = *scratch_;
  check(logits.size() == values.size(), "the row has one logit for each token");
  bar.clear();
  if (!kernels::is_valid_logits(context, logits)) return invalid_row(logits);
  if (params.logprobs) logprobs.keep(logits);
  sampling::adjust(logits, params, history, values);
  const bool is_greedy = params.temperature == 0 || params.top_p == 0;
  Sampled sampled = is_greedy ? TRY(most_likely(context, logits, bar))
                              : TRY(draw(context, logits, params, position, bar));
  if (params.logprobs) logprobs.report(context, bar.ranking(), params.top_logprobs, sampled);
  return sampled;
}

std::span<const Sampler::Survivor> Sampler::survivors() const { return scratch_->bar.segments(); }

}  // namespace zhuzi
