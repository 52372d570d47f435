// Reply: the events of one request, collected into an answer.
//
// Place in the journey: behind Engine::step, for whoever wants the whole answer: `run --json`,
// tests, later the replies that do not stream. Log-probabilities of a token stand in the reply once
// its text is decided; those of tokens that a stop string swallowed are dropped with them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "engine/request.h"

namespace zhuzi {

struct ReplyToken {
  TokenId token{};
  std::size_t end_byte = 0;  ///< Of the stream, behind this token.
  TokenLogprob logprob;
  std::vector<TokenLogprob> top_logprobs;
};

struct Reply {
  std::string text;
  std::vector<TokenId> token_ids;    ///< All that were drawn, the end token too.
  std::vector<ReplyToken> logprobs;  ///< Of the tokens whose text is shown.
  std::optional<Finish> finish;

  /// Takes an event of this reply's request.
  void add(const Event& event);

 private:
  std::size_t stream_bytes_ = 0;
};

}  // namespace zhuzi
