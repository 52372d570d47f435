// The frame of every tile function: walk the blocks of a panel, keep one chain for each output.
//
// A format supplies a small struct for each instruction set:
//
//   Block         its panel block;  block_groups: groups of 32 columns in it
//   Row           what an activation row is made of (ActivationGroup, float);  row_step: how many
//   of
//                 these one block takes
//   output(...)   scalar: one output by textbook arithmetic
//   add<R>        AVX2: extends the chains of R rows by the `groups` of one block
//   add<R, P>     AVX-512: the same for R rows and P panels
//
// Loops over rows and panels are unrolled completely, so that the chains are registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/internal/format.h"
#include "kernels/internal/simd.h"

namespace zhuzi::kernels {

template <typename Kernel>
void tile_scalar(const TileArguments& tile) {
  const auto* blocks = reinterpret_cast<const typename Kernel::Block*>(tile.panel);
  for (std::size_t r = 0; r < tile.rows; ++r) {
    const auto* row = reinterpret_cast<const typename Kernel::Row*>(tile.row + r * tile.row_bytes);
    for (std::size_t lane = 0; lane < panel_rows; ++lane) {
      tile.output[r * tile.output_stride + lane] = Kernel::output(blocks, lane, row, tile.groups);
    }
  }
}

/// The same function for every number of rows.
template <typename Kernel>
constexpr TileSet scalar_tiles() {
  TileSet tiles{.rows = tile_rows_max};
  tiles.narrow.fill(tile_scalar<Kernel>);
  return tiles;
}

/// Four activation codes, as every lane of a vector will multiply them.
[[gnu::always_inline]] inline std::int32_t four_codes(const std::int8_t* codes) {
  std::int32_t bits;
  std::memcpy(&bits, codes, sizeof(bits));
  return bits;
}

/// Both half sums of a group as one word of two int16.
[[gnu::always_inline]] inline std::int32_t half_sums_word(const ActivationGroup& group) {
  std::int32_t bits;
  std::memcpy(&bits, group.half_sums, sizeof(bits));
  return bits;
}

/// Asks for weights that later groups or tiles will read, into L2.
[[gnu::always_inline]] inline void fetch_ahead(const std::byte* ahead, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += cache_line_bytes) {
    _mm_prefetch(reinterpret_cast<const char*>(ahead + at), _MM_HINT_T1);
  }
}

ZHUZI_AVX2_REGION

[[gnu::always_inline]] inline __m256i load_bytes(const std::uint8_t* bytes) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(bytes));
}
[[gnu::always_inline]] inline __m256 eight_halves(const std::uint16_t* halves) {
  return _mm256_cvtph_ps(_mm_load_si128(reinterpret_cast<const __m128i*>(halves)));
}

/// Four activation codes of a row in every lane.
[[gnu::always_inline]] inline __m256i broadcast_codes(const std::int8_t* codes) {
  return _mm256_set1_epi32(four_codes(codes));
}
/// Without this the compiler reorders a chain of integer sums, keeps all products until it adds
/// them, and spills (Q4_1 on Zen 3: 153 instead of 178 GOP/s).
[[gnu::always_inline]] inline void keep_order(__m256i& sum) { asm("" : "+x"(sum)); }

/// A panel is two vectors: lanes 0 to 7 and 8 to 15.
template <typename Kernel, int R>
void tile_avx2(const TileArguments& tile) {
  const typename Kernel::Row* row[R];
  __m256 chain[R][2];
  ZHUZI_UNROLL
  for (int r = 0; r < R; ++r) {
    row[r] = reinterpret_cast<const typename Kernel::Row*>(tile.row + static_cast<std::size_t>(r) *
                                                                          tile.row_bytes);
    chain[r][0] = _mm256_setzero_ps();
    chain[r][1] = _mm256_setzero_ps();
  }
  const auto* blocks = reinterpret_cast<const typename Kernel::Block*>(tile.panel);
  const std::byte* ahead = tile.ahead;
  for (std::size_t g = 0; g < tile.groups; ++g, ahead += tile.ahead_step) {
    fetch_ahead(ahead, tile.ahead_step);
    Kernel::template add<R>(chain, blocks[g / Kernel::block_groups], g % Kernel::block_groups, row);
    ZHUZI_UNROLL
    for (int r = 0; r < R; ++r) row[r] += Kernel::row_step;
  }
  ZHUZI_UNROLL
  for (int r = 0; r < R; ++r) {
    float* output = tile.output + static_cast<std::size_t>(r) * tile.output_stride;
    _mm256_storeu_ps(output, chain[r][0]);
    _mm256_storeu_ps(output + 8, chain[r][1]);
  }
}

ZHUZI_END_REGION
ZHUZI_AVX512_REGION

[[gnu::always_inline]] inline __m512 sixteen_halves(const std::uint16_t* halves) {
  return _mm512_cvtph_ps(_mm256_load_si256(reinterpret_cast<const __m256i*>(halves)));
}

template <typename Kernel, int R, int P>
void tile_avx512(const TileArguments& tile) {
  const typename Kernel::Row* row[R];
  const typename Kernel::Block* block[P];
  __m512 chain[R][P];
  ZHUZI_UNROLL
  for (int r = 0; r < R; ++r) {
    row[r] = reinterpret_cast<const typename Kernel::Row*>(tile.row + static_cast<std::size_t>(r) *
                                                                          tile.row_bytes);
    ZHUZI_UNROLL
    for (int p = 0; p < P; ++p) chain[r][p] = _mm512_setzero_ps();
  }
  ZHUZI_UNROLL
  for (int p = 0; p < P; ++p) {
    block[p] = reinterpret_cast<const typename Kernel::Block*>(
        tile.panel + static_cast<std::size_t>(p) * tile.panel_bytes);
  }
  const std::byte* ahead = tile.ahead;
  for (std::size_t g = 0; g < tile.groups; ++g, ahead += tile.ahead_step) {
    fetch_ahead(ahead, tile.ahead_step);
    const std::size_t place = g % Kernel::block_groups;
    Kernel::template add<R, P>(chain, block, place, row);
    ZHUZI_UNROLL
    for (int r = 0; r < R; ++r) row[r] += Kernel::row_step;
    const std::size_t step = place + 1 == Kernel::block_groups ? 1 : 0;
    ZHUZI_UNROLL
    for (int p = 0; p < P; ++p) block[p] += step;
  }
  ZHUZI_UNROLL
  for (int r = 0; r < R; ++r) {
    float* output = tile.output + static_cast<std::size_t>(r) * tile.output_stride;
    ZHUZI_UNROLL
    for (int p = 0; p < P; ++p) _mm512_storeu_ps(output + 16 * p, chain[r][p]);
  }
}

ZHUZI_END_REGION

/// The tile functions for 1 .. rows rows; what is above stays empty.
template <typename Kernel, int rows>
constexpr TileFunctions avx2_functions() {
  TileFunctions functions{};
  [&]<int... r>(std::integer_sequence<int, r...>) {
    ((functions[r] = tile_avx2<Kernel, r + 1>), ...);
  }(std::make_integer_sequence<int, rows>{});
  return functions;
}
template <typename Kernel, int P, int rows>
constexpr TileFunctions avx512_functions() {
  TileFunctions functions{};
  [&]<int... r>(std::integer_sequence<int, r...>) {
    ((functions[r] = tile_avx512<Kernel, r + 1, P>), ...);
  }(std::make_integer_sequence<int, rows>{});
  return functions;
}

}  // namespace zhuzi::kernels
