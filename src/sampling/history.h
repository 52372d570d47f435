// TokenHistory: what penalties count, the tokens of one sequence, prompt first.
//
// Place in the journey: it belongs to a request, grows by each sampled token, survives preemption,
// and is read by the sampler. Owned by the engine thread.
//
// Invariant: `distinct` has one entry for each token that occurs in `tokens`. Adding a token is
// O(1) and allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"

namespace zhuzi {

class TokenHistory {
 public:
  /// `vocabulary` entries; room for `tokens_max` tokens is taken now.
  TokenHistory(std::size_t vocabulary, std::size_t tokens_max);

  /// All of the prompt, before any output.
  void add_prompt(std::span<const TokenId> tokens);
  void add_output(TokenId token);

  [[nodiscard]] std::span<const TokenId> tokens() const { return tokens_; }
  [[nodiscard]] std::size_t prompt_tokens() const { return prompt_tokens_; }
  [[nodiscard]] std::size_t output_tokens() const { return tokens_.size() - prompt_tokens_; }

  /// A token that occurs, in order of its first occurrence.
  struct Occurrence {
    TokenId token{};
    std::uint32_t output_count = 0;  ///< How often the output has it; the prompt does not count.
    std::size_t end = 0;             ///< Behind its last occurrence, as an index into `tokens`.
  };
  [[nodiscard]] std::span<const Occurrence> distinct() const { return distinct_; }

 private:
  Occurrence& add(TokenId token);

  std::size_t tokens_max_;
  std::size_t prompt_tokens_ = 0;
  std::vector<TokenId> tokens_;
  std::vector<Occurrence> distinct_;
  std::vector<std::uint32_t> slot_of_;  ///< By token: its place in `distinct_` + 1; 0 is absent.
};

}  // namespace zhuzi
