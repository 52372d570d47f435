// Q4_1: 32 codes of 4 bits with a half-precision scale and minimum; w = d * q + m.
//
// In the model file (GGUF specification, ggml's block_q4_1), 20 bytes for 32 weights of one row:
//
//   byte 0       2       4                                     20
//        [d f16] [m f16] [byte j = q[j] | q[j + 16] << 4, 0..15]
//
// In a panel, one group of 16 rows is a block of 320 bytes, 5 cache lines, every vector aligned:
//
//   byte 0               32              64                             320
//        [d f16 x16      ][m f16 x16     ][4 vectors of 64 bytes         ]
//
//   vector s (0..3), lane r, byte b:  low nibble  q[4 s + b]      of row r
//                                     high nibble q[4 s + b + 16] of row r
//
// So a panel is the file's own bytes with words of 4 transposed, and one load gives two operands.
//
// The defined arithmetic, for each output and each group in ascending order, starting from +0:
//
//   S   = sum over 32 of q * a              exact in int32, |S| <= 32 * 15 * 127
//   acc = fma(float(S), d_w * d_a, acc)      the product of the scales is rounded once
//   acc = fma(m_w, d_a * float(A), acc)      A = sum of a; d_a * float(A) is rounded once, per row
#include <cmath>
#include <cstring>

#include "kernels/internal/format.h"
#include "kernels/internal/format_numbers.h"
#include "kernels/internal/format_pack.h"
#include "kernels/internal/panel_tile.h"

namespace zhuzi::kernels {
namespace {

struct FileBlock {
  std::uint16_t scale;
  std::uint16_t minimum;
  std::uint8_t codes[16];
};
static_assert(sizeof(FileBlock) == 20);

struct PanelBlock {
  std::uint16_t scale[16];
  std::uint16_t minimum[16];
  std::uint8_t codes[4][16][4];
};
static_assert(sizeof(PanelBlock) == 320);

bool pack_panel(const PackArguments& arguments) {
  auto* blocks = reinterpret_cast<PanelBlock*>(arguments.panel);
  bool is_finite = true;
  for (std::size_t g = 0; g < arguments.columns / group_length; ++g) {
    const std::size_t at = g * sizeof(FileBlock);
    for (std::size_t r = 0; r < arguments.rows_present; ++r) {
      const auto scale = read_from<std::uint16_t>(arguments.rows[r] + at);
      const auto minimum = read_from<std::uint16_t>(arguments.rows[r] + at + 2);
      is_finite &= is_finite_half(scale) && is_finite_half(minimum);
      blocks[g].scale[r] = scale;
      blocks[g].minimum[r] = minimum;
    }
    transpose_words(arguments, at + offsetof(FileBlock, codes), blocks[g].codes);
  }
  return is_finite;
}

int code_at(const PanelBlock& block, std::size_t lane, std::size_t k) {
  const int pair = block.codes[k % 16 / 4][lane][k % 4];
  return k < 16 ? pair & 15 : pair >> 4;
}

void dequantize(const std::byte* panel, std::size_t lane, std::span<float> values) {
  const auto* blocks = reinterpret_cast<const PanelBlock*>(panel);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const PanelBlock& block = blocks[k / 32];
    const float product =
        float_from_half(block.scale[lane]) * static_cast<float>(code_at(block, lane, k % 32));
    values[k] = product + float_from_half(block.minimum[lane]);
  }
}

// ---------------------------------------------------------------------------------- reference

struct Scalar {
  using Block = PanelBlock;
  using Row = ActivationGroup;

  static float output(const Block* blocks, std::size_t lane, const Row* row, std::size_t groups) {
    float chain = 0.0f;
    for (std::size_t g = 0; g < groups; ++g) {
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < 32; ++k) sum += code_at(blocks[g], lane, k) * row[g].codes[k];
      const float scale = float_from_half(blocks[g].scale[lane]) * row[g].scale;
      chain = std::fma(static_cast<float>(sum), scale, chain);
      chain = std::fma(float_from_half(blocks[g].minimum[lane]), row[g].scaled_sum, chain);
    }
    return chain;
  }
};

}  // namespace

// --------------------------------------------------------------------------------------- AVX2
//
// vpmaddubsw cannot saturate here: a pair is at most 2 * 15 * 127 = 3810. Even all eight steps of a
// group fit in 16 bits (30480), so the sums widen to 32 bits once per group, not once per step: one
// multiplication for 32 products where the general way takes two.
ZHUZI_AVX2_REGION
namespace {

struct Avx2 {
  using Block = PanelBlock;
  using Row = ActivationGroup;
  static constexpr std::size_t block_groups = 1;
  static constexpr std::size_t row_step = 1;

