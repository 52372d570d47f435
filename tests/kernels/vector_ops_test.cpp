// Norms, activations and sums: the fixtures' float64 results on every instruction set, and equal
// bits on all of them for lengths around the 16 lanes, with rubbish behind each row.
#include "kernels/vector_ops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

#include "base/threads.h"
#include "vector_support.h"

namespace zhuzi::kernels {
namespace {

using testing::fixture;
using testing::floats;
using testing::number;
using testing::numbers;
using testing::Random;
using testing::Table;

struct NamedActivation {
  Activation activation;
  std::string_view key;
};
constexpr NamedActivation activations[] = {
    {Activation::silu, "silu"},           {Activation::gelu_erf, "gelu_erf"},
    {Activation::gelu_tanh, "gelu_tanh"}, {Activation::quick_gelu, "quick_gelu"},
    {Activation::relu, "relu"},           {Activation::relu_squared, "relu2"}};

Table one_row(std::span<const float> values) {
  Table table(1, values.size());
  std::ranges::copy(values, table.row(0).begin());
  return table;
}

void expect_row(Table& table, std::span<const double> expected, double relative, double absolute) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    testing::expect_near(table.at(0, i), expected[i], relative, absolute);
  }
}

TEST(VectorOps, rms_norm_equals_the_fixtures) {
  const json::Value file = fixture("primitives.json");
  for (const json::Value& c : *file.find("rms_norm")->array()) {
    for (const InstructionSet set : testing::sets()) {
      Table x = one_row(floats(*c.find("x")));
      rms_norm({.set = set}, x.rows(), floats(*c.find("weight")),
               static_cast<float>(number(c, "eps")), x.rows());
      expect_row(x, numbers(*c.find("y")), 1e-6, 1e-30);
    }
  }
}

TEST(VectorOps, layer_norm_equals_the_fixtures_with_and_without_bias) {
  const json::Value file = fixture("primitives.json");
  for (const json::Value& c : *file.find("layer_norm")->array()) {
    for (const InstructionSet set : testing::sets()) {
      const auto epsilon = static_cast<float>(number(c, "eps"));
      const std::vector<float> weight = floats(*c.find("weight"));
      Table x = one_row(floats(*c.find("x")));
      Table out = x;
      layer_norm({.set = set}, x.rows(), weight, floats(*c.find("bias")), epsilon, out.rows());
      expect_row(out, numbers(*c.find("y")), 2e-6, 2e-6);
      layer_norm({.set = set}, x.rows(), weight, {}, epsilon, out.rows());
      expect_row(out, numbers(*c.find("y_no_bias")), 2e-6, 2e-6);
    }
  }
}

TEST(VectorOps, activations_equal_the_fixtures) {
  const json::Value file = fixture("primitives.json");
  const json::Value& all = *file.find("activations");
  for (const auto& [activation, key] : activations) {
    for (const InstructionSet set : testing::sets()) {
      Table x = one_row(floats(*all.find("x")));
      activate({.set = set}, activation, x.rows());
      expect_row(x, numbers(*all.find(key)), 3e-6, 1e-6);
    }
  }
}

TEST(VectorOps, softcap_equals_the_fixtures) {
  const json::Value file = fixture("primitives.json");
  for (const json::Value& c : *file.find("softcap")->array()) {
    for (const InstructionSet set : testing::sets()) {
      Table x = one_row(floats(*c.find("x")));
      softcap({.set = set}, x.rows(), static_cast<float>(number(c, "cap")));
      expect_row(x, numbers(*c.find("y")), 5e-7, 1e-37);
    }
  }
}

TEST(VectorOps, gated_activations_equal_the_fixtures) {
  const json::Value file = fixture("primitives.json");
  const json::Value& all = *file.find("swiglu");
  const std::pair<Activation, std::string_view> cases[] = {
      {Activation::silu, "silu_mul"}, {Activation::gelu_tanh, "gelu_tanh_mul"}};
  for (const auto& [activation, key] : cases) {
    for (const InstructionSet set : testing::sets()) {
      Table gate = one_row(floats(*all.find("gate")));
      Table up = one_row(floats(*all.find("up")));
      gated_activation({.set = set}, activation, gate.rows(), up.rows(), gate.rows());
      expect_row(gate, numbers(*all.find(key)), 3e-6, 1e-6);
    }
  }
}

