// From logits to events: faults, the draw, the text, and the reasons to end.
#include <algorithm>

#include "base/check.h"
#include "engine/engine.h"
#include "engine/internal/running.h"

namespace zhuzi {
namespace {

Error error_of(kernels::RowFault fault, kernels::KvFormat format) {
  if (fault == kernels::RowFault::kv_overflow) {
    return {ErrorCode::numeric,
            fmt::format("a key or value is beyond what the KV format {} can hold; start with "
                        "--kv-cache-dtype bf16 or f32",
                        kernels::name_of(format))};
  }
  return {ErrorCode::numeric,
          "the model computed a value that is not finite; its file may be damaged"};
}

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

bool holds(std::span<const TokenId> tokens, TokenId token) {
  return std::ranges::find(tokens, token) != tokens.end();
}

}  // namespace

std::span<const Outcome> Engine::sample(const Plan& plan, const ForwardResult& computed) {
  outcomes_.clear();
  std::size_t row = 0;
  std::size_t logits_row = 0;
  for (const PlanEntry& entry : plan.entries) {
    Running& running = *find(entry.id);
    const auto faults = computed.faults.subspan(row, entry.count);
    const auto fault = std::ranges::find_if(
        faults, [](kernels::RowFault each) { return each != kernels::RowFault::none; });
    row += entry.count;
    const std::size_t own_logits = entry.wants_token ? logits_row++ : logits_row;
    if (fault != faults.end()) {
      finish(running,
             {.reason = FinishReason::error, .error = error_of(*fault, options_.kv_format)});
      events_.push_back({.id = running.id, .finish = &*running.finish});
      outcomes_.push_back(Outcome::finished);
    } else if (entry.wants_token) {
      const kernels::Rows& logits = computed.logits;
      outcomes_.push_back(draw(running, {logits.row(own_logits), logits.columns}));
    } else {
      outcomes_.push_back(Outcome::computed);
    }
  }
  return outcomes_;
}

Outcome Engine::draw(Running& running, std::span<float> logits) {
  const std::size_t position = running.history.tokens().size();
  if (logits_observer_ != nullptr) logits_observer_->logits(running.id, position, logits);
  const Result<Sampled> sampled =
      sampler_.sample(context_, logits, running.request.sampling, running.history,
                      static_cast<std::uint32_t>(position));
  if (!sampled) {
    finish(running, {.reason = FinishReason::error, .error = sampled.error()});
    events_.push_back({.id = running.id, .finish = &*running.finish});
    return Outcome::finished;
  }
  running.sampled = *sampled;
  running.top_logprobs.assign(sampled->top_logprobs.begin(), sampled->top_logprobs.end());
  running.sampled.top_logprobs = running.top_logprobs;
  return advance(running);
}

/// The drawn token joins the answer; its text, and whether the answer ends here.
Outcome Engine::advance(Running& running) {
  const Request& request = running.request;
  const TokenId token = running.sampled.token;
  running.history.add_output(token);
  if (!running.first_token) running.first_token = Clock::now();

  const bool is_end = holds(request.sampling.end_tokens, token);
  const bool is_hidden =
      is_end || (request.skip_special_tokens && tokenizer_.kind(token) == TokenKind::control);
  const std::string_view bytes = is_hidden ? std::string_view{} : tokenizer_.bytes(token);
  running.token_bytes = bytes.size();
  running.stream_bytes += bytes.size();
  running.text = running.stream.push(bytes);

  const std::optional<std::size_t> stop_string = running.stream.stopped_by();
  const bool is_full = running.history.tokens().size() >= running.room;
  if (is_end || stop_string || is_full) {
    running.text += running.stream.finish();
    finish(running, {.reason = is_end || stop_string ? FinishReason::stop : FinishReason::length,
                     .stop_string = stop_string,
                     .stop_token = is_end ? std::optional(token) : std::nullopt});
  }
  events_.push_back({.id = running.id,
                     .token = token,
                     .text = running.text,
                     .decided_bytes = running.stream.decided_bytes(),
                     .token_bytes = running.token_bytes,
                     .draw = &running.sampled,
                     .finish = running.finish ? &*running.finish : nullptr});
  return running.finish ? Outcome::finished : Outcome::extended;
}

void Engine::finish(Running& running, Finish finish) {
  const Clock::time_point now = Clock::now();
  const Clock::time_point started = running.first_step.value_or(now);
  const Clock::time_point answered = running.first_token.value_or(now);
  finish.usage = {.prompt_tokens = running.history.prompt_tokens(),
                  .completion_tokens = running.history.output_tokens()};
  finish.timings = {.queue = seconds_between(running.submitted, started),
                    .prefill = seconds_between(started, answered),
                    .decode = seconds_between(answered, now)};
  running.finish = std::move(finish);
}

}  // namespace zhuzi
