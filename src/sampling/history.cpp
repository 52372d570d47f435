// A table from token to its entry makes adding O(1); the list of entries makes penalties cost as
// much as there are distinct tokens, whatever the vocabulary.
#include "sampling/history.h"

#include <algorithm>

#include "base/check.h"

namespace zhuzi {

TokenHistory::TokenHistory(std::size_t vocabulary, std::size_t tokens_max)
    : tokens_max_(tokens_max), slot_of_(vocabulary) {
  tokens_.reserve(tokens_max);
  distinct_.reserve(std::min(vocabulary, tokens_max));
}

TokenHistory::Occurrence& TokenHistory::add(TokenId token) {
  check(tokens_.size() < tokens_max_, "the history has room for the token");
  check(index(token) < slot_of_.size(), "the token is in the vocabulary");
  tokens_.push_back(token);
  std::uint32_t& slot = slot_of_[index(token)];
  if (slot == 0) {
    distinct_.push_back({.token = token});
    slot = static_cast<std::uint32_t>(distinct_.size());
  }
  Occurrence& entry = distinct_[slot - 1];
  entry.end = tokens_.size();
  return entry;
}

void TokenHistory::add_prompt(std::span<const TokenId> tokens) {
  check(output_tokens() == 0, "the prompt comes before the output");
  for (const TokenId token : tokens) add(token);
  prompt_tokens_ += tokens.size();
}

void TokenHistory::add_output(TokenId token) { ++add(token).output_count; }

}  // namespace zhuzi