TEST(VectorOps, scale_and_sums_are_single_roundings) {
  Random random(3);
  Table x(random, 3, 37);
  Table y(random, 3, 37);
  const std::vector<float> bias = random.values(37);
  for (const InstructionSet set : testing::sets()) {
    Table out = x;
    add({.set = set}, out.rows(), y.rows());
    add_bias({.set = set}, out.rows(), bias);
    scale({.set = set}, out.rows(), 0.3f);
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t i = 0; i < 37; ++i) {
        EXPECT_EQ(out.at(r, i), ((x.at(r, i) + y.at(r, i)) + bias[i]) * 0.3f);
      }
    }
  }
}

TEST(VectorOps, a_sum_of_squares_that_overflows_is_not_silently_zero) {
  for (const InstructionSet set : testing::sets()) {
    Table x = one_row(std::vector<float>(20, 1e25f));
    rms_norm({.set = set}, x.rows(), std::vector<float>(20, 1.0f), 1e-5f, x.rows());
    EXPECT_TRUE(std::isnan(x.at(0, 7)));
  }
}

TEST(VectorOps, a_value_that_is_not_finite_stays_visible) {
  for (const auto& [activation, key] : activations) {
    for (const InstructionSet set : testing::sets()) {
      Table x = one_row(std::vector<float>(20, testing::nan));
      activate({.set = set}, activation, x.rows());
      EXPECT_TRUE(std::isnan(x.at(0, 0))) << key;
      EXPECT_TRUE(std::isnan(x.at(0, 19))) << key;
    }
  }
}

/// Every operation once, each on a copy of x: the results in order.
std::vector<Table> results(const OpContext& context, Table& x, Table& y,
                           std::span<const float> weight) {
  std::vector<Table> all;
  const auto next = [&]() -> Table& { return all.emplace_back(x); };
  rms_norm(context, x.rows(), weight, 1e-5f, next().rows());
  layer_norm(context, x.rows(), weight, weight, 1e-5f, next().rows());
  layer_norm(context, x.rows(), weight, {}, 1e-5f, next().rows());
  head_rms_norm(context, next().rows(), weight.size(), weight, 1e-6f);
  add(context, next().rows(), y.rows());
  add_bias(context, next().rows(), weight);
  scale(context, next().rows(), 1.7f);
  softcap(context, next().rows(), 3.0f);
  for (const auto& [activation, key] : activations) {
    gated_activation(context, activation, x.rows(), y.rows(), next().rows());
    activate(context, activation, next().rows());
  }
  return all;
}

TEST(VectorOps, all_instruction_sets_give_the_same_bits_for_every_length) {
  Random random(4);
  for (const std::size_t columns : {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 576, 1001}) {
    for (const float range : {0.01f, 3.0f, 100.0f}) {
      Table x(random, 2, columns, range);
      Table y(random, 2, columns);
      const std::vector<float> weight = random.values(columns);
      const std::vector<Table> expected = results({}, x, y, weight);
      for (const InstructionSet set : testing::sets()) {
        const std::vector<Table> actual = results({.set = set}, x, y, weight);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_TRUE(actual[i] == expected[i])
              << name_of(set) << ", operation " << i << ", " << columns << " columns";
        }
      }
    }
  }
}

TEST(VectorOps, threads_and_neighbours_change_no_bit) {
  Random random(5);
  constexpr std::size_t rows = 67;
  constexpr std::size_t columns = 1500;  // Enough for several parts.
  Table x(random, rows, columns, 4.0f);
  Table y(random, rows, columns);
  const std::vector<float> weight = random.values(columns);
  for (const InstructionSet set : testing::sets()) {
    const std::vector<Table> expected = results({.set = set}, x, y, weight);
    for (const std::size_t threads : {2, 3}) {
      ThreadPool pool(threads);
      const std::vector<Table> actual = results({.threads = &pool, .set = set}, x, y, weight);
      for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(actual[i] == expected[i]) << i;
    }
  }
}

TEST(VectorOps, head_norm_is_the_norm_of_each_head) {
  Random random(6);
  const std::vector<float> weight = random.values(24);
  for (const InstructionSet set : testing::sets()) {
    Table x(random, 2, 72);
    Table heads = x;
    head_rms_norm({.set = set}, heads.rows(), 24, weight, 1e-6f);
    for (std::size_t r = 0; r < 2; ++r) {
      for (std::size_t h = 0; h < 3; ++h) {
        Table one = one_row(x.row(r).subspan(h * 24, 24));
        rms_norm({.set = set}, one.rows(), weight, 1e-6f, one.rows());
        EXPECT_TRUE(std::ranges::equal(one.row(0), heads.row(r).subspan(h * 24, 24)));
      }
    }
  }
}

}  // namespace
}  // namespace zhuzi::kernels
