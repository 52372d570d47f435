// Each stage of the contract in params.h is one function, called in its order.
#include "sampling/internal/adjust.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace zhuzi::sampling {
namespace {

constexpr float masked = -std::numeric_limits<float>::infinity();

float& logit_of(std::span<float> logits, TokenId token) {
  check(index(token) < logits.size(), "parameters were validated for this vocabulary");
  return logits[index(token)];
}

void keep_only(std::span<float> logits, std::span<const TokenId> allowed,
               std::span<float> scratch) {
  if (allowed.empty()) return;
  check(allowed.size() <= scratch.size(), "parameters were validated for this vocabulary");
  for (std::size_t i = 0; i < allowed.size(); ++i) scratch[i] = logit_of(logits, allowed[i]);
  std::fill(logits.begin(), logits.end(), masked);
  for (std::size_t i = 0; i < allowed.size(); ++i) logit_of(logits, allowed[i]) = scratch[i];
}

void forbid(std::span<float> logits, std::span<const TokenId> tokens) {
  for (const TokenId token : tokens) logit_of(logits, token) = masked;
}

void add_bias(std::span<float> logits, std::span<const LogitBias> biases) {
  for (const LogitBias& entry : biases) logit_of(logits, entry.token) += entry.bias;
}

/// The last `repeat_last_n` tokens of prompt and output begin here.
std::size_t window_begin(const SamplingParams& params, const TokenHistory& history) {
  const std::size_t tokens = history.tokens().size();
  if (params.repeat_last_n < 0) return 0;
  return tokens - std::min(tokens, static_cast<std::size_t>(params.repeat_last_n));
}

void penalize(std::span<float> logits, const SamplingParams& params, const TokenHistory& history) {
  const bool repetition = params.repetition_penalty != 1;
  if (!repetition && params.frequency_penalty == 0 && params.presence_penalty == 0) return;
  const std::size_t begin = window_begin(params, history);
  for (const TokenHistory::Occurrence& entry : history.distinct()) {
    float& logit = logit_of(logits, entry.token);
    if (repetition && entry.end > begin) {
      logit = logit > 0 ? logit / params.repetition_penalty : logit * params.repetition_penalty;
    }
    if (entry.output_count > 0) {
      logit -= params.frequency_penalty * static_cast<float>(entry.output_count);
      logit -= params.presence_penalty;
    }
  }
}

}  // namespace

void adjust(std::span<float> logits, const SamplingParams& params, const TokenHistory& history,
            std::span<float> scratch) {
  keep_only(logits, params.allowed_tokens, scratch);
  forbid(logits, params.forbidden_tokens);
  if (history.output_tokens() < params.min_tokens) forbid(logits, params.end_tokens);
  add_bias(logits, params.logit_bias);
  penalize(logits, params, history);
}

}  // namespace zhuzi::sampling
