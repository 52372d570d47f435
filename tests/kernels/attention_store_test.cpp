// The writing of K and V: what is stored, rounded how, and what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "attention_support.h"
#include "base/threads.h"
#include "kernels/attention.h"
#include "vector_support.h"

namespace zhuzi::kernels {
namespace {

using testing::all_rows;
using testing::Cache;
using testing::infinity;
using testing::layer;
using testing::nan;
using testing::Problem;
using testing::Random;
using testing::Sequence;
using testing::Table;

TEST(StoreKv, J4_a_value_that_f16_cannot_hold_is_a_fault_and_never_infinity) {
  for (const InstructionSet set : testing::sets()) {
    for (const std::size_t rows : {1, 63, 64, 65}) {
      Sequence s({.context = rows});
      s.k.at(rows - 1, 13) = 7e4f;
      s.v.at(rows / 2, 31) = -7e4f;
      const auto faults = s.cache.store({.set = set}, s.k.rows(), s.v.rows());
      for (std::size_t r = 0; r < rows; ++r) {
        const bool has_fault = r == rows - 1 || r == rows / 2;
        EXPECT_EQ(faults[r], has_fault ? RowFault::kv_overflow : RowFault::none);
      }
      EXPECT_TRUE(all_rows({.set = set}, s, 1000).is_finite());
    }
  }
}

TEST(StoreKv, bf16_and_f32_hold_what_f16_does_not) {
  for (const InstructionSet set : testing::sets()) {
    for (const KvFormat format : {KvFormat::f32, KvFormat::bf16}) {
      Sequence s({.format = format, .context = 3});
      s.v.at(1, 0) = 7e4f;
      EXPECT_EQ(s.cache.store({.set = set}, s.k.rows(), s.v.rows())[1], RowFault::none);
      s.v.at(1, 0) = std::numeric_limits<float>::max();
      EXPECT_EQ(s.cache.store({.set = set}, s.k.rows(), s.v.rows())[1],
                format == KvFormat::bf16 ? RowFault::kv_overflow : RowFault::none);
    }
  }
}

TEST(StoreKv, what_is_not_finite_is_a_fault_and_stored_as_zero) {
  for (const InstructionSet set : testing::sets()) {
    for (const KvFormat format : {KvFormat::f32, KvFormat::f16, KvFormat::bf16}) {
      Sequence s({.format = format, .context = 20});
      s.k.at(3, 5) = nan;
      s.v.at(4, 31) = infinity;
      s.v.at(4, 30) = 1e30f;
      s.k.at(5, 0) = -infinity;
      const auto faults = s.cache.store({.set = set}, s.k.rows(), s.v.rows());
      EXPECT_EQ(faults[2], RowFault::none);
      EXPECT_EQ(faults[3], RowFault::not_finite);
      EXPECT_EQ(faults[4], RowFault::not_finite);
      EXPECT_EQ(faults[5], RowFault::not_finite);
      EXPECT_TRUE(all_rows({.set = set}, s, 1000).is_finite());
    }
  }
}

TEST(StoreKv, a_fault_that_is_already_there_stays) {
  Sequence s({.context = 2});
  s.k.at(0, 0) = nan;
  std::vector<RowFault> faults{RowFault::kv_overflow, RowFault::not_finite};
  store_kv({}, s.cache.pool(), layer, s.k.rows(), s.v.rows(), s.cache.places(0, 2), faults);
  EXPECT_EQ(faults[0], RowFault::kv_overflow);
  EXPECT_EQ(faults[1], RowFault::not_finite);
}

TEST(StoreKv, all_instruction_sets_and_threads_write_the_same_bytes) {
  Random random(12);
  ThreadPool pool(3);
  for (const KvFormat format : {KvFormat::f32, KvFormat::f16, KvFormat::bf16}) {
    const Problem problem{.kv_heads = 3, .head_length = 72, .value_length = 40, .format = format};
    constexpr std::size_t rows = 131;
    Table k(rows, 3 * 72);
    Table v(rows, 3 * 40);
    for (Table* table : {&k, &v}) {
      for (std::size_t r = 0; r < rows; ++r) {
        for (float& x : table->row(r)) x = std::bit_cast<float>(std::uint32_t(random.bits()));
      }
    }
    Cache expected(problem.layout(), rows);
    const auto faults = expected.store({}, k.rows(), v.rows());
    for (const InstructionSet set : testing::sets()) {
      for (ThreadPool* threads : {static_cast<ThreadPool*>(nullptr), &pool}) {
        Cache cache(problem.layout(), rows);
        EXPECT_EQ(cache.store({.threads = threads, .set = set}, k.rows(), v.rows()), faults);
        EXPECT_TRUE(std::ranges::equal(cache.memory(), expected.memory())) << name_of(set);
      }
    }
  }
}

/// The value of the first place of V after a round trip, by attention over one key.
float stored(KvFormat format, float value) {
  Sequence s({.heads = 1, .kv_heads = 1, .format = format, .context = 1});
  s.v.at(0, 0) = value;
  s.cache.store({}, s.k.rows(), s.v.rows());
  return all_rows({}, s, 1).at(0, 0);
}

TEST(StoreKv, rounding_is_half_to_even) {
  EXPECT_EQ(stored(KvFormat::f16, 1 + 0x1p-11f), 1.0f);
  EXPECT_EQ(stored(KvFormat::f16, 1 + 0x1.8p-10f), 1 + 0x1p-9f);
  EXPECT_EQ(stored(KvFormat::f16, 65519.0f), 65504.0f);
  EXPECT_EQ(stored(KvFormat::f16, 65520.0f), 0.0f);
  EXPECT_EQ(stored(KvFormat::f16, 0x1.8p-24f), 0x1p-23f);
  EXPECT_EQ(stored(KvFormat::f16, 0x1p-25f), 0.0f);
  EXPECT_EQ(stored(KvFormat::f16, 0x1.004p-25f), 0x1p-24f);
  EXPECT_EQ(stored(KvFormat::f16, 0x1.ff8p-15f), 0x1.ff8p-15f);
  EXPECT_EQ(stored(KvFormat::f16, 0x1.fffp-15f), 0x1p-14f);
  EXPECT_EQ(stored(KvFormat::bf16, 1 + 0x1p-8f), 1.0f);
  EXPECT_EQ(stored(KvFormat::bf16, 1 + 0x1.8p-7f), 1 + 0x1p-6f);
  EXPECT_EQ(stored(KvFormat::bf16, 0x1.fffp+10f), 0x1p+11f);
}

TEST(KvFormat, names_are_found_again) {
  for (const KvFormat format : {KvFormat::f32, KvFormat::f16, KvFormat::bf16}) {
    EXPECT_EQ(kv_format_named(name_of(format)), format);
  }
  EXPECT_EQ(kv_format_named("q8_0"), std::nullopt);
}

}  // namespace
}  // namespace zhuzi::kernels
