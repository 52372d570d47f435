// Scheduler: which sequences take part in the next step, and with how many of their tokens.
//
// The policy in five sentences. Served first: sequences that decode, then those whose prompt is
// being computed, then the waiting ones, each group in order of arrival. A step spends at most
// `tokens_max` rows on at most `sequences_max` sequences; a prompt that is longer is cut into
// chunks. A waiting sequence is admitted only when the pool has room for all that it may ever hold,
// so an admitted sequence never waits for a block. One that can never fit is refused at once.
// Nobody overtakes the first in the queue.
//
// Place in the journey: called by Engine::step, before and after forward. Pure policy: no tensor,
// no clock, no lock, no text; tokens are counted, not known. Owned by the engine thread.
//
// Token accounting: a sequence has *known* tokens (prompt and output) and *computed* ones (their K
// and V are in the cache). A step hands out budget so that computed catches up with known; where it
// does, the last row wants a token. Prefill, chunks and decode are this one case.
//
// Invariant: computed <= known <= room; a table holds exactly the blocks of the computed tokens,
// and of the planned ones between `plan` and `commit`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "cache/block_pool.h"
#include "cache/block_table.h"

namespace zhuzi {

struct SchedulerLimits {
  std::size_t sequences_max = 32;  ///< Running at the same time.
  std::size_t tokens_max = 512;    ///< Rows of one step, over all sequences.
  std::size_t waiting_max = 1024;  ///< Sequences that wait; one more is refused.
  std::size_t block_tokens = 16;   ///< Positions in a block.
};

/// One sequence's part of a step: positions first .. first + count - 1.
struct PlanEntry {
  RequestId id{};
  std::size_t first = 0;
  std::size_t count = 0;
  bool wants_token = false;         ///< The last row's logits give the next token.
  std::span<const BlockId> blocks;  ///< Covers first + count positions.
};
struct Plan {
  std::vector<PlanEntry> entries;
  std::size_t tokens = 0;
};

/// What the step made of an entry.
enum class Outcome : std::uint8_t {
  computed,  ///< Its rows are in the cache; no token was wanted.
  extended,  ///< And one token was added.
  finished,  ///< The sequence ends here, for whatever reason.
};

class Scheduler {
 public:
  Scheduler(const SchedulerLimits& limits, BlockPool& pool);

  /// A sequence that knows `prompt_tokens` (at least 1) and may grow to `room` tokens. Errors:
  /// out_of_memory when the pool could never hold it, with both numbers; invalid_argument when the
  /// queue is full.
  [[nodiscard]] Result<void> add(RequestId id, std::size_t prompt_tokens, std::size_t room);
  /// Takes a sequence out, wherever it is; unknown ids are ignored. Not between plan and commit.
  void remove(RequestId id);

  /// The next step. Valid until commit or abort, one of which follows. No allocation after warm-up.
  [[nodiscard]] const Plan& plan();
  /// The step ran: one outcome for each entry of the plan.
  void commit(std::span<const Outcome> outcomes);
  /// The step did not run: everything is as before `plan`.
  void abort();

  [[nodiscard]] std::size_t running() const { return running_.size(); }
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  [[nodiscard]] bool idle() const { return running_.empty() && waiting_.empty(); }

  void check_invariants() const;

 private:
  struct Sequence {
    RequestId id{};
    std::size_t known = 0;
    std::size_t computed = 0;
    std::size_t room_blocks = 0;
    BlockTable table;
    [[nodiscard]] bool decodes() const { return known - computed == 1 && computed > 0; }
  };

  [[nodiscard]] std::size_t blocks_for(std::size_t tokens) const;
  void admit_waiting();
  void plan_group(bool decoding);
  void give(Sequence& sequence, std::size_t count);
  void release(Sequence& sequence);
  void erase_finished(std::span<const Outcome> outcomes);

  SchedulerLimits limits_;
  BlockPool& pool_;
  std::vector<std::unique_ptr<Sequence>> running_;  ///< In order of arrival.
  std::deque<std::unique_ptr<Sequence>> waiting_;
  std::size_t reserved_blocks_ = 0;  ///< Sum of room_blocks over running_.
  Plan plan_;
  std::vector<Sequence*> planned_;  ///< Entry i of the plan belongs to planned_[i].
  bool is_planned_ = false;
};

}  // namespace zhuzi
