// The check of SamplingParams: every field against its range, before any work.
#include "sampling/params.h"

#include <cmath>
#include <span>
#include <string_view>

namespace zhuzi {
namespace {

constexpr float penalty_limit = 2.0f;
constexpr float bias_limit = 100.0f;

Result<void> in_range(std::string_view field, float value, float lowest, float highest) {
  // Written so that NaN fails.
  if (value >= lowest && value <= highest) return {};
  return fail(ErrorCode::invalid_argument, "{} is {}; it must be a number from {} to {}.", field,
              value, lowest, highest);
}

/// A list can name each token of the vocabulary; more entries are no use to anybody.
Result<void> valid_length(std::string_view field, std::size_t entries, std::size_t vocabulary) {
  if (entries <= vocabulary) return {};
  return fail(ErrorCode::invalid_argument,
              "{} has {} entries; at most one for each of the {} tokens is allowed.", field,
              entries, vocabulary);
}

Result<void> valid_token(std::string_view field, TokenId token, std::size_t vocabulary) {
  const auto id = static_cast<std::int32_t>(token);
  if (id >= 0 && index(token) < vocabulary) return {};
  return fail(ErrorCode::invalid_argument, "{} has token id {}; this model's ids go from 0 to {}.",
              field, id, vocabulary - 1);
}

Result<void> valid_tokens(std::string_view field, std::span<const TokenId> tokens,
                          std::size_t vocabulary) {
  TRY(valid_length(field, tokens.size(), vocabulary));
  for (const TokenId token : tokens) TRY(valid_token(field, token, vocabulary));
  return {};
}

Result<void> valid_biases(std::span<const LogitBias> biases, std::size_t vocabulary) {
  TRY(valid_length("logit_bias", biases.size(), vocabulary));
  for (const LogitBias& entry : biases) {
    TRY(valid_token("logit_bias", entry.token, vocabulary));
    TRY(in_range("logit_bias", entry.bias, -bias_limit, bias_limit));
  }
  return {};
}

}  // namespace

Result<void> SamplingParams::validate(std::size_t vocabulary) const {
  if (!(std::isfinite(temperature) && temperature >= 0)) {
    return fail(ErrorCode::invalid_argument,
                "temperature is {}; it must be a finite number, 0 (always the likeliest token) or "
                "more.",
                temperature);
  }
  if (top_k < -1) {
    return fail(ErrorCode::invalid_argument,
                "top_k is {}; it must be a number of tokens, or 0 or -1 for no limit.", top_k);
  }
  TRY(in_range("top_p", top_p, 0, 1));
  TRY(in_range("min_p", min_p, 0, 1));
  if (!(std::isfinite(repetition_penalty) && repetition_penalty > 0)) {
    return fail(ErrorCode::invalid_argument,
                "repetition_penalty is {}; it must be a finite number above 0 (1 is none).",
                repetition_penalty);
  }
  TRY(in_range("frequency_penalty", frequency_penalty, -penalty_limit, penalty_limit));
  TRY(in_range("presence_penalty", presence_penalty, -penalty_limit, penalty_limit));
  if (repeat_last_n < -1) {
    return fail(ErrorCode::invalid_argument,
                "repeat_last_n is {}; it must be a number of tokens, or -1 for all.",
                repeat_last_n);
  }
  if (top_logprobs > top_logprobs_max) {
    return fail(ErrorCode::invalid_argument, "top_logprobs is {}; it must be from 0 to {}.",
                top_logprobs, top_logprobs_max);
  }
  if (top_logprobs > 0 && !logprobs) {
    return fail(ErrorCode::invalid_argument, "top_logprobs is {}, but logprobs is not asked for.",
                top_logprobs);
  }
  TRY(valid_biases(logit_bias, vocabulary));
  TRY(valid_tokens("end_tokens", end_tokens, vocabulary));
  TRY(valid_tokens("forbidden_tokens", forbidden_tokens, vocabulary));
  return valid_tokens("allowed_tokens", allowed_tokens, vocabulary);
}

}  // namespace zhuzi
