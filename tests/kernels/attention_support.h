// Attention as its tests ask for it. A `Cache` is the pages of one sequence, in shuffled blocks
// that a previous owner left full of NaN; a `Sequence` is a problem with random rows, stored in a
// cache.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/threads.h"
#include "kernels/attention.h"
#include "vector_support.h"

namespace zhuzi::kernels::testing {

inline constexpr std::size_t layers = 2;
inline constexpr std::size_t layer = 1;

class Cache {
 public:
  Cache(KvLayout layout, std::size_t context, std::uint64_t seed = 1) : layout_(layout) {
    layout_.layers = layers;
    const std::size_t count = context / page_tokens + 3;
    memory_.assign(count * layout_.block_bytes(), std::byte{0xff});
    blocks_.resize(count);
    for (std::size_t i = 0; i < count; ++i) blocks_[i] = static_cast<BlockId>(i);
    Random random(seed);
    for (std::size_t i = count - 1; i > 0; --i) std::swap(blocks_[i], blocks_[random.below(i + 1)]);
  }

  KvPool pool() { return {.layout = layout_, .data = memory_.data(), .blocks = blocks_.size()}; }
  std::vector<RowPlace> places(std::size_t first, std::size_t count) const {
    std::vector<RowPlace> result;
    for (std::size_t i = 0; i < count; ++i) {
      result.push_back({.blocks = blocks_, .position = static_cast<std::uint32_t>(first + i)});
    }
    return result;
  }
  std::vector<RowFault> store(const OpContext& context, ConstRows k, ConstRows v,
                              std::size_t first = 0) {
    std::vector<RowFault> faults(k.rows, RowFault::none);
    store_kv(context, pool(), layer, k, v, places(first, k.rows), faults);
    return faults;
  }
  std::span<const std::byte> memory() const { return memory_; }

 private:
  KvLayout layout_;
  std::vector<std::byte> memory_;
  std::vector<BlockId> blocks_;
};

struct Problem {
  std::size_t heads = 4;
  std::size_t kv_heads = 2;
  std::size_t head_length = 16;
  std::size_t value_length = 16;
  KvFormat format = KvFormat::f16;
  std::size_t context = 40;
  std::size_t window = 0;
  float softcap = 0;

  KvLayout layout() const {
    return {.format = format,
            .layers = layers,
            .kv_heads = kv_heads,
            .head_length = head_length,
            .value_length = value_length};
  }
  AttentionShape shape() const {
    return {.heads = heads,
            .scale = 1.0f / std::sqrt(static_cast<float>(head_length)),
            .window = window,
            .softcap = softcap};
  }
};

/// The rows of one sequence and what is computed from them.
struct Sequence {
  Problem problem;
  Table q;
  Table k;
  Table v;
  Cache cache;

  explicit Sequence(const Problem& p, std::uint64_t seed = 11) : Sequence(p, Random(seed), seed) {}
  Sequence(const Problem& p, Random random, std::uint64_t seed)
      : problem(p),
        q(random, p.context, p.heads * p.head_length, 2),
        k(random, p.context, p.kv_heads * p.head_length, 2),
        v(random, p.context, p.kv_heads * p.value_length, 2),
        cache(p.layout(), p.context, seed) {
    for (const RowFault fault : cache.store({}, k.rows(), v.rows())) {
      EXPECT_EQ(fault, RowFault::none);
    }
  }
  Table empty_output() { return {problem.context, problem.heads * problem.value_length}; }
};

/// Attention of rows first .. first + count - 1, in one call, with exactly the promised scratch.
inline void attend_rows(const OpContext& context, Sequence& sequence, std::size_t first,
                        std::size_t count, Table& out) {
  const Problem& p = sequence.problem;
  const std::size_t threads = context.threads == nullptr ? 1 : context.threads->threads();
  std::vector<std::byte> scratch(
      attention_scratch_bytes(p.layout(), p.heads, count, p.context, threads), std::byte{0xff});
  attend(context, sequence.cache.pool(), layer, p.shape(), sequence.q.rows(first, count),
         sequence.cache.places(first, count), out.rows(first, count), scratch);
}

inline Table all_rows(const OpContext& context, Sequence& sequence, std::size_t chunk) {
  Table out = sequence.empty_output();
  for (std::size_t r = 0; r < sequence.problem.context; r += chunk) {
    attend_rows(context, sequence, r, std::min(chunk, sequence.problem.context - r), out);
  }
  return out;
}

}  // namespace zhuzi::kernels::testing
