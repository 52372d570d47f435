// The elementary functions of math_definitions.h, sixteen at a time: the same operations in the
// same order, so the same bits. Where the scalar text branches, both sides are computed and one is
// taken.
//
// Included inside a region and namespace, behind vec_avx2.h or vec_avx512.h (see there).

template <std::size_t count>
[[gnu::always_inline]] inline F32x16 polynomial(const float (&c)[count], F32x16 x) {
  F32x16 sum = broadcast_from(&c[count - 1]);
  ZHUZI_UNROLL
  for (std::size_t i = count - 1; i > 0; --i) {
    sum = fma(sum, x, broadcast_from(&c[i - 1]));
  }
  return sum;
}

[[gnu::always_inline]] inline F32x16 exp_f32(F32x16 x) {
  const F32x16 shift = broadcast(definition::integer_shift);
  const F32x16 shifted = fma(x, broadcast(definition::log2_e), shift);
  const F32x16 n = sub(shifted, shift);
  const F32x16 near = fma_minus(n, broadcast(definition::ln2_high), x);
  const F32x16 r = fma_minus(n, broadcast(definition::ln2_low), near);
  const F32x16 series = fma(mul(r, r), polynomial(definition::exp_polynomial, r), r);
  const F32x16 power = add_exponent(add(broadcast(1.0f), series), shifted);
  const Mask is_tiny = less(x, broadcast(definition::exp_smallest));
  const Mask is_finite = less_equal(x, broadcast(definition::exp_largest));
  const F32x16 bounded = select(is_tiny, zeros(), power);
  return select(is_finite, bounded, add(x, broadcast(definition::infinity)));
}

[[gnu::always_inline]] inline F32x16 tanh_f32(F32x16 x) {
  const F32x16 one = broadcast(1.0f);
  const F32x16 a = absolute(x);
  const F32x16 square = mul(a, a);
  const F32x16 cube = mul(square, polynomial(definition::tanh_polynomial, square));
  const F32x16 small = fma(a, cube, a);
  const F32x16 large = sub(one, div(broadcast(2.0f), add(exp_f32(add(a, a)), one)));
  return with_sign_of(select(less(a, broadcast(definition::tanh_border)), small, large), x);
}

[[gnu::always_inline]] inline F32x16 erf_f32(F32x16 x) {
  const F32x16 a = absolute(x);
  const F32x16 small = fma(a, polynomial(definition::erf_polynomial, mul(a, a)), a);
  const F32x16 clamped = min(broadcast(definition::erf_largest), a);
  const F32x16 log_rest = polynomial(definition::erfc_polynomial, clamped);
  const F32x16 large = sub(broadcast(1.0f), exp_f32(log_rest));
  return with_sign_of(select(less(a, broadcast(definition::erf_border)), small, large), x);
}

[[gnu::always_inline]] inline F32x16 softcapped(F32x16 x, float cap) {
  return mul(broadcast(cap), tanh_f32(div(x, broadcast(cap))));
}
