// Elementary functions of our own, one polynomial each, the same bits on every machine.
//
// No libm call whose result differs by machine lies on the path from weights to token (NUMERICS,
// rule 4). The scalar functions here are the definition; the vector code of the other files repeats
// their operations one by one (add, multiply, fma, each rounded once).
#pragma once

#include <cstdint>

namespace zhuzi::kernels {

/// e^x. Error at most 2 ulp; overflow gives +inf, below the smallest normal result 0 (see math.cpp
/// for the exact borders), NaN stays NaN.
[[nodiscard]] float exp_f32(float x);
/// Natural logarithm of a positive finite number; 0 gives -inf. Error at most 2 ulp.
[[nodiscard]] float log_f32(float x);
[[nodiscard]] float tanh_f32(float x);
[[nodiscard]] float erf_f32(float x);
/// 1 / (1 + e^-x).
[[nodiscard]] float sigmoid_f32(float x);

/// Double precision, for rotary tables and for sampling's log-probabilities: error below 1e-15
/// relative or absolute near zeros.
struct SinCos {
  double sine = 0;
  double cosine = 0;
};
/// |x| up to 1e9.
[[nodiscard]] SinCos sincos_f64(double x);
[[nodiscard]] double exp_f64(double x);
[[nodiscard]] double log_f64(double x);
/// base > 0.
[[nodiscard]] double pow_f64(double base, double exponent);

}  // namespace zhuzi::kernels
