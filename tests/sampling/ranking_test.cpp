// Ranking against a whole stable sort: every count, rows with ties, masks and neighbouring floats.
#include "sampling/internal/ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace zhuzi::sampling {
namespace {

/// The finite ids of a row, largest logit first, ties by id.
std::vector<std::size_t> sorted(const std::vector<float>& row) {
  std::vector<std::size_t> ids;
  for (std::size_t id = 0; id < row.size(); ++id) {
    if (std::isfinite(row[id])) ids.push_back(id);
  }
  std::ranges::stable_sort(ids, [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
  return ids;
}

void expect_prefix(const Ranking& ranking, const std::vector<float>& row,
                   const std::vector<std::size_t>& expected) {
  ASSERT_LE(ranking.size(), expected.size());
  for (std::size_t rank = 0; rank < ranking.size(); ++rank) {
    ASSERT_EQ(index(ranking.token(rank)), expected[rank]) << "rank " << rank;
    ASSERT_EQ(ranking.logit(rank), row[expected[rank]]) << "rank " << rank;
  }
}

/// Scattered over ids, from -1 to 1, with every third masked and many ties.
std::vector<float> row_of(std::size_t vocabulary) {
  std::vector<float> row(vocabulary);
  for (std::size_t id = 0; id < vocabulary; ++id) {
    const auto step = static_cast<float>(id * 7919 % 101);
    row[id] = id % 3 == 1 ? -INFINITY : (step - 50) / 50;
    if (step == 50 && id % 2 == 0) row[id] = -0.0f;
  }
  return row;
}

TEST(Ranking, gives_any_count_of_first_tokens) {
  for (const std::size_t vocabulary : {1u, 63u, 64u, 65u, 200u, 1000u}) {
    const std::vector<float> row = row_of(vocabulary);
    const std::vector<std::size_t> expected = sorted(row);
    Ranking ranking(vocabulary);
    for (std::size_t count = 0; count <= vocabulary + 1; ++count) {
      ranking.start(row);
      EXPECT_EQ(ranking.maximum(), row[expected[0]]);
      EXPECT_EQ(ranking.count_finite(), expected.size());
      ranking.rank_first(count);
      EXPECT_GE(ranking.size(), std::min(count, expected.size()));
      expect_prefix(ranking, row, expected);
    }
  }
}

TEST(Ranking, grows_by_thresholds_up_to_all_finite_tokens) {
  const std::vector<float> row = row_of(1000);
  const std::vector<std::size_t> expected = sorted(row);
  Ranking ranking(row.size());
  ranking.start(row);
  for (const float lowest : {2.0f, 1.0f, 0.98f, 0.0f, 0.0f, 0.5f, -0.3f, -INFINITY, -INFINITY}) {
    ranking.rank_down_to(lowest);
    EXPECT_GE(static_cast<std::ptrdiff_t>(ranking.size()),
              std::ranges::count_if(expected, [&](auto id) { return row[id] >= lowest; }));
    expect_prefix(ranking, row, expected);
  }
  EXPECT_EQ(ranking.size(), expected.size());
}

TEST(Ranking, tells_neighbouring_floats_apart_in_a_long_row) {
  std::vector<float> row(5000);
  for (std::size_t id = 0; id < row.size(); ++id) {
    const float sign = id % 2 == 0 ? 1.0f : -1.0f;
    row[id] = sign * std::nextafter(1.0f, static_cast<float>(id * 7919 % 3));
  }
  Ranking ranking(row.size());
  ranking.start(row);
  ranking.rank_down_to(-INFINITY);
  EXPECT_EQ(ranking.size(), row.size());
  expect_prefix(ranking, row, sorted(row));
}

TEST(Ranking, counts_the_rank_of_any_token) {
  const std::vector<float> row = row_of(300);
  const std::vector<std::size_t> expected = sorted(row);
  Ranking ranking(row.size());
  ranking.start(row);
  for (std::size_t rank = 0; rank < expected.size(); ++rank) {
    EXPECT_EQ(ranking.rank_of(static_cast<TokenId>(expected[rank])), rank);
  }
}

}  // namespace
}  // namespace zhuzi::sampling