  template <int R>
  [[gnu::always_inline]] static void add(__m256 (&chain)[R][2], const Block& block, std::size_t,
                                         const Row* const (&row)[R]) {
    __m256i pairs[R][2];
    ZHUZI_UNROLL
    for (int r = 0; r < R; ++r) pairs[r][0] = pairs[r][1] = _mm256_setzero_si256();
    ZHUZI_UNROLL
    for (int s = 0; s < 8; ++s) {
      __m256i code[2];
      ZHUZI_UNROLL
      for (int h = 0; h < 2; ++h) {
        const __m256i bytes = load_bytes(block.codes[s % 4][8 * h]);
        const __m256i nibbles = s < 4 ? bytes : _mm256_srli_epi16(bytes, 4);
        code[h] = _mm256_and_si256(nibbles, _mm256_set1_epi8(15));
      }
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        const __m256i x = broadcast_codes(row[r]->codes + 4 * s);
        ZHUZI_UNROLL
        for (int h = 0; h < 2; ++h) {
          pairs[r][h] = _mm256_add_epi16(pairs[r][h], _mm256_maddubs_epi16(code[h], x));
          keep_order(pairs[r][h]);
        }
      }
    }
    ZHUZI_UNROLL
    for (int h = 0; h < 2; ++h) {
      const __m256 scale = eight_halves(block.scale + 8 * h);
      const __m256 minimum = eight_halves(block.minimum + 8 * h);
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        const __m256i sum = _mm256_madd_epi16(pairs[r][h], _mm256_set1_epi16(1));
        const __m256 product = _mm256_mul_ps(scale, _mm256_set1_ps(row[r]->scale));
        chain[r][h] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum), product, chain[r][h]);
        chain[r][h] = _mm256_fmadd_ps(minimum, _mm256_set1_ps(row[r]->scaled_sum), chain[r][h]);
      }
    }
  }
};

}  // namespace
ZHUZI_END_REGION

// ------------------------------------------------------------------------------------ AVX-512
ZHUZI_AVX512_REGION
namespace {

struct Avx512 {
  using Block = PanelBlock;
  using Row = ActivationGroup;
  static constexpr std::size_t block_groups = 1;
  static constexpr std::size_t row_step = 1;

  /// Four steps: read scales and minimums, unpack nibbles once for all rows, multiply 8 x 4 codes,
  /// extend the chains.
  template <int R, int P>
  [[gnu::always_inline]] static void add(__m512 (&chain)[R][P], const Block* const (&block)[P],
                                         std::size_t, const Row* const (&row)[R]) {
    const __m512i nibble = _mm512_set1_epi8(15);
    __m512 scale[P];
    __m512 minimum[P];
    __m512i sum[R][P];
    ZHUZI_UNROLL
    for (int p = 0; p < P; ++p) {
      scale[p] = sixteen_halves(block[p]->scale);
      minimum[p] = sixteen_halves(block[p]->minimum);
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) sum[r][p] = _mm512_setzero_si512();
    }
    ZHUZI_UNROLL
    for (int s = 0; s < 4; ++s) {
      __m512i low[P];
      __m512i high[P];
      ZHUZI_UNROLL
      for (int p = 0; p < P; ++p) {
        const __m512i bytes = _mm512_load_si512(block[p]->codes[s]);
        low[p] = _mm512_and_si512(bytes, nibble);
        high[p] = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), nibble);
      }
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        const __m512i codes = _mm512_set1_epi32(four_codes(row[r]->codes + 4 * s));
        ZHUZI_UNROLL
        for (int p = 0; p < P; ++p) {
          sum[r][p] = _mm512_dpbusd_epi32(sum[r][p], low[p], codes);
        }
      }
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        const __m512i codes = _mm512_set1_epi32(four_codes(row[r]->codes + 4 * s + 16));
        ZHUZI_UNROLL
        for (int p = 0; p < P; ++p) {
          sum[r][p] = _mm512_dpbusd_epi32(sum[r][p], high[p], codes);
        }
      }
    }
    ZHUZI_UNROLL
    for (int r = 0; r < R; ++r) {
      const __m512 row_scale = _mm512_set1_ps(row[r]->scale);
      const __m512 row_sum = _mm512_set1_ps(row[r]->scaled_sum);
      ZHUZI_UNROLL
      for (int p = 0; p < P; ++p) {
        const __m512 product = _mm512_mul_ps(scale[p], row_scale);
        chain[r][p] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[r][p]), product, chain[r][p]);
        chain[r][p] = _mm512_fmadd_ps(minimum[p], row_sum, chain[r][p]);
      }
    }
  }
};

}  // namespace
ZHUZI_END_REGION

// Two panels by four rows: 8 integer sums, 8 chains, so nothing spills. On Zen 4 at four rows
// arithmetic already outweighs memory, so weights are streamed up to two rows only: 22.5 instead of
// 18.2 GB/s at M = 4.
constinit const Format q4_1_format{
    .type = ElementType::q4_1,
    .activations = ActivationKind::int8_groups,
    .block_bytes = sizeof(PanelBlock),
    .pack_panel = pack_panel,
    .dequantize = dequantize,
    .tiles = {
        scalar_tiles<Scalar>(),
        TileSet{
            .rows = 4, .narrow = avx2_functions<Avx2, 4>(), .stream_rows = 4, .stream_ahead = 2048},
        TileSet{.rows = 4,
                .narrow = avx512_functions<Avx512, 1, 4>(),
                .wide = avx512_functions<Avx512, 2, 4>(),
                .wide_panels = 2,
                .stream_rows = 2}}};

}  // namespace zhuzi::kernels
