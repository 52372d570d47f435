// The definition of every elementary function: which operations, in which order, each rounded once.
//
// Place in the journey: math.cpp compiles these texts twice, with and without the machine's fma;
// the scalar operations of the other files inline them; math_vectors.h repeats the f32 ones sixteen
// at a time. Nothing else in this room computes an exponential or a cosine.
//
// Invariant: plain IEEE operations and fma only, so the bits are the same on every machine. The
// polynomials in float are minimax fits (Remez) of the relative error, then rounded; those in
// double are Taylor series, so long that what is cut off is below a tenth of an ulp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/math.h"

namespace zhuzi::kernels::definition {

[[gnu::always_inline]] inline float fma(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
[[gnu::always_inline]] inline double fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

[[gnu::always_inline]] inline float absolute(float x) { return __builtin_fabsf(x); }

/// c[0] + c[1] x + c[2] x^2 ..., by Horner's rule.
template <typename Float, std::size_t count>
[[gnu::always_inline]] inline Float polynomial(const Float (&c)[count], Float x) {
  Float sum = c[count - 1];
  for (std::size_t i = count - 1; i > 0; --i) sum = fma(sum, x, c[i - 1]);
  return sum;
}

inline constexpr float infinity = std::numeric_limits<float>::infinity();

// ------------------------------------------------------------------------------------------ f32

inline constexpr float log2_e = 0x1.715476p+0f;
inline constexpr float ln2_high = 0x1.62e43p-1f;
inline constexpr float ln2_low = -0x1.05c61p-29f;
/// Adding it to |x| < 2^22 leaves no room for a fraction: x, rounded half to even, is in the low
/// bits of the sum.
inline constexpr float integer_shift = 0x1.8p23f;
inline constexpr int mantissa_bits = 23;

/// The largest x with a finite e^x, and the smallest with a normal one.
inline constexpr float exp_largest = 0x1.62e42ep+6f;
inline constexpr float exp_smallest = -0x1.5d589ep+6f;
/// e^r = 1 + (r + r^2 Q(r)) for |r| <= ln(2)/2: error 2^-28.
inline constexpr float exp_polynomial[] = {0x1.fffffcp-2f, 0x1.555492p-3f, 0x1.5558f2p-5f,
                                           0x1.1239f2p-7f, 0x1.6a246p-10f};
/// log(1 + f) = f - f^2 / 2 + f^3 P(f) for sqrt(1/2) <= 1 + f <= sqrt(2): error 2^-27.
inline constexpr float log_polynomial[] = {0x1.555554p-2f,  -0x1.000228p-2f, 0x1.99a00ap-3f,
                                           -0x1.547228p-3f, 0x1.22d9fp-3f,   -0x1.0d8638p-3f,
                                           0x1.055d44p-3f,  -0x1.38b4f6p-4f};
/// tanh(a) = a + a^3 T(a^2) below the border: error 2^-29.
inline constexpr float tanh_border = 0.5625f;
inline constexpr float tanh_polynomial[] = {-0x1.555548p-2f, 0x1.110c72p-3f, -0x1.b90948p-5f,
                                            0x1.582fb8p-6f, -0x1.95004p-8f};
/// erf(a) = a + a E(a^2) below the border: error 2^-30.
inline constexpr float erf_border = 0.9375f;
inline constexpr float erf_polynomial[] = {0x1.06eba8p-3f,  -0x1.812742p-2f, 0x1.ce2df4p-4f,
                                           -0x1.b80cb4p-6f, 0x1.54b5e2p-8f,  -0x1.a99ee8p-11f,
                                           0x1.5ac304p-14f};
/// log(erfc(a)) from the border to 4, where erf(a) rounds to 1: error of erf 2^-34.
inline constexpr float erf_largest = 4.0f;
inline constexpr float erfc_polynomial[] = {0x1.77ef0ap-13f, -0x1.212954p+0f, -0x1.444044p-1f,
                                            -0x1.bbb6ap-4f,  0x1.9c114ap-6f,  -0x1.1220ecp-8f,
                                            0x1.ca1db6p-12f, -0x1.656fbap-16f};

/// x = n ln(2) + r; n goes into the exponent of e^r, which is exact for a normal result.
[[gnu::always_inline]] inline float exp_f32(float x) {
  if (!(x <= exp_largest)) return x + infinity;  // Overflow; NaN stays NaN.
  if (x < exp_smallest) return 0.0f;
  const float shifted = fma(x, log2_e, integer_shift);
  const float n = shifted - integer_shift;
  const float r = fma(-n, ln2_low, fma(-n, ln2_high, x));
  const float power = 1.0f + fma(r * r, polynomial(exp_polynomial, r), r);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(power) +
                              (std::bit_cast<std::uint32_t>(shifted) << mantissa_bits));
}

[[gnu::always_inline]] inline float log_f32(float x) {
  if (!(x > 0.0f)) return x == 0.0f ? -infinity : std::numeric_limits<float>::quiet_NaN();
  if (x == infinity) return x;
  const bool is_subnormal = x < std::numeric_limits<float>::min();
  const auto bits = std::bit_cast<std::uint32_t>(is_subnormal ? x * 0x1p23f : x);
  constexpr auto root_half = std::bit_cast<std::uint32_t>(0x1.6a09e6p-1f);
  const std::int32_t exponent = static_cast<std::int32_t>(bits - root_half) >> mantissa_bits;
  const auto exponent_bits = static_cast<std::uint32_t>(exponent) << mantissa_bits;
  const float f = std::bit_cast<float>(bits - exponent_bits) - 1.0f;
  const auto e = static_cast<float>(exponent - (is_subnormal ? 23 : 0));
  const float series = fma(f, polynomial(log_polynomial, f), -0.5f);
  return fma(e, ln2_high, f + fma(f * f, series, e * ln2_low));
}

[[gnu::always_inline]] inline float tanh_f32(float x) {
  const float a = absolute(x);
  const float square = a * a;
  const float value = a < tanh_border ? fma(a, square * polynomial(tanh_polynomial, square), a)
                                      : 1.0f - 2.0f / (exp_f32(a + a) + 1.0f);
  return __builtin_copysignf(value, x);
}

[[gnu::always_inline]] inline float erf_f32(float x) {
  const float a = absolute(x);
  const float clamped = erf_largest < a ? erf_largest : a;
  const float value = a < erf_border ? fma(a, polynomial(erf_polynomial, a * a), a)
                                     : 1.0f - exp_f32(polynomial(erfc_polynomial, clamped));
  return __builtin_copysignf(value, x);
}

[[gnu::always_inline]] inline float sigmoid_f32(float x) { return 1.0f / (1.0f + exp_f32(-x)); }

// ------------------------------------------------------------------------------------------ f64

/// 1 / first!, -1 / (first + 2)!, 1 / (first + 4)!, ...
struct AlternatingSeries {
  double terms[8];
  constexpr explicit AlternatingSeries(int first) : terms{} {
    double factorial = 1;  // Exact up to 22!.
    double sign = 1;
    int next = 1;
    for (double& term : terms) {
      for (; next <= first; ++next) factorial *= next;
      term = sign / factorial;
      first += 2;
      sign = -sign;
    }
  }
};
inline constexpr AlternatingSeries sine_series(3);
inline constexpr AlternatingSeries cosine_series(2);

/// x = n pi/2 + r. For |x| <= 1e9, n has at most 30 bits and x - n * half_pi_high is exact.
[[gnu::always_inline]] inline SinCos sincos_f64(double x) {
  constexpr double shift = 0x1.8p52;
  constexpr double inverse_half_pi = 0x1.45f306dc9c883p-1;
  constexpr double half_pi_high = 0x1.921fb54442d18p+0;
  constexpr double half_pi_low = 0x1.1a62633145c07p-54;
  const double shifted = fma(x, inverse_half_pi, shift);
  const double n = shifted - shift;
  const double r = fma(-n, half_pi_low, fma(-n, half_pi_high, x));
  const double square = r * r;
  const double sine = fma(-(r * square), polynomial(sine_series.terms, square), r);
  const double cosine = fma(-square, polynomial(cosine_series.terms, square), 1.0);
  switch (std::bit_cast<std::uint64_t>(shifted) & 3) {
    case 0: return {sine, cosine};
    case 1: return {cosine, -sine};
    case 2: return {-sine, -cosine};
    default: return {-cosine, sine};
  }
}

}  // namespace zhuzi::kernels::definition
