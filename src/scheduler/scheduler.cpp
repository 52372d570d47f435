#include "scheduler/scheduler.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace zhuzi {

Scheduler::Scheduler(const SchedulerLimits& limits, BlockPool& pool)
    : limits_(limits), pool_(pool) {
  check(limits.sequences_max > 0 && limits.tokens_max > 0 && limits.block_tokens > 0,
        "a step has room for something");
  running_.reserve(limits.sequences_max);
  plan_.entries.reserve(limits.sequences_max);
  planned_.reserve(limits.sequences_max);
}

std::size_t Scheduler::blocks_for(std::size_t tokens) const {
  return (tokens + limits_.block_tokens - 1) / limits_.block_tokens;
}

Result<void> Scheduler::add(RequestId id, std::size_t prompt_tokens, std::size_t room) {
  check(prompt_tokens > 0 && prompt_tokens <= room, "a prompt is inside the room of its request");
  // The last token of the room is sampled and never computed, so it needs no place in the cache.
  const std::size_t room_blocks = blocks_for(std::max(prompt_tokens, room - 1));
  if (room_blocks > pool_.size()) {
    return fail(ErrorCode::out_of_memory,
                "the request may need {} blocks of {} tokens, the KV cache has {}; ask for fewer "
                "tokens or give the cache more blocks",
                room_blocks, limits_.block_tokens, pool_.size());
  }
  if (waiting_.size() >= limits_.waiting_max) {
    return fail(ErrorCode::invalid_argument, "{} requests are waiting already; try again later",
                waiting_.size());
  }
  waiting_.push_back(std::make_unique<Sequence>(Sequence{.id = id,
                                                         .known = prompt_tokens,
                                                         .computed = 0,
                                                         .room_blocks = room_blocks,
                                                         .table = BlockTable(room_blocks)}));
  return {};
}

void Scheduler::remove(RequestId id) {
  check(!is_planned_, "nothing is removed while a step runs");
  const auto has_id = [id](const auto& sequence) { return sequence->id == id; };
  std::erase_if(waiting_, has_id);
  const auto found = std::ranges::find_if(running_, has_id);
  if (found == running_.end()) return;
  release(**found);
  running_.erase(found);
}

const Plan& Scheduler::plan() {
  check(!is_planned_, "a plan is committed or aborted before the next");
  is_planned_ = true;
  plan_.entries.clear();
  plan_.tokens = 0;
  planned_.clear();
  admit_waiting();
  plan_group(/*decoding=*/true);
  plan_group(/*decoding=*/false);
  return plan_;
}

/// Admission is not undone by `abort`: it moves a sequence to the running ones and promises it
/// blocks, but takes none.
void Scheduler::admit_waiting() {
  while (!waiting_.empty() && running_.size() < limits_.sequences_max &&
         reserved_blocks_ + waiting_.front()->room_blocks <= pool_.size()) {
    reserved_blocks_ += waiting_.front()->room_blocks;
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

void Scheduler::plan_group(bool decoding) {
  for (const auto& sequence : running_) {
    const std::size_t budget = limits_.tokens_max - plan_.tokens;
    if (budget == 0) return;
    if (sequence->decodes() != decoding) continue;
    give(*sequence, std::min(budget, sequence->known - sequence->computed));
  }
}

void Scheduler::give(Sequence& sequence, std::size_t count) {
  const std::size_t end = sequence.computed + count;
  const bool has_room = sequence.table.grow(pool_, blocks_for(end));
  check(has_room, "an admitted sequence finds the blocks it was promised");
  plan_.entries.push_back({.id = sequence.id,
                           .first = sequence.computed,
                           .count = count,
                           .wants_token = end == sequence.known,
                           .blocks = sequence.table.blocks()});
  plan_.tokens += count;
  planned_.push_back(&sequence);
}

void Scheduler::commit(std::span<const Outcome> outcomes) {
  check(is_planned_ && outcomes.size() == plan_.entries.size(), "each entry has an outcome");
  is_planned_ = false;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    Sequence& sequence = *planned_[i];
    sequence.computed += plan_.entries[i].count;
    if (outcomes[i] == Outcome::extended) {
      check(plan_.entries[i].wants_token, "only a sequence that wants a token gets one");
      ++sequence.known;
    }
  }
  erase_finished(outcomes);
}

void Scheduler::erase_finished(std::span<const Outcome> outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i] != Outcome::finished) continue;
    release(*planned_[i]);
    std::erase_if(running_, [&](const auto& running) { return running.get() == planned_[i]; });
  }
}

void Scheduler::abort() {
  check(is_planned_, "there is a plan to abort");
  is_planned_ = false;
  for (Sequence* sequence : planned_) sequence->table.shrink(pool_, blocks_for(sequence->computed));
}

/// The one release path.
void Scheduler::release(Sequence& sequence) {
  sequence.table.shrink(pool_, 0);
  reserved_blocks_ -= sequence.room_blocks;
}

void Scheduler::check_invariants() const {
  pool_.check_invariants();
  std::size_t reserved = 0;
  std::size_t held = 0;
  for (const auto& sequence : running_) {
    check(sequence->computed <= sequence->known, "computed tokens are known");
    check(sequence->computed == 0 || sequence->known > sequence->computed,
          "a running sequence has something to compute");
    check(is_planned_ || sequence->table.blocks().size() == blocks_for(sequence->computed),
          "a table holds the blocks of the computed tokens");
    check(sequence->table.blocks().size() <= sequence->room_blocks,
          "nobody takes more than promised");
    reserved += sequence->room_blocks;
    held += sequence->table.blocks().size();
  }
  for (const auto& sequence : waiting_) {
    check(sequence->table.blocks().empty(), "who waits holds nothing");
  }
  check(reserved == reserved_blocks_ && reserved <= pool_.size(), "promises fit into the pool");
  check(held == pool_.size() - pool_.free_blocks(), "every held block has its sequence");
  check(running_.size() <= limits_.sequences_max && waiting_.size() <= limits_.waiting_max,
        "queues are bounded");
}

}  // namespace zhuzi
