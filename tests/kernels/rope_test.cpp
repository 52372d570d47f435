// The rotary table against double, the rotation against the fixtures, equal bits on every
// instruction set. Tables are filled in stretches of 256 positions.
#include "kernels/rope.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "base/math64.h"
#include "vector_support.h"

namespace zhuzi::kernels {
namespace {

using testing::fixture;
using testing::floats;
using testing::number;
using testing::numbers;
using testing::Random;
using testing::Table;

std::vector<double> plain_frequencies(double theta, std::size_t dims) {
  std::vector<double> result;
  for (std::size_t i = 0; i < dims; i += 2) {
    result.push_back(math64::pow(theta, -static_cast<double>(i) / static_cast<double>(dims)));
  }
  return result;
}

RopeTable table_for(double theta, std::size_t dims, std::size_t context, double magnitude = 1) {
  auto table = RopeTable::make(plain_frequencies(theta, dims), magnitude, context);
  EXPECT_TRUE(table.has_value());
  return *std::move(table);
}

TEST(Rope, J1_large_positions_keep_their_angle) {
  constexpr std::size_t pairs = 32;
  constexpr double magnitude = 1.25;
  RopeTable table = table_for(1e4, 2 * pairs, 40001, magnitude);
  table.prepare(40001);
  const std::vector<double> frequencies = plain_frequencies(1e4, 2 * pairs);
  for (const std::size_t position : {0, 1, 257, 15962, 40000}) {
    const float* row = table.at(position);
    for (std::size_t i = 0; i < pairs; ++i) {
      const double angle = static_cast<double>(position) * frequencies[i];
      EXPECT_NEAR(row[i], magnitude * std::cos(angle), 1e-7);
      EXPECT_NEAR(row[pairs + i], magnitude * std::sin(angle), 1e-7);
    }
  }
  EXPECT_NEAR(table.at(15962)[0] / magnitude, -0.9080, 1e-4);
}

TEST(Rope, the_rotation_by_halves_equals_the_fixtures) {
  const json::Value file = fixture("rope.json");
  for (const json::Value& c : *file.find("apply")->array()) {
    const auto head_length = static_cast<std::size_t>(number(c, "head_dim"));
    const auto dims = static_cast<std::size_t>(number(c, "rotary_dim"));
    RopeTable table = table_for(number(c, "theta"), dims, 1000001);
    table.prepare(1000001);
    const std::vector<double> positions = numbers(*c.find("positions"));
    const std::vector<float> x = floats(*c.find("x"));
    for (const InstructionSet set : testing::sets()) {
      Table rows(positions.size(), head_length);
      std::vector<std::uint32_t> at;
      for (std::size_t r = 0; r < positions.size(); ++r) {
        std::ranges::copy(x, rows.row(r).begin());
        at.push_back(static_cast<std::uint32_t>(positions[r]));
      }
      apply_rope({.set = set}, rows.rows(), head_length, at, table);
      for (std::size_t r = 0; r < positions.size(); ++r) {
        const std::vector<double> y = numbers((*c.find("rotate_half")->array())[r]);
        for (std::size_t i = 0; i < head_length; ++i) EXPECT_NEAR(rows.at(r, i), y[i], 5e-7);
      }
    }
  }
}

TEST(Rope, all_instruction_sets_give_the_same_bits) {
  Random random(7);
  for (const std::size_t pairs : {1, 3, 8, 12, 16, 20, 32, 64}) {
    const std::size_t head_length = 2 * pairs + 8;
    RopeTable table = table_for(1e4, 2 * pairs, 600);
    table.prepare(600);
    const std::vector<std::uint32_t> positions{0, 1, 255, 256, 599};
    Table x(random, positions.size(), 3 * head_length);
    Table expected = x;
    apply_rope({}, expected.rows(), head_length, positions, table);
    EXPECT_FALSE(expected == x);
    for (const InstructionSet set : testing::sets()) {
      Table actual = x;
      apply_rope({.set = set}, actual.rows(), head_length, positions, table);
      EXPECT_TRUE(actual == expected) << name_of(set) << ' ' << pairs;
    }
  }
}

TEST(Rope, when_a_position_is_prepared_changes_nothing) {
  RopeTable at_once = table_for(1e6, 16, 700);
  RopeTable by_steps = table_for(1e6, 16, 700);
  at_once.prepare(700);
  for (std::size_t end = 0; end <= 700; end += 70) by_steps.prepare(end);
  by_steps.prepare(10);
  for (std::size_t p = 0; p < 700; ++p) {
    for (std::size_t i = 0; i < 16; ++i) ASSERT_EQ(at_once.at(p)[i], by_steps.at(p)[i]);
  }
}

TEST(Rope, numbers_that_no_model_has_are_refused) {
  EXPECT_FALSE(RopeTable::make({}, 1, 100).has_value());
  EXPECT_FALSE(RopeTable::make({1e8}, 1, 100).has_value());
  EXPECT_TRUE(RopeTable::make({1e7}, 1, 100).has_value());
  EXPECT_FALSE(RopeTable::make({1, testing::nan}, 1, 100).has_value());
  EXPECT_FALSE(RopeTable::make({1}, testing::infinity, 100).has_value());
  EXPECT_FALSE(RopeTable::make(std::vector<double>(65537, 1.0), 1, 100).has_value());
}

}  // namespace
}  // namespace zhuzi::kernels
