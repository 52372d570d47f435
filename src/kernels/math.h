// Elementary functions of our own, one polynomial each, the same bits on every machine.
//
// No libm call whose result differs by machine lies on the path from weights to token (NUMERICS,
// rule 4). The scalar functions here are the definition (internal/math_definitions.h); the vector
// code of the other files repeats their operations one by one (add, multiply, fma, each rounded
// once). Logarithms and powers in double are in base/math64.h.
#pragma once

namespace zhuzi::kernels {

/// e^x. Error at most 1 ulp; from 88.72284 on +inf, below -87.33654, where results stop being
/// normal, 0; NaN stays NaN.
[[nodiscard]] float exp_f32(float x);
/// Natural logarithm. Error at most 1 ulp; 0 gives -inf, a negative number NaN.
[[nodiscard]] float log_f32(float x);
/// Error at most 2 ulp.
[[nodiscard]] float tanh_f32(float x);
/// Error at most 2 ulp.
[[nodiscard]] float erf_f32(float x);
/// 1 / (1 + e^-x). Error at most 2.5 ulp down to -87.33654, 0 far below.
[[nodiscard]] float sigmoid_f32(float x);

struct SinCos {
  double sine = 0;
  double cosine = 0;
};
/// For rotary tables: |x| up to 1e9, absolute error below 2e-16.
[[nodiscard]] SinCos sincos_f64(double x);

}  // namespace zhuzi::kernels
