// The step, and what surrounds it: loading, accepting, cancelling, telling.
#include "engine/engine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/memory.h"
#include "engine/internal/running.h"

namespace zhuzi {
namespace {

std::size_t blocks_of(std::size_t tokens) {
  return (tokens + kernels::page_tokens - 1) / kernels::page_tokens;
}

/// Half of the memory that is left, but never more than all sequences can fill.
std::size_t default_kv_blocks(const ModelSpec& spec, const EngineOptions& options,
                              std::size_t context) {
  const HeadAttention& attention = spec.layers.front().attention;
  const kernels::KvLayout layout{.format = options.kv_format,
                                 .layers = spec.layers.size(),
                                 .kv_heads = attention.kv_heads,
                                 .head_length = attention.head_length,
                                 .value_length = attention.head_length};
  const std::size_t fits = available_memory() / 2 / layout.block_bytes();
  return std::min(fits, options.max_num_seqs * blocks_of(context));
}

Result<EngineOptions> complete(EngineOptions options, const ModelSpec& spec) {
  if (options.max_model_len > spec.context) {
    return fail(ErrorCode::invalid_argument,
                "max-model-len {} is beyond the {} positions that the model's file allows",
                options.max_model_len, spec.context);
  }
  if (options.max_num_seqs == 0 || options.max_num_batched_tokens == 0) {
    return fail(ErrorCode::invalid_argument,
                "max-num-seqs and max-num-batched-tokens are at least 1");
  }
  if (!kernels::is_supported(options.set)) {
    return fail(ErrorCode::invalid_argument, "this machine cannot run the instruction set {}",
                kernels::name_of(options.set));
  }
  if (options.max_model_len == 0) options.max_model_len = spec.context;
  if (options.threads == 0) options.threads = usable_threads();
  if (options.kv_blocks == 0)
    options.kv_blocks = default_kv_blocks(spec, options, options.max_model_len);
  if (options.kv_blocks == 0) {
    return fail(ErrorCode::out_of_memory,
                "no memory is left for a KV cache; {} bytes are available", available_memory());
  }
  return options;
}

}  // namespace

std::string_view name_of(FinishReason reason) {
  switch (reason) {
    case FinishReason::none: return "none";
    case FinishReason::stop: return "stop";
    case FinishReason::length: return "length";
    case FinishReason::cancelled: return "cancelled";
    case FinishReason::error: return "error";
  }
  return "none";
}

Result<std::unique_ptr<Engine>> Engine::make(const ModelSpec& spec, const ModelWeights& weights,
                                             const Tokenizer& tokenizer,
                                             const EngineOptions& options) {
  const EngineOptions complete_options = TRY(complete(options, spec));
  kernels::set_float_control_word();
  auto threads = std::make_unique<ThreadPool>(complete_options.threads);
  const kernels::OpContext context{.threads = threads.get(), .set = complete_options.set};
  Forward forward = TRY(Forward::make(spec, weights,
                                      {.rows_max = complete_options.max_num_batched_tokens,
                                       .logits_rows_max = complete_options.max_num_seqs,
                                       .context = complete_options.max_model_len,
                                       .kv_blocks = complete_options.kv_blocks,
                                       .kv_format = complete_options.kv_format},
                                      context));
  return std::unique_ptr<Engine>(
      new Engine(complete_options, tokenizer, std::move(threads), std::move(forward)));
}

Engine::Engine(const EngineOptions& options, const Tokenizer& tokenizer,
               std::unique_ptr<ThreadPool> threads, Forward forward)
    : options_(options),
      tokenizer_(tokenizer),
      threads_(std::move(threads)),
      context_{.threads = threads_.get(), .set = options.set},
      forward_(std::move(forward)),
      room_(std::min(options.max_model_len, options.kv_blocks * kernels::page_tokens)),
      pool_(options.kv_blocks),
      scheduler_({.sequences_max = options.max_num_seqs,
                  .tokens_max = options.max_num_batched_tokens,
                  .block_tokens = kernels::page_tokens},
                 pool_),
      sampler_(forward_.spec().vocabulary) {
  batch_tokens_.reserve(options.max_num_batched_tokens);
  batch_places_.reserve(options.max_num_batched_tokens);
  batch_logits_.reserve(options.max_num_seqs);
  outcomes_.reserve(options.max_num_seqs);
  events_.reserve(options.max_num_seqs);
}

Engine::~Engine() = default;

Result<void> Engine::check_request(const Request& request) const {
  const std::size_t vocabulary = forward_.spec().vocabulary;
  if (request.prompt.empty()) return fail(ErrorCode::invalid_argument, "the prompt is empty");
  for (const TokenId token : request.prompt) {
    if (index(token) < vocabulary) continue;
    return fail(ErrorCode::invalid_argument, "the prompt holds token id {}; the model has 0 to {}",
                static_cast<std::int64_t>(token), vocabulary - 1);
  }
  for (const TokenId token : request.stop_tokens) {
    if (index(token) < vocabulary) continue;
    return fail(ErrorCode::invalid_argument, "stop_token_ids holds {}; the model has 0 to {}",
                static_cast<std::int64_t>(token), vocabulary - 1);
  }
  if (request.prompt.size() >= room_) {
    return fail(ErrorCode::context_length,
                "the prompt has {} tokens and the answer needs at least one, but there is room for "
                "{} together; shorten the prompt or start a new conversation",
                request.prompt.size(), room_);
  }
  return request.sampling.validate(vocabulary);
}

Result<RequestId> Engine::submit(Request request) {
  request.sampling.end_tokens = request.stop_tokens;
  if (!request.ignore_end_tokens) {
    const std::span<const TokenId> ends = tokenizer_.end_tokens();
    request.sampling.end_tokens.insert(request.sampling.end_tokens.end(), ends.begin(), ends.end());
  }
  TRY(check_request(request));
  const std::size_t left = room_ - request.prompt.size();
  const std::size_t output = request.max_tokens == 0 ? left : std::min(left, request.max_tokens);
  const std::size_t room = request.prompt.size() + output;
  const RequestId id{next_id_};
  TRY(scheduler_.add(id, request.prompt.size(), room));
  ++next_id_;
  running_.push_back(
      std::make_unique<Running>(id, std::move(request), forward_.spec().vocabulary, room));
  events_.reserve(running_.size());
  cancelled_.reserve(running_.size());
  return id;
}

void Engine::cancel(RequestId id) {
  const bool is_known = find(id) != nullptr && !find(id)->finish;
  if (is_known && !std::ranges::count(cancelled_, id)) cancelled_.push_back(id);
}

std::span<const Event> Engine::step() {
  take_cancelled();
  const Plan& plan = scheduler_.plan();
  if (plan.entries.empty()) {
    scheduler_.abort();
    return events_;
  }
  const ForwardResult computed = forward_.run(context_, assemble(plan));
  scheduler_.commit(sample(plan, computed));
  return events_;
}

bool Engine::idle() const {
  return std::ranges::all_of(running_,
                             [](const auto& running) { return running->finish.has_value(); });
}

void Engine::take_cancelled() {
  // Requests that the last events told the end of are done with.
  std::erase_if(running_, [](const auto& running) { return running->finish.has_value(); });
  events_.clear();
  for (const RequestId id : cancelled_) {
    Running* running = find(id);
    if (running == nullptr) continue;
    scheduler_.remove(id);
    finish(*running, {.reason = FinishReason::cancelled});
    events_.push_back({.id = id, .finish = &*running->finish});
  }
  cancelled_.clear();
}

Batch Engine::assemble(const Plan& plan) {
  batch_tokens_.clear();
  batch_places_.clear();
  batch_logits_.clear();
  for (const PlanEntry& entry : plan.entries) {
    Running& running = *find(entry.id);
    if (!running.first_step) running.first_step = Clock::now();
    const auto tokens = running.history.tokens().subspan(entry.first, entry.count);
    batch_tokens_.insert(batch_tokens_.end(), tokens.begin(), tokens.end());
    for (std::size_t i = 0; i < entry.count; ++i) {
      batch_places_.push_back(
          {.blocks = entry.blocks, .position = static_cast<std::uint32_t>(entry.first + i)});
    }
    if (entry.wants_token) {
      batch_logits_.push_back(static_cast<std::uint32_t>(batch_tokens_.size() - 1));
    }
  }
  rows_computed_ += batch_tokens_.size();
  return {.tokens = batch_tokens_, .places = batch_places_, .logits_rows = batch_logits_};
}

Engine::Running* Engine::find(RequestId id) {
  const auto found =
      std::ranges::lower_bound(running_, id, {}, [](const auto& running) { return running->id; });
  return found != running_.end() && (*found)->id == id ? found->get() : nullptr;
}

void Engine::check_invariants() const { scheduler_.check_invariants(); }

}  // namespace zhuzi
