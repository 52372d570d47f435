// What the sampling tests share: a row in one line, a draw in one line.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "kernels/isa.h"
#include "sampling/sampler.h"

namespace zhuzi {

inline std::vector<TokenId> tokens_of(std::initializer_list<int> ids) {
  std::vector<TokenId> tokens;
  for (const int id : ids) tokens.push_back(static_cast<TokenId>(id));
  return tokens;
}

inline std::vector<kernels::InstructionSet> supported_sets() {
  std::vector<kernels::InstructionSet> sets;
  for (const auto set : kernels::all_instruction_sets) {
    if (kernels::is_supported(set)) sets.push_back(set);
  }
  return sets;
}

/// A sequence of one request on a sampler of its own, drawn from whatever rows a test hands it.
class Sequence {
 public:
  static constexpr std::size_t tokens_max = 256;

  explicit Sequence(std::size_t vocabulary, std::initializer_list<int> prompt = {},
                    kernels::InstructionSet set = kernels::InstructionSet::scalar)
      : sampler_(vocabulary), history_(vocabulary, tokens_max), context_{.set = set} {
    history_.add_prompt(tokens_of(prompt));
  }

  /// Draws at the next position; the token joins the output.
  Result<Sampled> next(std::vector<float> logits, const SamplingParams& params) {
    const auto position = static_cast<std::uint32_t>(history_.tokens().size());
    auto sampled = sampler_.sample(context_, logits, params, history_, position);
    if (sampled) history_.add_output(sampled->token);
    return sampled;
  }

  /// The ids drawn from the same row `count` times.
  std::vector<int> draw(const std::vector<float>& logits, const SamplingParams& params,
                        std::size_t count) {
    std::vector<int> ids;
    for (std::size_t i = 0; i < count; ++i) {
      const auto sampled = next(logits, params);
      ids.push_back(sampled ? static_cast<int>(sampled->token) : -1);
    }
    return ids;
  }

  [[nodiscard]] TokenHistory& history() { return history_; }
  [[nodiscard]] const Sampler& sampler() const { return sampler_; }

 private:
  Sampler sampler_;
  TokenHistory history_;
  kernels::OpContext context_;
};

}  // namespace zhuzi
