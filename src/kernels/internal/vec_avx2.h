// The vector vocabulary on AVX2: 16 floats are two registers of 8.
//
// Not a header of its own: a file includes it inside its AVX2 region and namespace, followed by the
// texts that are written once in this vocabulary (math_vectors.h, vec_rows.h, ...), so that
// everything is compiled for the region's instruction set and stays local to the file.

#include "kernels/internal/vec_eight.h"

struct F32x16 {
  __m256 low;
  __m256 high;
};

/// All bits of a lane are set or none.
struct Mask {
  __m256 low;
  __m256 high;
};

[[gnu::always_inline]] inline F32x16 broadcast(float x) {
  return {_mm256_set1_ps(x), _mm256_set1_ps(x)};
}
[[gnu::always_inline]] inline F32x16 broadcast_from(const float* x) {
  const __m256 value = _mm256_broadcast_ss(x);
  return {value, value};
}
[[gnu::always_inline]] inline F32x16 zeros() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }

[[gnu::always_inline]] inline F32x16 load(const float* x) {
  return {_mm256_loadu_ps(x), _mm256_loadu_ps(x + 8)};
}
[[gnu::always_inline]] inline void store(float* x, F32x16 v) {
  _mm256_storeu_ps(x, v.low);
  _mm256_storeu_ps(x + 8, v.high);
}

/// 16 ones, then 16 zeros: read from 16 - n on, the first n lanes are set.
alignas(64) constexpr int lane_window[32] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                             -1, -1, -1, -1, -1, -1, -1, -1};
[[gnu::always_inline]] inline __m256i window_at(std::size_t i) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lane_window + i));
}
/// The first n lanes, n <= 16.
[[gnu::always_inline]] inline Mask first_lanes(std::size_t n) {
  return {_mm256_castsi256_ps(window_at(16 - n)), _mm256_castsi256_ps(window_at(24 - n))};
}
/// Up to 16 values; lanes behind them are zero. Nothing behind is read.
[[gnu::always_inline]] inline F32x16 load(const float* x, std::size_t n) {
  if (n >= 16) return load(x);
  return {_mm256_maskload_ps(x, window_at(16 - n)), _mm256_maskload_ps(x + 8, window_at(24 - n))};
}
[[gnu::always_inline]] inline void store(float* x, std::size_t n, F32x16 v) {
  if (n >= 16) return store(x, v);
  _mm256_maskstore_ps(x, window_at(16 - n), v.low);
  _mm256_maskstore_ps(x + 8, window_at(24 - n), v.high);
}

[[gnu::always_inline]] inline F32x16 add(F32x16 a, F32x16 b) {
  return {_mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high)};
}
[[gnu::always_inline]] inline F32x16 sub(F32x16 a, F32x16 b) {
  return {_mm256_sub_ps(a.low, b.low), _mm256_sub_ps(a.high, b.high)};
}
[[gnu::always_inline]] inline F32x16 mul(F32x16 a, F32x16 b) {
  return {_mm256_mul_ps(a.low, b.low), _mm256_mul_ps(a.high, b.high)};
}
[[gnu::always_inline]] inline F32x16 div(F32x16 a, F32x16 b) {
  return {_mm256_div_ps(a.low, b.low), _mm256_div_ps(a.high, b.high)};
}
/// a * b + c.
[[gnu::always_inline]] inline F32x16 fma(F32x16 a, F32x16 b, F32x16 c) {
  return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}
