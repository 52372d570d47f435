// The vector vocabulary on AVX-512: 16 floats are one register. See vec_avx2.h, which explains how
// it is included and what each word means.

#include "kernels/internal/vec_eight.h"

using F32x16 = __m512;
using Mask = __mmask16;

[[gnu::always_inline]] inline F32x16 broadcast(float x) { return _mm512_set1_ps(x); }
[[gnu::always_inline]] inline F32x16 broadcast_from(const float* x) { return _mm512_set1_ps(*x); }
[[gnu::always_inline]] inline F32x16 zeros() { return _mm512_setzero_ps(); }

[[gnu::always_inline]] inline F32x16 load(const float* x) { return _mm512_loadu_ps(x); }
[[gnu::always_inline]] inline void store(float* x, F32x16 v) { _mm512_storeu_ps(x, v); }

[[gnu::always_inline]] inline Mask first_lanes(std::size_t n) {
  return static_cast<Mask>((1u << n) - 1u);
}
[[gnu::always_inline]] inline F32x16 load(const float* x, std::size_t n) {
  if (n >= 16) return load(x);
  return _mm512_maskz_loadu_ps(first_lanes(n), x);
}
[[gnu::always_inline]] inline void store(float* x, std::size_t n, F32x16 v) {
  if (n >= 16) return store(x, v);
  _mm512_mask_storeu_ps(x, first_lanes(n), v);
}

[[gnu::always_inline]] inline F32x16 add(F32x16 a, F32x16 b) { return _mm512_add_ps(a, b); }
[[gnu::always_inline]] inline F32x16 sub(F32x16 a, F32x16 b) { return _mm512_sub_ps(a, b); }
[[gnu::always_inline]] inline F32x16 mul(F32x16 a, F32x16 b) { return _mm512_mul_ps(a, b); }
[[gnu::always_inline]] inline F32x16 div(F32x16 a, F32x16 b) { return _mm512_div_ps(a, b); }
[[gnu::always_inline]] inline F32x16 fma(F32x16 a, F32x16 b, F32x16 c) {
  return _mm512_fmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline F32x16 fma_minus(F32x16 a, F32x16 b, F32x16 c) {
  return _mm512_fnmadd_ps(a, b, c);
}
[[gnu::always_inline]] inline F32x16 fma_less(F32x16 a, F32x16 b, F32x16 c) {
  return _mm512_fmsub_ps(a, b, c);
}
[[gnu::always_inline]] inline F32x16 max(F32x16 a, F32x16 b) { return _mm512_max_ps(a, b); }
[[gnu::always_inline]] inline F32x16 min(F32x16 a, F32x16 b) { return _mm512_min_ps(a, b); }
[[gnu::always_inline]] inline __m512i sign_bits() {
  return _mm512_castps_si512(_mm512_set1_ps(-0.0f));
}
[[gnu::always_inline]] inline F32x16 absolute(F32x16 x) {
  return _mm512_castsi512_ps(_mm512_andnot_si512(sign_bits(), _mm512_castps_si512(x)));
}
[[gnu::always_inline]] inline F32x16 with_sign_of(F32x16 magnitude, F32x16 x) {
  const __m512i sign = _mm512_and_si512(sign_bits(), _mm512_castps_si512(x));
  return _mm512_castsi512_ps(_mm512_or_si512(_mm512_castps_si512(magnitude), sign));
}
[[gnu::always_inline]] inline F32x16 add_exponent(F32x16 x, F32x16 shifted) {
  const __m512i bits = _mm512_slli_epi32(_mm512_castps_si512(shifted), 23);
  return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(x), bits));
}

[[gnu::always_inline]] inline Mask less(F32x16 a, F32x16 b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
[[gnu::always_inline]] inline Mask less_equal(F32x16 a, F32x16 b) {
  return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
[[gnu::always_inline]] inline Mask first_without(Mask a, Mask b) {
  return static_cast<Mask>(a & ~b);
}
[[gnu::always_inline]] inline bool all(Mask m) { return m == 0xffff; }
[[gnu::always_inline]] inline bool any(Mask m) { return m != 0; }
[[gnu::always_inline]] inline F32x16 select(Mask m, F32x16 yes, F32x16 no) {
  return _mm512_mask_blend_ps(m, no, yes);
}

[[gnu::always_inline]] inline __m256 low_half(F32x16 x) { return _mm512_castps512_ps256(x); }
[[gnu::always_inline]] inline __m256 high_half(F32x16 x) {
  return _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(x), 1));
}
[[gnu::always_inline]] inline float tree_sum(F32x16 x) {
  return tree_sum(_mm256_add_ps(low_half(x), high_half(x)));
}
[[gnu::always_inline]] inline float max_lane(F32x16 x) {
  return max_lane(_mm256_max_ps(low_half(x), high_half(x)));
}

using Register = __m512;
constexpr std::size_t register_lanes = 16;
constexpr std::size_t page_registers = 1;

[[gnu::always_inline]] inline Register broadcast_register(const float* x) {
  return _mm512_set1_ps(*x);
}
[[gnu::always_inline]] inline Register zero_register() { return _mm512_setzero_ps(); }
[[gnu::always_inline]] inline Register load_register(const float* x) { return load(x); }
[[gnu::always_inline]] inline void store_register(float* x, Register v) { store(x, v); }
[[gnu::always_inline]] inline Register load_halves(const std::byte* x) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(x)));
}
[[gnu::always_inline]] inline Register load_bfloats(const std::byte* x) {
  const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}
[[gnu::always_inline]] inline Register from_eight(__m256 eight) {
  const __m512d zero = _mm512_castps_pd(_mm512_setzero_ps());
  return _mm512_castpd_ps(_mm512_insertf64x4(zero, _mm256_castps_pd(eight), 0));
}
