// Sampler: one row of logits to one token.
//
// Place in the journey: after forward, inside Engine::step, on the engine thread, rows of a sequence
// in order. State that survives between tokens (penalty counts) belongs to the request, in
// `TokenHistory`, and survives preemption. No allocation after warm-up: scratch is sized at load.
//
// Invariant: the token is a function of (logits row, params, history, position). Ties go to the
// lower id. Rank is by logit after bias and penalties, before temperature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "kernels/isa.h"
#include "sampling/params.h"

namespace zhuzi {

/// What penalties count: the tokens of a sequence, prompt first. Adding a token is O(1).
class TokenHistory {
 public:
  /// `vocabulary` entries; room for `tokens_max` tokens is taken now, so that adding allocates
  /// nothing.
  TokenHistory(std::size_t vocabulary, std::size_t tokens_max);
  TokenHistory(TokenHistory&&) noexcept;
  TokenHistory& operator=(TokenHistory&&) noexcept;
  ~TokenHistory();

  void add_prompt(std::span<const TokenId> tokens);
  void add_output(TokenId token);
  [[nodiscard]] std::span<const TokenId> tokens() const;
  [[nodiscard]] std::size_t prompt_tokens() const;
  [[nodiscard]] std::size_t output_tokens() const;
  /// Each token that occurs in the output, with its count.
  struct Count {
    TokenId token{};
    std::uint32_t count = 0;
  };
  [[nodiscard]] std::span<const Count> output_counts() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

struct TokenLogprob {
  TokenId token{};
  float logprob = 0;
  std::size_t rank = 0;  ///< 1 is the likeliest.
};

/// What a draw came from; for the reply, the trace and the page.
struct Sampled {
  TokenId token{};
  std::size_t survivors = 0;    ///< Tokens left after truncation.
  double needle = 0;            ///< u; 0 when nothing was drawn.
  double mass = 0;              ///< Sum of the survivors' widths.
  double probability = 0;       ///< Of the token among the survivors.
  bool has_logprobs = false;
  TokenLogprob logprob;         ///< Of the raw logits, before any stage.
  std::span<const TokenLogprob> top_logprobs;  ///< Valid until the next call.
};

class Sampler {
 public:
  explicit Sampler(std::size_t vocabulary);
  Sampler(Sampler&&) noexcept;
  Sampler& operator=(Sampler&&) noexcept;
  ~Sampler();

  /// Draws the token at absolute index `position`. `logits` (vocabulary values) may be changed.
  /// Errors: numeric, when a logit is NaN or +inf, or none is finite (before or after masks).
  [[nodiscard]] Result<Sampled> sample(const kernels::OpContext& context, std::span<float> logits,
                                       const SamplingParams& params, const TokenHistory& history,
                                       std::uint32_t position);

  /// The survivors of the last draw in rank order with their widths: the bar of the page.
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
