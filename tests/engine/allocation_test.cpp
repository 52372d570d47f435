// A step allocates nothing once it is warm: counted by this program's own operator new.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "engine/scripted_model.h"

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

// Not inlined: seen through, it makes the compiler guess at sizes and warn.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
// A sanitizer brings its own of this one, which must not meet the `delete` below.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return operator new(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace zhuzi {
namespace {

TEST(Allocation, a_warm_step_allocates_nothing_while_requests_decode) {
  testing::Script script{.context = 512, .tokens = {"hello "}};
  for (std::size_t p = 0; p < 512; ++p) script.rows[p] = {{256, 3.0f}, {'a', 2.5f}, {'b', 2.0f}};
  const testing::ScriptedModel model(script);
  for (const std::size_t threads : {1u, 2u}) {
    const auto engine = model.engine(
        {.threads = threads, .max_num_seqs = 3, .max_num_batched_tokens = 16, .kv_blocks = 128});
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      Request request;
      request.prompt.assign(40, TokenId{'x'});
      request.max_tokens = 400;
      request.sampling.temperature = 0.9f;
      request.sampling.top_p = 0.9f;
      request.sampling.repetition_penalty = 1.1f;
      request.sampling.seed = seed;
      request.sampling.logprobs = true;
      request.sampling.top_logprobs = 5;
      request.stops = StopStrings::make({"never said"}, false).value();
      ASSERT_TRUE(engine->submit(request));
    }
    // The prompts, and as many tokens as cross a block and a partition.
    for (int i = 0; i < 20; ++i) (void)engine->step();
    const std::size_t before = allocations;
    std::size_t tokens = 0;
    for (int i = 0; i < 300; ++i) tokens += engine->step().size();
    EXPECT_EQ(allocations - before, 0u) << threads << " threads";
    EXPECT_EQ(tokens, 900u);
  }
}

}  // namespace
}  // namespace zhuzi
