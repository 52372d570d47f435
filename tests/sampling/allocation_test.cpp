// `sample` allocates nothing: every operator new of this program is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

#include "support.h"

namespace {
std::size_t allocations = 0;
}

// Not inlined: GCC would see a pointer from `new` in `free` and warn.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  void* memory = std::malloc(bytes != 0 ? bytes : 1);
  if (memory == nullptr) std::abort();
  return memory;
}
// A sanitizer brings its own of this one, which must not meet the `delete` below.
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return operator new(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace zhuzi {
namespace {

TEST(SamplerAllocation, is_zero_for_every_kind_of_request) {
  constexpr std::size_t vocabulary = 5000;
  std::vector<float> logits(vocabulary);
  for (std::size_t id = 0; id < vocabulary; ++id) {
    logits[id] = static_cast<float>((id * 7919) % 4001) * 1e-3f;
  }
  std::vector<SamplingParams> requests(5);
  requests[0].temperature = 0;
  requests[2].top_k = 40;
  requests[2].top_p = 0.9f;
  requests[2].min_p = 0.05f;
  requests[3].top_k = 4000;
  requests[3].allowed_tokens = tokens_of({1, 2, 3, 4, 5});
  requests[4].repetition_penalty = 1.3f;
  requests[4].frequency_penalty = 0.5f;
  requests[4].logit_bias = {{.token = TokenId{4}, .bias = 2}};
  requests[4].logprobs = true;
  requests[4].top_logprobs = 20;

  Sampler sampler(vocabulary);
  TokenHistory history(vocabulary, 1000);
  std::vector<float> row(vocabulary);
  const std::size_t before = allocations;
  EXPECT_GT(before, 0u);
  std::size_t failures = 0;
  for (std::uint32_t position = 0; position < 200; ++position) {
    for (const SamplingParams& params : requests) {
      std::ranges::copy(logits, row.begin());
      const auto sampled = sampler.sample({}, row, params, history, position);
      failures += !sampled.has_value();
      history.add_output(sampled->token);
    }
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(failures, 0u);
}

}  // namespace
}  // namespace zhuzi
