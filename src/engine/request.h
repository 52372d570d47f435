// Request and Event: what goes into the engine and what comes out of it.
//
// Place in the journey: the command line (later the API) makes requests of token ids and checked
// parameters; the engine answers with one event for each token and one end for each request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "sampling/params.h"
#include "sampling/sampler.h"
#include "text/text_stream.h"

namespace zhuzi {

struct Request {
  std::vector<TokenId> prompt;  ///< At least one token.
  SamplingParams sampling;      ///< `end_tokens` is filled in by the engine.
  StopStrings stops;
  std::vector<TokenId> stop_tokens;  ///< End the answer besides the model's own end tokens.
  bool ignore_end_tokens = false;    ///< Go on behind the model's end tokens (benchmarks).
  bool skip_special_tokens = true;   ///< Control tokens give no text.
  std::size_t max_tokens = 0;        ///< Of output; 0: as many as the room has.
};

enum class FinishReason : std::uint8_t { none, stop, length, cancelled, error };
[[nodiscard]] std::string_view name_of(FinishReason reason);

struct Usage {
  std::size_t prompt_tokens = 0;
  std::size_t completion_tokens = 0;  ///< With the end token and what a stop string swallowed.
};

/// Seconds, of a finished request.
struct Timings {
  double queue = 0;    ///< From submit to the first step that computes.
  double prefill = 0;  ///< From there to the first token.
  double decode = 0;   ///< From the first token to the last.
};

struct Finish {
  FinishReason reason = FinishReason::none;
  std::optional<std::size_t> stop_string{};  ///< Which of the request's stop strings matched.
  std::optional<TokenId> stop_token{};       ///< Which token ended it.
  std::optional<Error> error{};
  Usage usage{};
  Timings timings{};
};

/// One token of one request, or its end, or both. Views are valid until the next step.
struct Event {
  RequestId id{};
  std::optional<TokenId> token{};
  std::string_view text{};         ///< What has become safe to show.
  std::size_t decided_bytes = 0;   ///< Bytes of output so far whose text is shown or swallowed.
  std::size_t token_bytes = 0;     ///< Bytes that this token added to the stream.
  const Sampled* draw = nullptr;   ///< How the token came about; nullptr where there is none.
  const Finish* finish = nullptr;  ///< Set in the last event of a request.
};

}  // namespace zhuzi
