// Elementary functions in double precision, the same bits on every machine.
//
// libm differs between distributions, so nothing between a weight and a token may call it
// (NUMERICS, rule 4). These use only add, multiply, divide and fma, each rounded once. Made for
// tables that are computed at load (rotary frequencies): exact before fast.
//
// Invariant: the relative error is below 2.5e-16 wherever the result is a normal number.
#pragma once

namespace zhuzi::math64 {

/// e^x. Above 709.79 infinity; below -745.2 zero; NaN stays NaN.
[[nodiscard]] double exp(double x);
/// Natural logarithm: of 0 minus infinity, of a negative number NaN.
[[nodiscard]] double log(double x);
/// base^exponent for base > 0; the logarithm between is kept in twice the precision, so a large
/// exponent costs no digits.
[[nodiscard]] double pow(double base, double exponent);

struct SineCosine {
  double sine = 0;
  double cosine = 0;
};
/// For |x| up to 1e9, near multiples of pi too; beyond, and for NaN, both are NaN.
[[nodiscard]] SineCosine sincos(double x);

}  // namespace zhuzi::math64
