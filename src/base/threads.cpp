// The thread pool: one word to claim parts from, one count of parts that are not done.
//
// The word is [number of the run | parts not yet claimed]. A thread claims a part by taking one off
// the lower half with a compare-and-swap of the whole word, so a thread that wakes up late can
// never take a part of a later run for one of its own: the number has changed. The job itself is
// written before the word and read after a successful claim; it cannot change until that part is
// counted as done, and so needs no lock.
//
// Invariant: outside `run` the lower half of the word and the count are zero.
#include "base/threads.h"

#include <sched.h>
#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/internal/cpu_quota.h"

namespace zhuzi {
namespace {

// How long a thread waits for a change before it sleeps: some 10 microseconds of spinning, which
// bridges the serial work between two operations of a step, then yields, which bridge the work
// between two steps and let other programs run, some 200 microseconds on an idle machine.
constexpr int spins_max = 300;
constexpr int yields_max = 300;

constexpr std::uint64_t parts_mask = 0xffff'ffff;
constexpr std::uint64_t one_run = parts_mask + 1;

/// Round to nearest, denormals kept, no exception raised (NUMERICS, rule 5).
constexpr unsigned float_control_word = 0x1f80;

/// Returns once `value` is no longer `old`.
template <typename Value>
void wait_for_change(const std::atomic<Value>& value, Value old) {
  for (int i = 0; i < spins_max; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    _mm_pause();
  }
  for (int i = 0; i < yields_max; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
    std::this_thread::yield();
  }
  value.wait(old, std::memory_order_acquire);
}

/// The CPUs of the affinity mask. The mask grows until the kernel's fits.
std::size_t affinity_cpus() {
  constexpr std::size_t cpus_max = 1 << 16;
  for (std::size_t cpus = CPU_SETSIZE; cpus <= cpus_max; cpus *= 2) {
    std::vector<cpu_set_t> mask(cpus / CPU_SETSIZE);
    const std::size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) == 0) {
      return static_cast<std::size_t>(CPU_COUNT_S(bytes, mask.data()));
    }
  }
  return std::thread::hardware_concurrency();
}

}  // namespace

struct ThreadPool::Shared {
  // Each on a line of its own: claims do not disturb a thread that counts or computes.
  alignas(64) std::atomic<std::uint64_t> word{0};
  alignas(64) std::atomic<std::size_t> unfinished{0};
  alignas(64) const PartFunction* function = nullptr;
  std::size_t parts = 0;
  std::atomic<bool> is_running{false};
  std::atomic<bool> is_stopping{false};
  std::vector<std::jthread> workers;

  /// Computes parts until none is left to claim.
  void work(std::size_t thread) {
    std::size_t done = 0;
    std::uint64_t seen = word.load(std::memory_order_acquire);
    while ((seen & parts_mask) != 0) {
      if (!word.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire)) continue;
      (*function)(parts - static_cast<std::size_t>(seen & parts_mask), thread);
      ++done;
      seen = word.load(std::memory_order_acquire);
    }
    if (done > 0 && unfinished.fetch_sub(done) == done) unfinished.notify_one();
  }

  void serve(std::size_t thread) {
    _mm_setcsr(float_control_word);
    while (!is_stopping.load(std::memory_order_acquire)) {
      work(thread);
      const std::uint64_t seen = word.load(std::memory_order_acquire);
      if ((seen & parts_mask) == 0 && !is_stopping.load(std::memory_order_acquire)) {
        wait_for_change(word, seen);
      }
    }
  }
};

ThreadPool::ThreadPool(std::size_t threads)
    : threads_(threads), shared_(std::make_unique<Shared>()) {
  check(threads >= 1, "a pool has at least the caller's thread");
  shared_->workers.reserve(threads - 1);
  for (std::size_t thread = 1; thread < threads; ++thread) {
    shared_->workers.emplace_back([shared = shared_.get(), thread] { shared->serve(thread); });
  }
}

ThreadPool::~ThreadPool() {
  shared_->is_stopping.store(true, std::memory_order_release);
  shared_->word.fetch_add(one_run);
  shared_->word.notify_all();
  shared_->workers.clear();  // Joins them while the rest of Shared still lives.
}

void ThreadPool::run(std::size_t parts, PartFunction function) {
  check(parts <= parts_mask, "the number of parts fits 32 bits");
  if (threads_ == 1 || parts <= 1) {
    for (std::size_t part = 0; part < parts; ++part) function(part, 0);
    return;
  }
  Shared& shared = *shared_;
  check(!shared.is_running.exchange(true, std::memory_order_acquire), "run is not reentrant");
  shared.function = &function;
  shared.parts = parts;
  shared.unfinished.store(parts, std::memory_order_relaxed);
  const std::uint64_t word = shared.word.load(std::memory_order_relaxed);
  shared.word.store(word + one_run + parts);
  shared.word.notify_all();  // Without a sleeper this is one load.
  shared.work(0);
  for (std::size_t left = shared.unfinished.load(std::memory_order_acquire); left > 0;
       left = shared.unfinished.load(std::memory_order_acquire)) {
    wait_for_change(shared.unfinished, left);
  }
  shared.is_running.store(false, std::memory_order_release);
}

std::size_t usable_threads() {
  return std::max<std::size_t>(1, std::min(affinity_cpus(), internal::cgroup_cpu_limit()));
}

}  // namespace zhuzi
