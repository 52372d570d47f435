// Logits: the maximum and its ties, what is valid, sums of exponentials against the fixtures and
// against double, equal bits on every instruction set.
#include "kernels/vocabulary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "vector_support.h"

namespace zhuzi::kernels {
namespace {

using testing::fixture;
using testing::floats;
using testing::infinity;
using testing::nan;
using testing::numbers;
using testing::Random;

constexpr std::size_t lengths[] = {1, 2, 15, 16, 17, 100, 1023, 1024, 1025, 2048, 5000, 49152};

TEST(Vocabulary, argmax_finds_the_largest_wherever_it_stands) {
  Random random(8);
  for (const std::size_t length : lengths) {
    std::vector<float> values = random.values(length, 5);
    for (int i = 0; i < 20; ++i) {
      const std::size_t place = random.below(length);
      const float before = std::exchange(values[place], 9.0f);
      for (const InstructionSet set : testing::sets()) {
        const Best best = argmax({.set = set}, values);
        EXPECT_EQ(best.index, place);
        EXPECT_EQ(best.value, 9.0f);
      }
      values[place] = before;
    }
  }
}

TEST(Vocabulary, ties_go_to_the_lower_index_and_minus_zero_equals_zero) {
  for (const InstructionSet set : testing::sets()) {
    std::vector<float> values(3000, -1.0f);
    values[2900] = values[1500] = values[1490] = 2.0f;
    EXPECT_EQ(argmax({.set = set}, values).index, 1490u);
    EXPECT_EQ(argmax({.set = set}, std::vector<float>(40, -infinity)).index, 0u);
    std::vector<float> zeros(40, -1.0f);
    zeros[5] = -0.0f;
    zeros[6] = 0.0f;
    const Best best = argmax({.set = set}, zeros);
    EXPECT_EQ(best.index, 5u);
    EXPECT_TRUE(std::signbit(best.value));
  }
}

TEST(Vocabulary, a_row_is_valid_without_nan_and_plus_infinity_and_with_a_finite_value) {
  for (const InstructionSet set : testing::sets()) {
    for (const std::size_t length : lengths) {
      const OpContext context{.set = set};
      std::vector<float> values(length, -infinity);
      EXPECT_FALSE(is_valid_logits(context, values));
      for (const std::size_t place : {std::size_t{0}, length / 2, length - 1}) {
        values[place] = 0.5f;
        EXPECT_TRUE(is_valid_logits(context, values));
        values[place] = nan;
        EXPECT_FALSE(is_valid_logits(context, values));
        values[place] = infinity;
        EXPECT_FALSE(is_valid_logits(context, values));
        values[place] = 0.5f;
      }
    }
  }
}

TEST(Vocabulary, exponential_sums_and_widths_give_the_softmax_of_the_fixtures) {
  const json::Value file = fixture("primitives.json");
  for (const json::Value& c : *file.find("softmax")->array()) {
    const std::vector<float> x = floats(*c.find("x"));
    const std::vector<double> y = numbers(*c.find("y"));
    for (const InstructionSet set : testing::sets()) {
      const ExponentialSum sum = exponential_sum({.set = set}, x, 1);
      std::vector<float> widths(x.size());
      exponential_widths({.set = set}, x, sum.maximum, 1, widths);
      for (std::size_t i = 0; i < x.size(); ++i) {
        testing::expect_near(widths[i] / sum.total, y[i], 5e-6, 1e-37);
      }
    }
  }
}

TEST(Vocabulary, a_sum_over_many_partitions_is_near_double) {
  Random random(9);
  std::vector<float> values = random.values(49152, 12);
  values[0] = values[777] = values[49151] = -infinity;
  std::fill(values.begin() + 2048, values.begin() + 3072, -infinity);
  for (const float temperature : {0.1f, 0.7f, 1.0f, 3.0f}) {
    const ExponentialSum sum =
        exponential_sum({.set = testing::sets().back()}, values, temperature);
    double expected = 0;
    for (const float x : values) {
      expected += std::exp((static_cast<double>(x) - sum.maximum) / temperature);
    }
    EXPECT_EQ(sum.maximum, *std::ranges::max_element(values));
    testing::expect_near(sum.total, expected, 2e-5, 0);
  }
}

TEST(Vocabulary, D1_temperatures_near_zero_leave_the_largest) {
  const std::vector<float> values{2.875f, 2.955f, 11.0625f};
  for (const float temperature : {1e-3f, 1e-5f, 1e-12f, 1e-38f, 0x1p-149f}) {
    for (const InstructionSet set : testing::sets()) {
      const ExponentialSum sum = exponential_sum({.set = set}, values, temperature);
      EXPECT_EQ(sum.maximum, 11.0625f);
      EXPECT_EQ(sum.total, 1.0f);
    }
  }
}

TEST(Vocabulary, nothing_finite_has_no_sum) {
  for (const InstructionSet set : testing::sets()) {
    const std::vector<float> values(2000, -infinity);
    const ExponentialSum sum = exponential_sum({.set = set}, values, 1);
    EXPECT_EQ(sum.maximum, -infinity);
    EXPECT_EQ(sum.total, 0);
  }
}

TEST(Vocabulary, all_instruction_sets_give_the_same_bits) {
  Random random(10);
  for (const std::size_t length : lengths) {
    std::vector<float> values = random.values(length, 20);
    for (std::size_t i = 0; i < length; i += 7) values[i] = i % 2 == 0 ? -0.0f : -infinity;
    values[0] = 0;
    for (const float temperature : {1.0f, 0.7f, 1e-5f}) {
      const ExponentialSum expected = exponential_sum({}, values, temperature);
      std::vector<float> expected_widths(length);
      exponential_widths({}, values, expected.maximum, temperature, expected_widths);
      for (const InstructionSet set : testing::sets()) {
        const ExponentialSum sum = exponential_sum({.set = set}, values, temperature);
        EXPECT_EQ(std::bit_cast<std::uint32_t>(sum.maximum),
                  std::bit_cast<std::uint32_t>(expected.maximum));
        EXPECT_EQ(sum.total, expected.total) << name_of(set) << ' ' << length;
        std::vector<float> widths(length);
        exponential_widths({.set = set}, values, sum.maximum, temperature, widths);
        EXPECT_EQ(widths, expected_widths);
      }
    }
  }
}

}  // namespace
}  // namespace zhuzi::kernels
