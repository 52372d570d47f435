// Every test runs parts on a pool and looks at what was called, never at how long it took. Pools
// with more threads than the machine has cores are ordinary cases.
#include "base/threads.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <xmmintrin.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

namespace zhuzi {
namespace {

/// How often each part was called.
std::vector<int> calls_of_parts(ThreadPool& pool, std::size_t parts) {
  std::vector<std::atomic<int>> calls(parts);
  pool.run(parts, [&](std::size_t part, std::size_t) { ++calls[part]; });
  return {calls.begin(), calls.end()};
}

TEST(ThreadPool, calls_each_part_once_for_any_number_of_threads_and_parts) {
  for (const std::size_t threads : {1, 2, 3, 8, 33}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const std::size_t parts : {0, 1, 2, 3, 7, 64, 1000}) {
      EXPECT_EQ(calls_of_parts(pool, parts), std::vector<int>(parts, 1)) << threads << " threads";
    }
  }
}

TEST(ThreadPool, names_the_caller_thread_zero_and_the_others_by_their_number) {
  ThreadPool pool(4);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> is_right = true;
  pool.run(1000, [&](std::size_t, std::size_t thread) {
    const bool is_caller = std::this_thread::get_id() == caller;
    if (thread >= 4 || (thread == 0) != is_caller) is_right = false;
  });
  EXPECT_TRUE(is_right);
}

TEST(ThreadPool, gives_the_writes_of_all_parts_to_the_caller) {
  ThreadPool pool(3);
  std::vector<std::size_t> plain(500);
  for (std::size_t round = 0; round < 200; ++round) {
    pool.run(plain.size(), [&](std::size_t part, std::size_t) { plain[part] += part + round; });
  }
  for (std::size_t part = 0; part < plain.size(); ++part) {
    ASSERT_EQ(plain[part], 200 * part + 199 * 200 / 2);
  }
}

TEST(ThreadPool, never_mixes_up_two_runs_that_follow_each_other_closely) {
  ThreadPool pool(4);
  for (std::uint32_t round = 0; round < 20'000; ++round) {
    // The callable lives on the stack and differs each time: a late thread with an old one shows.
    std::atomic<std::uint32_t> sum = 0;
    const std::size_t parts = 2 + round % 5;
    pool.run(parts, [&, round](std::size_t, std::size_t) { sum += round; });
    ASSERT_EQ(sum, round * parts);
  }
}

TEST(ThreadPool, keeps_running_while_one_part_is_held_up) {
  ThreadPool pool(2);
  std::atomic<std::size_t> others = 0;
  // Part 0 returns only when all others have: another thread has to take them.
  pool.run(100, [&](std::size_t part, std::size_t) {
    if (part != 0) {
      ++others;
      return;
    }
    while (others < 99) std::this_thread::yield();
  });
  EXPECT_EQ(others, 99u);
}

TEST(ThreadPool, wakes_threads_that_have_gone_to_sleep) {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    // Every part waits for the other two, so all three threads must take one. The yields before let
    // the workers use up their spins and sleep.
    for (int i = 0; i < 2000; ++i) std::this_thread::yield();
    std::atomic<int> present = 0;
    pool.run(3, [&](std::size_t, std::size_t) {
      ++present;
      while (present < 3) std::this_thread::yield();
    });
    ASSERT_EQ(present, 3);
  }
}

TEST(ThreadPool, starts_and_ends_without_work) {
  for (int i = 0; i < 100; ++i) ThreadPool pool(1 + static_cast<std::size_t>(i) % 5);
}

TEST(ThreadPool, workers_round_to_nearest_and_keep_denormals_whatever_the_maker_had_set) {
  constexpr unsigned round_up_and_flush = 0xdfc0;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(round_up_and_flush);
  ThreadPool pool(2);
  _mm_setcsr(before);
  std::atomic<unsigned> word_of_worker = 0;
  std::atomic<int> present = 0;
  pool.run(2, [&](std::size_t, std::size_t thread) {
    ++present;
    while (present < 2) std::this_thread::yield();
    if (thread == 1) word_of_worker = _mm_getcsr();
  });
  constexpr unsigned status_flags = 0x3f;
  EXPECT_EQ(word_of_worker & ~status_flags, 0x1f80u);
}

TEST(ThreadPoolDeathTest, refuses_a_run_inside_a_run) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        ThreadPool pool(2);
        pool.run(2,
                 [&](std::size_t, std::size_t) { pool.run(2, [](std::size_t, std::size_t) {}); });
      },
      "run is not reentrant");
}

TEST(UsableThreads, stay_within_the_affinity_mask) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  const std::size_t all = usable_threads();
  EXPECT_GE(all, 1u);
  EXPECT_LE(all, static_cast<std::size_t>(CPU_COUNT(&before)));
  std::size_t first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(usable_threads(), 1u);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

}  // namespace
}  // namespace zhuzi