/// c - a * b.
[[gnu::always_inline]] inline F32x16 fma_minus(F32x16 a, F32x16 b, F32x16 c) {
  return {_mm256_fnmadd_ps(a.low, b.low, c.low), _mm256_fnmadd_ps(a.high, b.high, c.high)};
}
/// a * b - c.
[[gnu::always_inline]] inline F32x16 fma_less(F32x16 a, F32x16 b, F32x16 c) {
  return {_mm256_fmsub_ps(a.low, b.low, c.low), _mm256_fmsub_ps(a.high, b.high, c.high)};
}
/// a > b ? a : b, so b where one is NaN.
[[gnu::always_inline]] inline F32x16 max(F32x16 a, F32x16 b) {
  return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)};
}
/// a < b ? a : b.
[[gnu::always_inline]] inline F32x16 min(F32x16 a, F32x16 b) {
  return {_mm256_min_ps(a.low, b.low), _mm256_min_ps(a.high, b.high)};
}
[[gnu::always_inline]] inline F32x16 absolute(F32x16 x) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return {_mm256_andnot_ps(sign, x.low), _mm256_andnot_ps(sign, x.high)};
}
/// `magnitude` is not negative.
[[gnu::always_inline]] inline F32x16 with_sign_of(F32x16 magnitude, F32x16 x) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return {_mm256_or_ps(magnitude.low, _mm256_and_ps(sign, x.low)),
          _mm256_or_ps(magnitude.high, _mm256_and_ps(sign, x.high))};
}
/// Adds the integer in the low bits of `shifted` to the exponent of x.
[[gnu::always_inline]] inline __m256 add_exponent(__m256 x, __m256 shifted) {
  const __m256i bits = _mm256_slli_epi32(_mm256_castps_si256(shifted), 23);
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(x), bits));
}
[[gnu::always_inline]] inline F32x16 add_exponent(F32x16 x, F32x16 shifted) {
  return {add_exponent(x.low, shifted.low), add_exponent(x.high, shifted.high)};
}

[[gnu::always_inline]] inline Mask less(F32x16 a, F32x16 b) {
  return {_mm256_cmp_ps(a.low, b.low, _CMP_LT_OQ), _mm256_cmp_ps(a.high, b.high, _CMP_LT_OQ)};
}
[[gnu::always_inline]] inline Mask less_equal(F32x16 a, F32x16 b) {
  return {_mm256_cmp_ps(a.low, b.low, _CMP_LE_OQ), _mm256_cmp_ps(a.high, b.high, _CMP_LE_OQ)};
}
[[gnu::always_inline]] inline Mask first_without(Mask a, Mask b) {
  return {_mm256_andnot_ps(b.low, a.low), _mm256_andnot_ps(b.high, a.high)};
}
[[gnu::always_inline]] inline bool all(Mask m) {
  return (_mm256_movemask_ps(m.low) & _mm256_movemask_ps(m.high)) == 0xff;
}
[[gnu::always_inline]] inline bool any(Mask m) {
  return (_mm256_movemask_ps(m.low) | _mm256_movemask_ps(m.high)) != 0;
}
[[gnu::always_inline]] inline F32x16 select(Mask m, F32x16 yes, F32x16 no) {
  return {_mm256_blendv_ps(no.low, yes.low, m.low), _mm256_blendv_ps(no.high, yes.high, m.high)};
}

/// The sum by the tree 8-4-2-1.
[[gnu::always_inline]] inline float tree_sum(F32x16 x) {
  return tree_sum(_mm256_add_ps(x.low, x.high));
}
/// The largest lane; of no interest where one is NaN.
[[gnu::always_inline]] inline float max_lane(F32x16 x) {
  return max_lane(_mm256_max_ps(x.low, x.high));
}

// Where registers are counted (attention_tile.h): the vocabulary of one register.

using Register = __m256;
constexpr std::size_t register_lanes = 8;
constexpr std::size_t page_registers = 2;  ///< 16 tokens.

[[gnu::always_inline]] inline Register broadcast_register(const float* x) {
  return _mm256_broadcast_ss(x);
}
[[gnu::always_inline]] inline Register zero_register() { return _mm256_setzero_ps(); }
[[gnu::always_inline]] inline Register load_register(const float* x) { return _mm256_loadu_ps(x); }
[[gnu::always_inline]] inline void store_register(float* x, Register v) { _mm256_storeu_ps(x, v); }
[[gnu::always_inline]] inline Register load_halves(const std::byte* x) { return eight_halves(x); }
[[gnu::always_inline]] inline Register load_bfloats(const std::byte* x) { return eight_bfloats(x); }
[[gnu::always_inline]] inline Register from_eight(__m256 eight) { return eight; }
[[gnu::always_inline]] inline Register fma(Register a, Register b, Register c) {
  return _mm256_fmadd_ps(a, b, c);
}
