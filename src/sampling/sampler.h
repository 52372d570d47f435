// Sampler: one row of logits to one token.
//
// Place in the journey: after forward, inside Engine::step, on the engine thread, rows of a
// sequence in order. State that survives between tokens (penalty counts) belongs to the request, in
// `TokenHistory`, and survives preemption. `sample` allocates nothing: scratch is sized at load.
//
// Invariant: the token is a function of (logits row, params, history, position). Ties go to the
// lower id. Rank is by logit after bias and penalties, before temperature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/ids.h"
#include "base/result.h"
#include "kernels/isa.h"
#include "sampling/history.h"
#include "sampling/params.h"

namespace zhuzi {

struct TokenLogprob {
  TokenId token{};
  float logprob = 0;
  std::size_t rank = 0;  ///< 1 is the likeliest.
};

/// What a draw came from; for the reply, the trace and the page.
struct Sampled {
  TokenId token{};
  std::size_t survivors = 0;  ///< Tokens that truncation left and whose width is above 0; where
                              ///< nothing truncates, all whose logit is finite.
  double needle = 0;          ///< u; 0 when nothing was drawn.
  double mass = 0;            ///< Sum of the survivors' widths.
  double probability = 0;     ///< Of the token among the survivors.
  bool has_logprobs = false;
  TokenLogprob logprob{};                        ///< Of the raw logits, before any stage.
  std::span<const TokenLogprob> top_logprobs{};  ///< Valid until the next call.
};

class Sampler {
 public:
  explicit Sampler(std::size_t vocabulary);
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;
  ~Sampler();

  /// Draws the token at absolute index `position`. `params` were validated. `logits` (vocabulary
  /// values) may be changed.
  /// Errors: numeric, when a logit is NaN or +inf, or none is finite (before or after masks).
  [[nodiscard]] Result<Sampled> sample(const kernels::OpContext& context, std::span<float> logits,
                                       const SamplingParams& params, const TokenHistory& history,
                                       std::uint32_t position);

  /// The survivors of the last draw in rank order with their widths: the bar of the page. All of
  /// them after truncation; where nothing truncates, at least up to the token drawn. Valid until
  /// the next call.
  struct Survivor {
    TokenId token{};
    float width = 0;
  };
  [[nodiscard]] std::span<const Survivor> survivors() const;

 private:
  struct Scratch;
  std::unique_ptr<Scratch> scratch_;
};

}  // namespace zhuzi
