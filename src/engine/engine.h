// Engine: the loop. One step takes requests, plans, computes, samples, commits, and tells.
//
// Place in the journey: between the rooms that know text and sockets and those that compute. It
// owns scheduler, cache, forward, sampling and the token-to-text streams; everything happens on the
// one thread that calls `step` (kernels use the pool below it). `run`, `chat`, `bench` and the
// tests all drive this same function.
//
// Invariants: a request's answer depends on the request alone (NUMERICS.md); every request that was
// accepted gets exactly one finish; blocks are freed on one path; no allocation and no lock in a
// step after warm-up, but for requests that begin or end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/threads.h"
#include "cache/block_pool.h"
#include "engine/request.h"
#include "forward/forward.h"
#include "kernels/isa.h"
#include "sampling/sampler.h"
#include "scheduler/scheduler.h"
#include "text/tokenizer.h"

namespace zhuzi {

struct EngineOptions {
  std::size_t threads = 0;  ///< 0: as many as the process may use.
  kernels::InstructionSet set = kernels::best_supported();
  std::size_t max_model_len = 0;  ///< Positions of a sequence; 0: the file's context.
  std::size_t max_num_seqs = 32;
  std::size_t max_num_batched_tokens = 512;
  kernels::KvFormat kv_format = kernels::KvFormat::f16;
  std::size_t kv_blocks = 0;  ///< 0: half of the memory that is left, at most what can be used.
};

/// Sees each row of raw logits before it is sampled: for tests of the law, and check values.
class LogitsObserver {
 public:
  virtual ~LogitsObserver() = default;
  /// `position`: of the token that the row draws.
  virtual void logits(RequestId id, std::size_t position, std::span<const float> row) = 0;
};

class Engine {
 public:
  /// `tokenizer` outlives the engine; `spec` and `weights` are copied. Errors: as Forward::make;
  /// invalid_argument for options that make no sense, out_of_memory with both numbers.
  [[nodiscard]] static Result<std::unique_ptr<Engine>> make(const ModelSpec& spec,
                                                            const ModelWeights& weights,
                                                            const Tokenizer& tokenizer,
                                                            const EngineOptions& options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Accepts a request or says why not: invalid_argument (names the field), context_length,
  /// out_of_memory, both with both numbers.
  [[nodiscard]] Result<RequestId> submit(Request request);
  /// Ends a request at the next step; unknown ids are ignored.
  void cancel(RequestId id);

  /// One step. The events are valid until the next step.
  std::span<const Event> step();
  /// No accepted request is without its finish.
  [[nodiscard]] bool idle() const;

  /// Nullptr: none.
  void observe(LogitsObserver* observer) { logits_observer_ = observer; }
  void check_invariants() const;

  [[nodiscard]] std::size_t room() const { return room_; }  ///< Tokens that a request may hold.
  [[nodiscard]] const Forward& forward() const { return forward_; }
  [[nodiscard]] const EngineOptions& options() const { return options_; }
  [[nodiscard]] const kernels::OpContext& context() const { return context_; }
  [[nodiscard]] std::size_t threads() const { return threads_->threads(); }
  [[nodiscard]] std::size_t free_blocks() const { return pool_.free_blocks(); }
  [[nodiscard]] std::size_t rows_computed() const { return rows_computed_; }

 private:
  struct Running;
  Engine(const EngineOptions& options, const Tokenizer& tokenizer,
         std::unique_ptr<ThreadPool> threads, Forward forward);

  [[nodiscard]] Result<void> check_request(const Request& request) const;
  void take_cancelled();
  [[nodiscard]] Batch assemble(const Plan& plan);
  [[nodiscard]] std::span<const Outcome> sample(const Plan& plan, const ForwardResult& computed);

  [[nodiscard]] Running* find(RequestId id);
  [[nodiscard]] Outcome draw(Running& running, std::span<float> logits);
  [[nodiscard]] Outcome advance(Running& running);
  void finish(Running& running, Finish finish);

  EngineOptions options_;
  const Tokenizer& tokenizer_;
  std::unique_ptr<ThreadPool> threads_;
  kernels::OpContext context_;
  Forward forward_;
  std::size_t room_;
  BlockPool pool_;
  Scheduler scheduler_;
  Sampler sampler_;
  std::vector<std::unique_ptr<Running>> running_;  ///< Ascending ids.
  std::vector<RequestId> cancelled_;
  std::uint64_t next_id_ = 1;
  std::size_t rows_computed_ = 0;
  LogitsObserver* logits_observer_ = nullptr;

  // Scratch of a step, sized at load.
  std::vector<TokenId> batch_tokens_;
  std::vector<kernels::RowPlace> batch_places_;
  std::vector<std::uint32_t> batch_logits_;
  std::vector<Outcome> outcomes_;
  std::vector<Event> events_;
};

}  // namespace zhuzi
