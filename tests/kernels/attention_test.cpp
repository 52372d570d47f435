// Attention: the fixtures' float64 results, and one answer for every way of asking: instruction
// sets, threads, chunks of rows against single rows.
#include "kernels/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "attention_support.h"
#include "base/threads.h"
#include "vector_support.h"

namespace zhuzi::kernels {
namespace {

using testing::all_rows;
using testing::attend_rows;
using testing::Cache;
using testing::fixture;
using testing::layer;
using testing::number;
using testing::numbers;
using testing::Problem;
using testing::Sequence;
using testing::Table;

// ------------------------------------------------------------------------------------- fixtures

/// [heads][rows][dim] of the fixture, as rows of heads; shorter heads are filled with zeros to 8.
Table rows_of(const json::Value& value, std::size_t length) {
  const json::Array& heads = *value.array();
  Table table(heads[0].array()->size(), heads.size() * length);
  for (std::size_t h = 0; h < heads.size(); ++h) {
    for (std::size_t r = 0; r < heads[h].array()->size(); ++r) {
      const std::vector<double> values = numbers((*heads[h].array())[r]);
      for (std::size_t d = 0; d < length; ++d) {
        table.at(r, h * length + d) = d < values.size() ? static_cast<float>(values[d]) : 0.0f;
      }
    }
  }
  return table;
}

std::size_t size_of(const json::Value& object, std::string_view key) {
  return object.find(key) == nullptr ? 0 : static_cast<std::size_t>(number(object, key));
}

void expect_fixture(const json::Value& c, InstructionSet set) {
  const std::size_t length = std::max<std::size_t>(8, size_of(c, "head_dim"));
  const std::size_t rows = size_of(c, "q_len");
  const std::size_t context = size_of(c, "kv_len");
  Table q = rows_of(*c.find("q"), length);
  Table k = rows_of(*c.find("k"), length);
  Table v = rows_of(*c.find("v"), length);
  Table expected = rows_of(*c.find("out"), length);
  const KvLayout layout{.format = KvFormat::f32,
                        .kv_heads = size_of(c, "kv_heads"),
                        .head_length = length,
                        .value_length = length};
  const AttentionShape shape{
      .heads = size_of(c, "heads"),
      .scale = static_cast<float>(number(c, "scale")),
      .window = size_of(c, "window"),
      .softcap = c.find("softcap") == nullptr ? 0 : static_cast<float>(number(c, "softcap"))};
  Cache cache(layout, context);
  cache.store({.set = set}, k.rows(), v.rows());
  Table out(rows, shape.heads * length);
  std::vector<std::byte> scratch(attention_scratch_bytes(layout, shape.heads, rows, context, 1));
  attend({.set = set}, cache.pool(), layer, shape, q.rows(), cache.places(context - rows, rows),
         out.rows(), scratch);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < shape.heads * length; ++i) {
      EXPECT_NEAR(out.at(r, i), expected.at(r, i), 2e-6) << *c.find("name")->string();
    }
  }
}

TEST(Attention, equals_the_fixtures) {
  constexpr std::string_view not_built[] = {"bidirectional", "bidirectional_padded", "sinks",
                                            "sinks_window2", "alibi"};
  const json::Value file = fixture("attention.json");
  std::size_t count = 0;
  for (const json::Value& c : *file.find("cases")->array()) {
    if (std::ranges::find(not_built, *c.find("name")->string()) != std::end(not_built)) continue;
    ++count;
    for (const InstructionSet set : testing::sets()) expect_fixture(c, set);
  }
  EXPECT_EQ(count, 12u);
}

// ----------------------------------------------------------------------------------- one answer

std::vector<Problem> problems() {
  return {
      {.heads = 4, .kv_heads = 2, .context = 40},
      {.heads = 9, .kv_heads = 3, .head_length = 64, .value_length = 64, .context = 260},
      {.heads = 12, .kv_heads = 12, .head_length = 24, .value_length = 8, .context = 258},
      {.heads = 32, .kv_heads = 8, .head_length = 8, .value_length = 24, .context = 258},
      {.heads = 28, .kv_heads = 4, .head_length = 16, .value_length = 24, .context = 60},
      {.heads = 8, .kv_heads = 1, .head_length = 16, .value_length = 40, .context = 520},
      {.heads = 5, .kv_heads = 5, .format = KvFormat::f32, .context = 530, .window = 70},
      {.heads = 6, .kv_heads = 2, .format = KvFormat::bf16, .context = 530, .window = 260},
      {.heads = 2, .kv_heads = 1, .format = KvFormat::f32, .context = 100, .softcap = 2.5f},
      {.heads = 30, .kv_heads = 1, .format = KvFormat::bf16, .context = 33, .window = 1},
  };
}

