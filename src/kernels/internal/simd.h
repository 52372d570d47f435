// The vector instructions, and the regions of a file that may use them.
//
//   ZHUZI_AVX2_REGION          code that runs only where is_supported(avx2)
//   namespace { ... }
//   ZHUZI_END_REGION
//
// The rest of a file stays plain x86-64, so one binary runs everywhere. What a region defines must
// be local to its file or always inlined: a function that the linker shares could carry a region's
// instructions into code that runs without them.
//
// One test program compiles this room a second time with ZHUZI_EMULATED_AVX512. Then SIMD
// Everywhere (the simde library) stands in for the AVX-512 instructions, on any machine with AVX2,
// and shows that the code for it gives the right bits; only its speed needs the real thing.
#pragma once

#ifndef ZHUZI_EMULATED_AVX512

// GCC 12 and 13 report their own header: "is used uninitialized" (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop

#define ZHUZI_AVX2_REGION _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,fma,f16c\")")
#define ZHUZI_AVX512_REGION   \
  _Pragma("GCC push_options") \
      _Pragma("GCC target(\"avx512f,avx512bw,avx512vl,avx512vnni,fma,f16c\")")
#define ZHUZI_END_REGION _Pragma("GCC pop_options")

#else

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <simde/x86/f16c.h>
#include <simde/x86/fma.h>

#define ZHUZI_AVX2_REGION
#define ZHUZI_AVX512_REGION
#define ZHUZI_END_REGION

namespace zhuzi::kernels::emulated {

/// What the library lacks, by halves.
[[gnu::always_inline]] inline __m512 join(__m256 low, __m256 high) {
  return simde_mm512_insertf32x8(simde_mm512_castps256_ps512(low), high, 1);
}
[[gnu::always_inline]] inline __m512i srai_epi32(__m512i integers, int bits) {
  const __m256i low = _mm256_srai_epi32(simde_mm512_castsi512_si256(integers), bits);
  const __m256i high = _mm256_srai_epi32(simde_mm512_extracti64x4_epi64(integers, 1), bits);
  return simde_mm512_inserti64x4(simde_mm512_castsi256_si512(low), high, 1);
}
[[gnu::always_inline]] inline __m512 cvtepi32_ps(__m512i integers) {
  return join(_mm256_cvtepi32_ps(simde_mm512_castsi512_si256(integers)),
              _mm256_cvtepi32_ps(simde_mm512_extracti64x4_epi64(integers, 1)));
}
[[gnu::always_inline]] inline __m512 cvtph_ps(__m256i halves) {
  return join(_mm256_cvtph_ps(_mm256_castsi256_si128(halves)),
              _mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1)));
}

[[gnu::always_inline]] inline __m512i cvtepu16_epi32(__m256i integers) {
  const __m256i high = _mm256_cvtepu16_epi32(_mm256_extracti128_si256(integers, 1));
  const __m256i low = _mm256_cvtepu16_epi32(_mm256_castsi256_si128(integers));
  return simde_mm512_castps_si512(join(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high)));
}
/// Lanes that are not asked for are not touched in memory.
[[gnu::always_inline]] inline __m512 maskz_loadu_ps(unsigned lanes, const float* values) {
  float copy[16] = {};
  for (unsigned i = 0; i < 16; ++i) {
    if ((lanes >> i & 1) != 0) copy[i] = values[i];
  }
  return simde_mm512_loadu_ps(copy);
}
[[gnu::always_inline]] inline void mask_storeu_ps(float* values, unsigned lanes, __m512 vector) {
  float copy[16];
  simde_mm512_storeu_ps(copy, vector);
  for (unsigned i = 0; i < 16; ++i) {
    if ((lanes >> i & 1) != 0) values[i] = copy[i];
  }
}

}  // namespace zhuzi::kernels::emulated

// The library's own name for this one is taken by its masked form.
#undef _mm512_madd_epi16
#define _mm512_madd_epi16(a, b) simde_mm512_madd_epi16(a, b)
#define _mm512_srai_epi32(integers, bits) zhuzi::kernels::emulated::srai_epi32(integers, bits)
#define _mm512_cvtepi32_ps(integers) zhuzi::kernels::emulated::cvtepi32_ps(integers)
#define _mm512_cvtph_ps(halves) zhuzi::kernels::emulated::cvtph_ps(halves)
#define _mm512_cvtepu16_epi32(integers) zhuzi::kernels::emulated::cvtepu16_epi32(integers)
#define _mm512_maskz_loadu_ps(lanes, values) zhuzi::kernels::emulated::maskz_loadu_ps(lanes, values)
#define _mm512_mask_storeu_ps(values, lanes, vector) \
  zhuzi::kernels::emulated::mask_storeu_ps(values, lanes, vector)

#endif
