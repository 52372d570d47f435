// Attention on AVX2 and AVX-512 (the text of both is internal/attention_tile.h), the rounding of K
// and V, and the table of all instruction sets.
#include <algorithm>
#include <cstring>

#include "kernels/internal/attention_task.h"
#include "kernels/internal/math_definitions.h"
#include "kernels/internal/simd.h"

namespace zhuzi::kernels {

ZHUZI_AVX2_REGION
namespace avx2 {
namespace {

#include "kernels/internal/vec_avx2.h"

#include "kernels/internal/math_vectors.h"

#include "kernels/internal/attention_tile.h"

/// From here on a finite float has no finite form: half a unit beyond the largest number.
[[gnu::always_inline]] inline float border(KvFormat format) {
  switch (format) {
    case KvFormat::f32: return definition::infinity;
    case KvFormat::f16: return 65520.0f;
    case KvFormat::bf16: return 0x1.ffp+127f;
  }
  return 0;
}

[[gnu::always_inline]] inline __m128i bfloats_of(__m256 x) {
  const __m256i bits = _mm256_castps_si256(x);
  const __m256i is_odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i half = _mm256_add_epi32(is_odd, _mm256_set1_epi32(0x7fff));
  const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, half), 16);
  return _mm_packus_epi32(_mm256_castsi256_si128(rounded), _mm256_extracti128_si256(rounded, 1));
}

/// Eight values at a time: heads are a multiple of eight long. AVX-512 machines use it too.
inline RoundingFaults round(KvFormat format, const float* values, std::size_t count,
                            std::byte* codes) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  __m256 not_finite = _mm256_setzero_ps();
  __m256 too_large = _mm256_setzero_ps();
  for (std::size_t i = 0; i < count; i += 8) {
    const __m256 x = _mm256_loadu_ps(values + i);
    const __m256 size = _mm256_andnot_ps(sign, x);
    const __m256 fits = _mm256_cmp_ps(size, _mm256_set1_ps(border(format)), _CMP_LT_OQ);
    const __m256 finite = _mm256_cmp_ps(size, _mm256_set1_ps(definition::infinity), _CMP_LT_OQ);
    const __m256 storable = _mm256_and_ps(fits, x);
    not_finite = _mm256_or_ps(not_finite, _mm256_andnot_ps(finite, _mm256_set1_ps(-1.0f)));
    too_large = _mm256_or_ps(too_large, _mm256_andnot_ps(fits, finite));
    if (format == KvFormat::f32) {
      _mm256_storeu_ps(reinterpret_cast<float*>(codes + i * 4), storable);
    } else {
      const __m128i halves =
          format == KvFormat::f16
              ? _mm256_cvtps_ph(storable, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
              : bfloats_of(storable);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(codes + i * 2), halves);
    }
  }
  return {.has_not_finite = _mm256_movemask_ps(not_finite) != 0,
          .has_overflow = _mm256_movemask_ps(too_large) != 0};
}

constexpr AttentionFunctions functions{
    .tile = tile, .merge = merge, .finish = finish, .round = round};

}  // namespace
}  // namespace avx2
ZHUZI_END_REGION

ZHUZI_AVX512_REGION
namespace avx512 {
namespace {

#include "kernels/internal/vec_avx512.h"

#include "kernels/internal/math_vectors.h"

#include "kernels/internal/attention_tile.h"

constexpr AttentionFunctions functions{
    .tile = tile, .merge = merge, .finish = finish, .round = avx2::round};

}  // namespace
}  // namespace avx512
ZHUZI_END_REGION

const AttentionFunctions& attention_functions(InstructionSet set) {
  switch (set) {
    case InstructionSet::scalar: return scalar_attention();
    case InstructionSet::avx2: return avx2::functions;
    case InstructionSet::avx512: return avx512::functions;
  }
  return scalar_attention();
}

}  // namespace zhuzi::kernels
