// SamplingParams: what a request may ask of the step from logits to token.
//
// Place in the journey: filled by the command line or the API, checked once before any work, then
// read by the sampler for every token. Order of the stages is a contract:
//   raw logits -> log-probabilities are taken -> forbidden tokens and logit bias -> repetition
//   penalty (prompt and output), frequency and presence (output only) -> temperature -> top-k ->
//   top-p -> min-p -> draw
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/result.h"

namespace zhuzi {

struct LogitBias {
  TokenId token{};
  float bias = 0;
};

struct SamplingParams {
  static constexpr std::size_t top_logprobs_max = 20;

  float temperature = 1.0f;         ///< >= 0; 0 is argmax.
  std::int32_t top_k = 0;           ///< 0 and -1: off; beyond the vocabulary: all.
  float top_p = 1.0f;               ///< (0, 1]; 0 acts as greedy.
  float min_p = 0.0f;               ///< [0, 1].
  float repetition_penalty = 1.0f;  ///< > 0.
  float frequency_penalty = 0.0f;   ///< [-2, 2].
  float presence_penalty = 0.0f;    ///< [-2, 2].
  std::int32_t repeat_last_n = -1;  ///< Tokens of prompt + output that the repetition penalty sees;
                                    ///< -1: all, 0: none.
  std::uint64_t seed = 0;
  std::uint32_t choice = 0;           ///< Of n choices of one prompt.
  std::size_t min_tokens = 0;         ///< Before so many output tokens, `end_tokens` are forbidden.
  std::vector<TokenId> end_tokens;    ///< End ids and stop ids of the request.
  std::vector<LogitBias> logit_bias;  ///< Each in [-100, 100].
  std::vector<TokenId> forbidden_tokens;
  std::vector<TokenId> allowed_tokens;  ///< Empty: all.
  bool logprobs = false;
  std::size_t top_logprobs = 0;

  /// Error: invalid_argument that names the field and the allowed range. Token ids must be below
  /// `vocabulary`.
  [[nodiscard]] Result<void> validate(std::size_t vocabulary) const;
};

}  // namespace zhuzi
