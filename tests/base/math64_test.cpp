// math64 against the 64-bit mantissas of long double, at pseudo-random and at special arguments.
#include "base/math64.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace zhuzi {
namespace {

constexpr double error_max = 2.5e-16;
constexpr int samples = 200000;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// A fixed sequence of doubles in [0, 1).
class Sequence {
 public:
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 1;
};

double relative_error(double value, long double truth) {
  return static_cast<double>(std::fabs((static_cast<long double>(value) - truth) / truth));
}

TEST(Math64, exp_is_within_an_ulp_of_the_truth) {
  Sequence sequence;
  double worst = 0;
  for (int i = 0; i < samples; ++i) {
    const double x = -708 + 1417 * sequence.next();
    worst = std::max(worst, relative_error(math64::exp(x), std::exp(static_cast<long double>(x))));
    const double small = (sequence.next() - 0.5) * 1e-3;
    worst = std::max(worst,
                     relative_error(math64::exp(small), std::exp(static_cast<long double>(small))));
  }
  EXPECT_LT(worst, error_max);
  EXPECT_EQ(math64::exp(0), 1);
  EXPECT_EQ(math64::exp(710), infinity);
  EXPECT_EQ(math64::exp(-746), 0);
  EXPECT_TRUE(std::isnan(math64::exp(std::nan(""))));
}

TEST(Math64, log_is_within_an_ulp_of_the_truth) {
  Sequence sequence;
  double worst = 0;
  for (int i = 0; i < samples; ++i) {
    const double wide = std::ldexp(0.5 + sequence.next(), static_cast<int>(i % 2000) - 1000);
    worst = std::max(worst,
                     relative_error(math64::log(wide), std::log(static_cast<long double>(wide))));
    const double near_one = 1 + (sequence.next() - 0.5) * 1e-4;
    worst = std::max(
        worst, relative_error(math64::log(near_one), std::log(static_cast<long double>(near_one))));
  }
  EXPECT_LT(worst, error_max);
  EXPECT_EQ(math64::log(1), 0);
  EXPECT_EQ(math64::log(0), -infinity);
  EXPECT_EQ(math64::log(infinity), infinity);
  EXPECT_TRUE(std::isnan(math64::log(-1)));
}

TEST(Math64, pow_keeps_its_digits_for_large_exponents) {
  Sequence sequence;
  double worst = 0;
  for (int i = 0; i < samples; ++i) {
    const double base = std::exp(-20 + 40 * sequence.next());
    const double exponent = (sequence.next() - 0.5) * 60;
    const long double truth =
        std::pow(static_cast<long double>(base), static_cast<long double>(exponent));
    worst = std::max(worst, relative_error(math64::pow(base, exponent), truth));
  }
  EXPECT_LT(worst, error_max);
  EXPECT_EQ(math64::pow(10000, 0), 1);
  EXPECT_EQ(math64::pow(10000, 1), 10000);
  EXPECT_EQ(math64::pow(10000, -0.5), 0.01);
  EXPECT_EQ(math64::pow(1e300, 2), infinity);
  EXPECT_TRUE(std::isnan(math64::pow(-1, 2)));
}

TEST(Math64, sine_and_cosine_are_within_an_ulp_up_to_a_thousand_million) {
  Sequence sequence;
  double worst = 0;
  for (int i = 0; i < samples; ++i) {
    const double x = (sequence.next() - 0.5) * 2 * std::pow(10.0, -3 + i % 13);
    const math64::SineCosine value = math64::sincos(x);
    worst = std::max(worst, relative_error(value.sine, std::sin(static_cast<long double>(x))));
    worst = std::max(worst, relative_error(value.cosine, std::cos(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, error_max);
  EXPECT_EQ(math64::sincos(0).cosine, 1);
  EXPECT_EQ(math64::sincos(0).sine, 0);
  EXPECT_TRUE(std::isnan(math64::sincos(2e9).sine));
}

TEST(Math64, sine_and_cosine_hold_at_whole_multiples_of_a_quarter_turn) {
  double worst = 0;
  for (int i = 1; i < 100000; ++i) {
    const double x = i * 1.5707963267948966;
    const math64::SineCosine value = math64::sincos(x);
    worst = std::max(worst, relative_error(value.sine, std::sin(static_cast<long double>(x))));
    worst = std::max(worst, relative_error(value.cosine, std::cos(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, error_max);
}

TEST(Math64, J1_neighbouring_positions_have_their_own_angles) {
  for (const double position : {255.0, 256.0, 257.0, 258.0, 15962.0, 40000.0}) {
    EXPECT_NEAR(math64::sincos(position).cosine, std::cos(position), 1e-15);
    EXPECT_NEAR(math64::sincos(position).sine, std::sin(position), 1e-15);
  }
  EXPECT_NEAR(math64::sincos(15962).cosine, -0.9080, 1e-4);
}

}  // namespace
}  // namespace zhuzi
