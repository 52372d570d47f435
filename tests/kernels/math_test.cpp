// The elementary functions against the C library in double: every 997th float (all of them were run
// once by hand), the borders, and what is not a number.
#include "kernels/math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/internal/math_definitions.h"
#include "vector_support.h"

namespace zhuzi::kernels {
namespace {

using testing::infinity;
using testing::nan;

double ulps(float actual, double expected) {
  const int exponent = std::max(std::ilogb(static_cast<float>(expected)), -126);
  return std::fabs(actual - expected) / std::ldexp(1.0, exponent - 23);
}

struct Range {
  float first;
  float last;
};

/// The largest error over every 997th float of the range.
template <typename Function, typename Reference>
double largest_error(Function function, Reference reference, Range range) {
  double largest = 0;
  constexpr std::uint32_t step = 997;
  for (std::uint64_t bits = 0; bits <= 0xffffffff; bits += step) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (!(x >= range.first && x <= range.last)) continue;
    const double error = ulps(function(x), reference(static_cast<double>(x)));
    if (!(error <= largest)) largest = error;
  }
  return largest;
}

TEST(Math, exp_is_within_one_ulp) {
  const auto reference = [](double x) { return std::exp(x); };
  EXPECT_LE(largest_error(exp_f32, reference, {-0x1.5d589ep+6f, 0x1.62e42ep+6f}), 1);
}

TEST(Math, exp_overflows_to_infinity_and_underflows_to_zero) {
  EXPECT_LT(exp_f32(0x1.62e42ep+6f), infinity);
  EXPECT_EQ(exp_f32(0x1.62e430p+6f), infinity);
  EXPECT_EQ(exp_f32(infinity), infinity);
  EXPECT_GE(exp_f32(-0x1.5d589ep+6f), std::numeric_limits<float>::min());
  EXPECT_EQ(exp_f32(-0x1.5d58a0p+6f), 0);
  EXPECT_EQ(exp_f32(-infinity), 0);
  EXPECT_TRUE(std::isnan(exp_f32(nan)));
  EXPECT_EQ(exp_f32(0), 1);
  EXPECT_EQ(exp_f32(-0.0f), 1);
}

TEST(Math, log_is_within_one_ulp_of_every_positive_number) {
  const auto reference = [](double x) { return std::log(x); };
  EXPECT_LE(largest_error(log_f32, reference, {0x1p-149f, 0x1.fffffep+127f}), 1);
}

TEST(Math, log_of_what_is_not_positive) {
  EXPECT_EQ(log_f32(0), -infinity);
  EXPECT_EQ(log_f32(-0.0f), -infinity);
  EXPECT_EQ(log_f32(infinity), infinity);
  EXPECT_EQ(log_f32(1), 0);
  EXPECT_TRUE(std::isnan(log_f32(-1)));
  EXPECT_TRUE(std::isnan(log_f32(nan)));
}

TEST(Math, tanh_is_within_two_ulp) {
  const auto reference = [](double x) { return std::tanh(x); };
  EXPECT_LE(largest_error(tanh_f32, reference, {-infinity, infinity}), 2);
  EXPECT_EQ(tanh_f32(infinity), 1);
  EXPECT_EQ(tanh_f32(-infinity), -1);
  EXPECT_TRUE(std::signbit(tanh_f32(-0.0f)));
  EXPECT_TRUE(std::isnan(tanh_f32(nan)));
}

TEST(Math, erf_is_within_two_ulp) {
  const auto reference = [](double x) { return std::erf(x); };
  EXPECT_LE(largest_error(erf_f32, reference, {-infinity, infinity}), 2);
  EXPECT_EQ(erf_f32(infinity), 1);
  EXPECT_EQ(erf_f32(-infinity), -1);
  EXPECT_TRUE(std::signbit(erf_f32(-0.0f)));
  EXPECT_TRUE(std::isnan(erf_f32(nan)));
}

TEST(Math, sigmoid_is_within_two_and_a_half_ulp_where_exp_is_normal) {
  const auto reference = [](double x) { return 1 / (1 + std::exp(-x)); };
  EXPECT_LE(largest_error(sigmoid_f32, reference, {-87, infinity}), 2.5);
  EXPECT_EQ(sigmoid_f32(-infinity), 0);
  EXPECT_TRUE(std::isnan(sigmoid_f32(nan)));
}

TEST(Math, sine_and_cosine_are_right_up_to_a_billion) {
  testing::Random random(1);
  for (const double range : {0.8, 3.2, 100.0, 1e4, 1e6, 1e9}) {
    for (int i = 0; i < 20000; ++i) {
      const double x = (static_cast<double>(random.bits() >> 11) * 0x1p-52 - 1.0) * range;
      const SinCos value = sincos_f64(x);
      const auto exact = static_cast<long double>(x);
      ASSERT_LT(std::fabs(static_cast<double>(value.sine - std::sin(exact))), 2e-16) << x;
      ASSERT_LT(std::fabs(static_cast<double>(value.cosine - std::cos(exact))), 2e-16) << x;
    }
  }
}

TEST(Math, with_and_without_the_fma_instruction_the_bits_are_the_same) {
  testing::Random random(2);
  for (int i = 0; i < 100000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(random.bits()));
    if (std::isnan(x)) continue;
    const auto same = [&](float a, float b) {
      return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) || a != a;
    };
    ASSERT_TRUE(same(exp_f32(x), definition::exp_f32(x))) << x;
    ASSERT_TRUE(same(log_f32(x), definition::log_f32(x))) << x;
    ASSERT_TRUE(same(tanh_f32(x), definition::tanh_f32(x))) << x;
    ASSERT_TRUE(same(erf_f32(x), definition::erf_f32(x))) << x;
    ASSERT_TRUE(same(sigmoid_f32(x), definition::sigmoid_f32(x))) << x;
    const double angle = static_cast<double>(random.value(1e6f));
    ASSERT_EQ(sincos_f64(angle).sine, definition::sincos_f64(angle).sine) << angle;
  }
}

}  // namespace
}  // namespace zhuzi::kernels