TEST(Attention, chunks_and_instruction_sets_change_no_bit) {
  for (const Problem& problem : problems()) {
    Sequence sequence(problem);
    const Table expected = all_rows({}, sequence, 1);
    for (const InstructionSet set : testing::sets()) {
      for (const std::size_t chunk : {1, 5, 33, 1000}) {
        // The scalar text is slow, and the walk over rows is the same for all sets.
        if (set == InstructionSet::scalar && problem.context > 100) continue;
        EXPECT_TRUE(all_rows({.set = set}, sequence, chunk) == expected)
            << name_of(set) << ", chunks of " << chunk << ", " << problem.heads << " heads";
      }
    }
  }
}

TEST(Attention, threads_change_no_bit) {
  for (const Problem& problem : problems()) {
    Sequence sequence(problem);
    const OpContext alone{.set = testing::sets().back()};
    const Table expected = all_rows(alone, sequence, 1000);
    for (const std::size_t threads : {2, 3}) {
      ThreadPool pool(threads);
      const OpContext context{.threads = &pool, .set = alone.set};
      for (const std::size_t chunk : {1, 7, 1000}) {
        EXPECT_TRUE(all_rows(context, sequence, chunk) == expected)
            << threads << " threads, chunks of " << chunk << ", " << problem.heads << " heads";
      }
    }
  }
}

TEST(Attention, a_long_context_split_by_partitions_gives_the_bits_of_the_whole) {
  const Problem problem{
      .heads = 4, .kv_heads = 2, .head_length = 64, .value_length = 64, .context = 2000};
  Sequence sequence(problem);
  ThreadPool pool(3);
  for (const InstructionSet set : testing::sets()) {
    for (const std::size_t rows : {1, 3}) {
      Table alone = sequence.empty_output();
      Table shared = sequence.empty_output();
      attend_rows({.set = set}, sequence, 1990, rows, alone);
      attend_rows({.threads = &pool, .set = set}, sequence, 1990, rows, shared);
      EXPECT_TRUE(alone == shared) << name_of(set);
    }
  }
}

TEST(Attention, rows_of_several_sequences_do_not_touch_each_other) {
  const Problem problem{.heads = 6, .kv_heads = 3, .context = 280};
  Sequence one(problem, 1);
  Sequence two(problem, 2);
  for (const InstructionSet set : testing::sets()) {
    Table alone = one.empty_output();
    attend_rows({.set = set}, one, 254, 3, alone);

    // One pool for both: the blocks of the second lie behind those of the first.
    const KvPool first = one.cache.pool();
    std::vector<std::byte> memory(one.cache.memory().begin(), one.cache.memory().end());
    memory.insert(memory.end(), two.cache.memory().begin(), two.cache.memory().end());
    const KvPool both{.layout = first.layout, .data = memory.data(), .blocks = 2 * first.blocks};
    std::vector<BlockId> moved;
    const std::span<const BlockId> blocks = two.cache.places(0, 1)[0].blocks;
    for (const BlockId block : blocks) {
      moved.push_back(static_cast<BlockId>(index(block) + first.blocks));
    }
    std::vector<RowPlace> places = one.cache.places(254, 3);
    places.insert(places.begin(), {.blocks = moved, .position = 17});
    places.push_back({.blocks = moved, .position = 279});
    Table q(5, problem.heads * problem.head_length);
    std::ranges::copy(two.q.row(17), q.row(0).begin());
    for (std::size_t r = 0; r < 3; ++r) std::ranges::copy(one.q.row(254 + r), q.row(1 + r).begin());
    std::ranges::copy(two.q.row(279), q.row(4).begin());
    Table out(5, problem.heads * problem.value_length);
    std::vector<std::byte> scratch(
        attention_scratch_bytes(problem.layout(), problem.heads, 5, 280, 1));
    attend({.set = set}, both, layer, problem.shape(), q.rows(), places, out.rows(), scratch);
    for (std::size_t r = 0; r < 3; ++r) {
      EXPECT_TRUE(std::ranges::equal(out.row(1 + r), alone.row(254 + r)));
    }
    EXPECT_TRUE(out.is_finite());
  }
}

// ------------------------------------------------------------------------------------- the truth

