// ThreadPool: runs the parts of one operation on all threads and comes back when all are done.
//
// Place in the journey: the op drivers of `kernels` split their work over it; nobody else starts
// threads for arithmetic. Parts are claimed dynamically, so a thread that the system has taken away
// delays only its own part. Which thread computes a part never changes a bit (NUMERICS, rule 1).
//
// Threads: one owner calls `run`; `run` is not reentrant. Waiting threads spin for some
// microseconds, yield, then sleep, so an idle pool costs nothing. No allocation in `run`.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace zhuzi {

/// A reference to a callable `void(std::size_t part, std::size_t thread)`; owns nothing.
class PartFunction {
 public:
  template <typename Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, PartFunction>)
  PartFunction(Callable&& callable)  // NOLINT: implicit on purpose, as in std::function_ref.
      : object_(const_cast<void*>(static_cast<const void*>(&callable))),
        call_([](void* object, std::size_t part, std::size_t thread) {
          (*static_cast<std::remove_reference_t<Callable>*>(object))(part, thread);
        }) {}
  void operator()(std::size_t part, std::size_t thread) const { call_(object_, part, thread); }

 private:
  void* object_;
  void (*call_)(void*, std::size_t, std::size_t);
};

class ThreadPool {
 public:
  /// `threads` includes the caller: 1 starts none. At least 1.
  explicit ThreadPool(std::size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  [[nodiscard]] std::size_t threads() const { return threads_; }

  /// Calls `function(part, thread)` once for each part 0 .. parts-1, on any thread (0 is the
  /// caller), and returns when all have returned.
  void run(std::size_t parts, PartFunction function);

 private:
  struct Shared;
  std::size_t threads_;
  std::unique_ptr<Shared> shared_;
};

/// How many threads this process may use: its affinity mask and its cgroup quota. At least 1.
[[nodiscard]] std::size_t usable_threads();

}  // namespace zhuzi
