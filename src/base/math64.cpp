// See math64.h. Each function brings its argument near zero exactly, as a sum of two doubles, and
// then adds up its Taylor series; with so small arguments no better polynomial is needed.
#include "base/math64.h"

#include <cmath>
#include <limits>

namespace zhuzi::math64 {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// head + tail, |tail| at most half a unit in the last place of head.
struct Sum {
  double head = 0;
  double tail = 0;
};

/// a + b exactly, for |a| >= |b| or a == 0.
Sum add_smaller(double a, double b) {
  const double head = a + b;
  return {head, b - (head - a)};
}

/// a * b exactly.
Sum product(double a, double b) {
  const double head = a * b;
  return {head, std::fma(a, b, -head)};
}

// ln 2 in three pieces; the first has 42 bits, so that its multiples by exponents are exact.
constexpr double ln2_head = 0x1.62e42fefa3800p-1;
constexpr double ln2_tail = 0x1.ef35793c76730p-45;
constexpr double inverse_ln2 = 0x1.71547652b82fep+0;

/// e^(x.head + x.tail).
double exp_of(Sum x) {
  if (std::isnan(x.head)) return x.head;
  if (x.head > 709.79) return infinity;
  if (x.head < -745.2) return 0;

  // x = k ln 2 + r, |r| <= 0.35.
  const double k = std::nearbyint(x.head * inverse_ln2);
  const double near = std::fma(-k, ln2_head, x.head);  // Exact.
  const double rest = std::fma(-k, ln2_tail, x.tail);
  const double r = near + rest;
  const double r_tail = (near - r) + rest;

  // e^r = 1 + (r + r^2 (1/2! + r/3! + r^2/4! + ...)); the first term left out is r^14/14! < 2^-57.
  constexpr double inverse_factorials[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
      1.0 / 5040,       1.0 / 720,       1.0 / 120,      1.0 / 24,      1.0 / 6,      1.0 / 2};
  double series = 0;
  for (const double term : inverse_factorials) series = std::fma(series, r, term);
  const double value = 1 + (r + std::fma(r * r, series, r_tail));
  return std::ldexp(value, static_cast<int>(k));
}

/// ln x for a positive finite x, with about 64 correct bits.
Sum log_of(double x) {
  // x = 2^exponent * m, m in [sqrt 1/2, sqrt 2).
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  // s = (m - 1) / (m + 1), so ln m = 2 atanh s; |s| < 0.172.
  const double above = m - 1;  // Exact.
  const double below = m + 1;
  const double below_tail = m - (below - 1);
  const double s = above / below;
  const double s_tail = (std::fma(-s, below, above) - s * below_tail) / below;
  const Sum square = product(s, s);
  const double square_tail = square.tail + 2 * s * s_tail;

  // ln m = 2 s + s^3 c, c = 2/3 + s^2 (2/5 + 2/7 s^2 + ... + 2/25 s^20): what is left out is below
  // 2^-66 of ln m. From 2/5 on a double is enough.
  double series = 0;
  for (int n = 25; n >= 5; n -= 2) series = std::fma(series, square.head, 2.0 / n);
  constexpr double two_thirds = 2.0 / 3.0;
  constexpr double two_thirds_tail = 0x1.5555555555555p-55;
  Sum c = add_smaller(two_thirds, square.head * series);
  c.tail += two_thirds_tail;
  Sum s2c = product(square.head, c.head);
  s2c.tail += square.head * c.tail + square_tail * c.head;
  Sum s3c = product(s, s2c.head);
  s3c.tail += s * s2c.tail + s_tail * s2c.head;

  const Sum first = add_smaller(exponent * ln2_head, 2 * s);
  const Sum second = add_smaller(first.head, s3c.head);
  const double tail = second.tail + (first.tail + (2 * s_tail + s3c.tail + exponent * ln2_tail));
  return add_smaller(second.head, tail);
}

// pi/2 in three pieces.
constexpr double half_pi_head = 0x1.921fb54442d18p+0;
constexpr double half_pi_tail = 0x1.1a62633145c07p-54;
constexpr double half_pi_third = -0x1.f1976b7ed8fbcp-110;
constexpr double inverse_half_pi = 0x1.45f306dc9c883p-1;

/// sin and cos of x.head + x.tail, |x| <= 0.79. The first terms left out are below 2^-58.
SineCosine sincos_near_zero(Sum x) {
  constexpr double sine_terms[] = {
      1.0 / 355687428096000, 1.0 / 1307674368000, 1.0 / 6227020800, 1.0 / 39916800,
      1.0 / 362880,          1.0 / 5040,          1.0 / 120,        1.0 / 6};
  constexpr double cosine_terms[] = {
      1.0 / 6402373705728000, 1.0 / 20922789888000, 1.0 / 87178291200, 1.0 / 479001600,
      1.0 / 3628800,          1.0 / 40320,          1.0 / 720,         1.0 / 24};
  const double square = x.head * x.head;
  // sin x = x - x^3 (1/3! - x^2/5! + ...)
  double series = 0;
  for (const double term : sine_terms) series = std::fma(-series, square, term);
  const double sine = x.head + std::fma(-x.head * square, series, x.tail);
  // cos x = 1 - x^2/2 + x^4 (1/4! - x^2/6! + ...)
  series = 0;
  for (const double term : cosine_terms) series = std::fma(-series, square, term);
  const double half = 0.5 * square;
  const double rounded = 1 - half;
  const double lost = (1 - rounded) - half;
  const double cosine = rounded + std::fma(square * square, series, lost - x.head * x.tail);
  return {sine, cosine};
}

}  // namespace

double exp(double x) { return exp_of({x, 0}); }

double log(double x) {
  if (x > 0 && x < infinity) return log_of(x).head;
  if (x == 0) return -infinity;
  return x > 0 ? x : nan;
}

double pow(double base, double exponent) {
  if (!(base > 0) || base == infinity || !std::isfinite(exponent)) return nan;
  const Sum logarithm = log_of(base);
  Sum scaled = product(exponent, logarithm.head);
  scaled.tail += exponent * logarithm.tail;
  return exp_of(scaled);
}

SineCosine sincos(double x) {
  constexpr double largest = 1e9;
  if (!(std::fabs(x) <= largest)) return {nan, nan};
  // x = k pi/2 + r, |r| <= 0.79; every piece of k pi/2 is taken off without rounding.
  const double k = std::nearbyint(x * inverse_half_pi);
  const double near = std::fma(-k, half_pi_head, x);  // Exact.
  const Sum second = product(-k, half_pi_tail);
  const double r = near + second.head;
  const double added = r - near;
  const double lost = (near - (r - added)) + (second.head - added);
  const double tail = lost + second.tail - k * half_pi_third;
  const SineCosine value = sincos_near_zero(add_smaller(r, tail));
  switch (static_cast<long long>(k) & 3) {
    case 0: return value;
    case 1: return {value.cosine, -value.sine};
    case 2: return {-value.sine, -value.cosine};
    default: return {-value.cosine, value.sine};
  }
}

}  // namespace zhuzi::math64
