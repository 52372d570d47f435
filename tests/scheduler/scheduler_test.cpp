// The scheduler without an engine: `World` makes one of N blocks of 4 tokens, adds sequences in one
// line each and plays the steps; a plan is compared as text: "id:first+count" with `!` where a
// token is wanted.
#include "scheduler/scheduler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

namespace zhuzi {
namespace {

std::string text_of(const Plan& plan) {
  std::string text;
  for (const PlanEntry& entry : plan.entries) {
    text += fmt::format("{}{}:{}+{}{}", text.empty() ? "" : " ", value(entry.id), entry.first,
                        entry.count, entry.wants_token ? "!" : "");
  }
  return text;
}

struct World {
  BlockPool pool;
  Scheduler scheduler;

  World(std::size_t blocks, std::size_t sequences, std::size_t tokens)
      : pool(blocks),
        scheduler(
            {.sequences_max = sequences, .tokens_max = tokens, .waiting_max = 8, .block_tokens = 4},
            pool) {}

  Result<void> add(std::uint64_t id, std::size_t prompt, std::size_t room) {
    return scheduler.add(RequestId{id}, prompt, room);
  }
  /// One step in which every wanted token is sampled and nothing ends.
  std::string step() {
    const Plan& plan = scheduler.plan();
    const std::string text = text_of(plan);
    std::vector<Outcome> outcomes;
    for (const PlanEntry& entry : plan.entries) {
      EXPECT_EQ(entry.blocks.size(), (entry.first + entry.count + 3) / 4);
      outcomes.push_back(entry.wants_token ? Outcome::extended : Outcome::computed);
    }
    scheduler.commit(outcomes);
    scheduler.check_invariants();
    return text;
  }
};

TEST(Scheduler, a_prompt_inside_the_budget_is_one_step_and_then_decodes) {
  World world(8, 2, 16);
  ASSERT_TRUE(world.add(1, 5, 9));
  EXPECT_EQ(world.step(), "1:0+5!");
  EXPECT_EQ(world.step(), "1:5+1!");
  EXPECT_EQ(world.step(), "1:6+1!");
}

TEST(Scheduler, a_long_prompt_is_cut_and_only_its_last_chunk_wants_a_token) {
  World world(8, 2, 4);
  ASSERT_TRUE(world.add(1, 9, 12));
  EXPECT_EQ(world.step(), "1:0+4");
  EXPECT_EQ(world.step(), "1:4+4");
  EXPECT_EQ(world.step(), "1:8+1!");
  EXPECT_EQ(world.step(), "1:9+1!");
}

TEST(Scheduler, decodes_come_before_prompts_whoever_came_first) {
  World world(16, 4, 4);
  ASSERT_TRUE(world.add(1, 2, 8));
  EXPECT_EQ(world.step(), "1:0+2!");
  ASSERT_TRUE(world.add(2, 9, 12));
  ASSERT_TRUE(world.add(3, 1, 4));
  EXPECT_EQ(world.step(), "1:2+1! 2:0+3");
  EXPECT_EQ(world.step(), "1:3+1! 2:3+3");
  EXPECT_EQ(world.step(), "1:4+1! 2:6+3!");
  EXPECT_EQ(world.step(), "1:5+1! 2:9+1! 3:0+1!");
}

TEST(Scheduler, nobody_overtakes_the_first_in_the_queue) {
  World world(4, 4, 16);
  ASSERT_TRUE(world.add(1, 8, 13));  // 3 blocks: the last token of its room is never computed.
  ASSERT_TRUE(world.add(2, 8, 9));   // 2 blocks: has to wait.
  ASSERT_TRUE(world.add(3, 1, 2));   // 1 block: would fit, but came later.
  EXPECT_EQ(world.step(), "1:0+8!");
  EXPECT_EQ(world.scheduler.waiting(), 2u);
  world.scheduler.remove(RequestId{1});
  EXPECT_EQ(world.step(), "2:0+8! 3:0+1!");
}

TEST(Scheduler, E4_a_request_that_can_never_fit_is_refused_with_both_numbers) {
  World world(4, 4, 16);
  const Result<void> refused = world.add(1, 17, 64);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::out_of_memory);
  EXPECT_NE(refused.error().message.find("16 blocks"), std::string::npos);
  EXPECT_NE(refused.error().message.find("has 4"), std::string::npos);
  EXPECT_TRUE(world.add(2, 3, 8));
  EXPECT_EQ(world.step(), "2:0+3!");
}

TEST(Scheduler, E2_a_length_that_fills_its_blocks_exactly_takes_no_block_too_many) {
  for (const std::size_t prompt : {3u, 4u, 5u, 8u}) {
    World world(3, 1, 16);
    ASSERT_TRUE(world.add(1, prompt, prompt + 4));
    for (int i = 0; i < 4; ++i) world.step();
    world.scheduler.remove(RequestId{1});
    EXPECT_EQ(world.pool.free_blocks(), 3u);
    world.scheduler.check_invariants();
  }
}

TEST(Scheduler, a_full_queue_refuses_one_more) {
  World world(4, 1, 16);
  for (std::uint64_t id = 1; id <= 8; ++id) ASSERT_TRUE(world.add(id, 1, 2));
  EXPECT_FALSE(world.add(9, 1, 2));
}

TEST(Scheduler, abort_leaves_everything_as_it_was) {
  World world(8, 2, 16);
  ASSERT_TRUE(world.add(1, 6, 9));
  EXPECT_EQ(text_of(world.scheduler.plan()), "1:0+6!");
  EXPECT_EQ(world.pool.free_blocks(), 6u);
  world.scheduler.abort();
  EXPECT_EQ(world.pool.free_blocks(), 8u);
  world.scheduler.check_invariants();
  EXPECT_EQ(world.step(), "1:0+6!");
}

TEST(Scheduler, a_finished_sequence_gives_all_blocks_back) {
  World world(8, 2, 16);
  ASSERT_TRUE(world.add(1, 6, 9));
  (void)world.scheduler.plan();
  world.scheduler.commit(std::vector{Outcome::finished});
  EXPECT_EQ(world.pool.free_blocks(), 8u);
  EXPECT_TRUE(world.scheduler.idle());
  world.scheduler.check_invariants();
}

/// Thousands of sequences of random length arrive, are cancelled, or end early; every one ends, and
/// the pool is whole again.
TEST(Scheduler, simulation_every_sequence_ends_and_no_block_is_lost) {
  std::mt19937 random(7);
  const auto draw = [&](std::size_t low, std::size_t high) {
    return low + random() % (high - low + 1);
  };
  World world(12, 3, 7);
  std::map<std::uint64_t, std::size_t> left;  // Tokens that each sequence still asks for.
  std::uint64_t next = 1;
  std::size_t ended = 0;
  std::size_t chunked = 0;
  std::size_t cancelled = 0;
  for (std::size_t step = 0; ended < 3000; ++step) {
    ASSERT_LT(step, 200000u);
    if (world.scheduler.waiting() < 8 && draw(0, 1) == 0) {
      const std::size_t prompt = draw(1, 20);
      const std::size_t output = draw(1, 20);
      ASSERT_TRUE(world.add(next, prompt, prompt + output));
      left[next++] = output;
    }
    if (!left.empty() && draw(0, 9) == 0) {
      const auto victim = std::next(left.begin(), static_cast<long>(draw(0, left.size() - 1)));
      world.scheduler.remove(RequestId{victim->first});
      left.erase(victim);
      ++ended;
      ++cancelled;
    }
    const Plan& plan = world.scheduler.plan();
    ASSERT_LE(plan.tokens, 7u);
    std::vector<Outcome> outcomes;
    for (const PlanEntry& entry : plan.entries) {
      if (!entry.wants_token) {
        ++chunked;
        outcomes.push_back(Outcome::computed);
        continue;
      }
      const bool ends = --left.at(value(entry.id)) == 0;
      outcomes.push_back(ends ? Outcome::finished : Outcome::extended);
      if (ends) left.erase(value(entry.id));
      ended += ends ? 1 : 0;
    }
    world.scheduler.commit(outcomes);
    world.scheduler.check_invariants();
  }
  for (const auto& [id, tokens] : left) world.scheduler.remove(RequestId{id});
  EXPECT_EQ(world.pool.free_blocks(), 12u);
  EXPECT_TRUE(world.scheduler.idle());
  EXPECT_GT(chunked, 100u);
  EXPECT_GT(cancelled, 100u);
}

}  // namespace
}  // namespace zhuzi