/// One row and head in double, from K and V as the format holds them (here: exact in it).
std::vector<double> in_double(Sequence& s, std::size_t row, std::size_t head) {
  const Problem& p = s.problem;
  const std::size_t kv_head = head / (p.heads / p.kv_heads);
  const std::size_t first = p.window > 0 && row + 1 > p.window ? row + 1 - p.window : 0;
  std::vector<double> weights;
  for (std::size_t t = first; t <= row; ++t) {
    double score = 0;
    for (std::size_t d = 0; d < p.head_length; ++d) {
      score += static_cast<double>(s.q.at(row, head * p.head_length + d)) *
               static_cast<double>(s.k.at(t, kv_head * p.head_length + d));
    }
    score *= p.shape().scale;
    weights.push_back(p.softcap > 0 ? p.softcap * std::tanh(score / p.softcap) : score);
  }
  const double maximum = *std::ranges::max_element(weights);
  double sum = 0;
  for (double& w : weights) sum += w = std::exp(w - maximum);
  std::vector<double> result(p.value_length);
  for (std::size_t t = first; t <= row; ++t) {
    for (std::size_t d = 0; d < p.value_length; ++d) {
      result[d] +=
          weights[t - first] / sum * static_cast<double>(s.v.at(t, kv_head * p.value_length + d));
    }
  }
  return result;
}

TEST(Attention, is_near_double_across_the_borders_of_pages_and_partitions) {
  for (const std::size_t window : {0, 40, 300}) {
    for (const float softcap : {0.0f, 3.0f}) {
      Sequence s({.format = KvFormat::f32, .context = 601, .window = window, .softcap = softcap});
      const Table out = all_rows({.set = testing::sets().back()}, s, 1000);
      for (const std::size_t row : {0, 1, 15, 16, 17, 254, 255, 256, 257, 511, 512, 600}) {
        for (std::size_t h = 0; h < s.problem.heads; ++h) {
          const std::vector<double> expected = in_double(s, row, h);
          for (std::size_t d = 0; d < expected.size(); ++d) {
            EXPECT_NEAR(Table(out).at(row, h * s.problem.value_length + d), expected[d], 3e-6);
          }
        }
      }
    }
  }
}

TEST(Attention, J7_a_query_head_reads_the_kv_head_of_its_group) {
  const std::pair<std::size_t, std::size_t> shapes[] = {{4, 2}, {12, 12}, {32, 8}, {28, 4}, {8, 1}};
  for (const auto& [heads, kv_heads] : shapes) {
    Sequence s({.heads = heads, .kv_heads = kv_heads, .context = 20});
    for (std::size_t r = 0; r < 20; ++r) {
      for (std::size_t i = 0; i < kv_heads * 16; ++i) s.v.at(r, i) = static_cast<float>(i / 16);
    }
    for (const InstructionSet set : testing::sets()) {
      s.cache.store({.set = set}, s.k.rows(), s.v.rows());
      Table out = all_rows({.set = set}, s, 1000);
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t expected = h / (heads / kv_heads);
        EXPECT_NEAR(out.at(19, h * 16), static_cast<double>(expected), 1e-5) << heads;
      }
    }
  }
}

TEST(Attention, equal_scores_weigh_equally_and_a_window_forgets) {
  constexpr std::size_t context = 600;
  Sequence s(
      {.heads = 1, .kv_heads = 1, .format = KvFormat::f32, .context = context, .window = 300});
  for (std::size_t r = 0; r < context; ++r) {
    for (std::size_t d = 0; d < 16; ++d) {
      s.k.at(r, d) = 1;
      s.v.at(r, d) = static_cast<float>(r);
    }
  }
  s.cache.store({}, s.k.rows(), s.v.rows());
  for (const InstructionSet set : testing::sets()) {
    Table out = all_rows({.set = set}, s, 64);
    EXPECT_NEAR(out.at(10, 0), 5, 1e-5);       // The mean of 0 .. 10.
    EXPECT_NEAR(out.at(599, 3), 449.5, 1e-3);  // The mean of 300 .. 599.
  }
}

TEST(Attention, scores_that_overflow_make_their_own_row_not_finite) {
  for (const InstructionSet set : testing::sets()) {
    for (const float huge : {1e38f, -1e38f}) {
      Sequence s({.heads = 2, .kv_heads = 1, .format = KvFormat::f32, .context = 20});
      for (std::size_t r = 0; r < 20; ++r) {
        for (std::size_t d = 0; d < 16; ++d) s.k.at(r, d) = 10;
      }
      s.cache.store({}, s.k.rows(), s.v.rows());
      for (std::size_t d = 0; d < 16; ++d) s.q.at(7, d) = huge;
      Table out = all_rows({.set = set}, s, 1000);
      EXPECT_TRUE(std::isnan(out.at(7, 0)));
      EXPECT_TRUE(std::isfinite(out.at(6, 0)));
      EXPECT_TRUE(std::isfinite(out.at(8, 31)));
      EXPECT_TRUE(std::isfinite(out.at(7, 16)));  // The other head of the row.
    }
  }
}

}  // namespace
}  // namespace zhuzi::kernels
