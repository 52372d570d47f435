// Transposing file rows into lanes: what packing a panel mostly is.
//
// All formats store a row's weights in words of four bytes (four codes of 8 bits, eight of 4 bits,
// two weights of 16 bits, one float), and a panel has the same word of 16 rows side by side. SSE2
// belongs to every x86-64, so there is no other version of this.
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/internal/format.h"
#include "kernels/internal/format_numbers.h"

namespace zhuzi::kernels {

/// Four words of four rows, turned: words[i] has word i of each row.
inline void transpose_4x4(__m128i (&words)[4]) {
  const __m128i a = _mm_unpacklo_epi32(words[0], words[1]);
  const __m128i b = _mm_unpacklo_epi32(words[2], words[3]);
  const __m128i c = _mm_unpackhi_epi32(words[0], words[1]);
  const __m128i d = _mm_unpackhi_epi32(words[2], words[3]);
  words[0] = _mm_unpacklo_epi64(a, b);
  words[1] = _mm_unpackhi_epi64(a, b);
  words[2] = _mm_unpacklo_epi64(c, d);
  words[3] = _mm_unpackhi_epi64(c, d);
}

/// Four words of each row, from `offset` bytes into it on, to four neighbouring vectors of a panel:
/// 16 lanes of 4 bytes each. The bits of `turned` are turned in each word. Lanes of missing rows
/// are not written.
inline void transpose_words(const PackArguments& arguments, std::size_t offset, void* vectors,
                            std::uint32_t turned = 0) {
  const __m128i mask = _mm_set1_epi32(static_cast<int>(turned));
  auto* target = static_cast<std::byte*>(vectors);
  constexpr std::size_t vector_bytes = panel_rows * 4;
  std::size_t r = 0;
  for (; r + 4 <= arguments.rows_present; r += 4) {
    __m128i words[4];
    for (std::size_t i = 0; i < 4; ++i) {
      words[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(arguments.rows[r + i] + offset));
    }
    transpose_4x4(words);
    for (std::size_t i = 0; i < 4; ++i) {
      auto* lanes = reinterpret_cast<__m128i*>(target + i * vector_bytes + 4 * r);
      _mm_store_si128(lanes, _mm_xor_si128(words[i], mask));
    }
  }
  for (; r < arguments.rows_present; ++r) {
    for (std::size_t i = 0; i < 4; ++i) {
      const auto word = read_from<std::uint32_t>(arguments.rows[r] + offset + 4 * i) ^ turned;
      std::memcpy(target + i * vector_bytes + 4 * r, &word, sizeof(word));
    }
  }
}

/// True when no number of the row has all bits of `exponent`: then all are finite.
template <typename Number>
[[nodiscard]] inline bool row_is_finite(const std::byte* row, std::size_t columns,
                                        Number exponent) {
  constexpr std::size_t stretch = 32;
  Number bad = 0;
  std::size_t k = 0;
  for (; k + stretch <= columns; k += stretch) {
    Number numbers[stretch];
    std::memcpy(numbers, row + k * sizeof(Number), sizeof(numbers));
    for (const Number number : numbers) {
      bad |= static_cast<Number>((number & exponent) == exponent ? 1 : 0);
    }
  }
  for (; k < columns; ++k) {
    Number number;
    std::memcpy(&number, row + k * sizeof(Number), sizeof(number));
    bad |= static_cast<Number>((number & exponent) == exponent ? 1 : 0);
  }
  return bad == 0;
}

}  // namespace zhuzi::kernels
