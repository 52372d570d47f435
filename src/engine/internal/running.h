// Running: an accepted request from submit to finish, with everything that survives a step.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace zhuzi {

using Clock = std::chrono::steady_clock;

struct Engine::Running {
  Running(RequestId request_id, Request accepted, std::size_t vocabulary, std::size_t room_tokens)
      : id(request_id),
        request(std::move(accepted)),
        room(room_tokens),
        history(vocabulary, room_tokens),
        stream(request.stops) {
    history.add_prompt(request.prompt);
    top_logprobs.reserve(SamplingParams::top_logprobs_max);
    text.reserve(StopStrings::bytes_max + 1024);
  }

  RequestId id;
  Request request;
  std::size_t room;  ///< Prompt and output together.
  TokenHistory history;
  TextStream stream;
  std::size_t stream_bytes = 0;  ///< Bytes that tokens have given to the stream.

  Clock::time_point submitted = Clock::now();
  std::optional<Clock::time_point> first_step;
  std::optional<Clock::time_point> first_token;

  // What the last step made, for its event.
  Sampled sampled;
  std::vector<TokenLogprob> top_logprobs;
  std::string text;
  std::size_t token_bytes = 0;
  std::optional<Finish> finish;
};

}  // namespace zhuzi
