// Q8_0: 32 signed bytes with one half-precision scale; w = d * q.
//
// In the model file (GGUF specification, ggml's block_q8_0), 34 bytes for 32 weights of one row:
//
//   byte 0       2                                34
//        [d f16] [q0 q1 ... q31, int8, -128..127]
//
// In a panel, two groups of 16 rows make a block of 1088 bytes, 17 cache lines:
//
//   byte 0               32              64                     576                    1088
//        [d f16 x16      ][d f16 x16     ][8 vectors of 64 bytes ][8 vectors of 64 bytes]
//         even group       odd group      even group              odd group
//
//   vector s (0..7), lane r, byte b:  q[4 s + b] of row r, stored as q + 128 (0..255)
//
// The offset makes a weight the unsigned operand of vpdpbusd; the chain of integers then starts at
// -128 * (sum of activation codes) instead of zero, which costs nearly nothing. A pair of groups
// shares a line of scales so that every vector is aligned: with 544-byte blocks of one group,
// prefill lost 6 to 10 % on Zen 4. The last block of an odd number of groups has an unused second
// half.
//
// The defined arithmetic, for each output and each group in ascending order, starting from +0:
//
//   S   = sum over 32 of q * a          exact in int32, |S| <= 32 * 128 * 127
//   acc = fma(float(S), d_w * d_a, acc)  the product of the scales is rounded once
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
  std::int8_t codes[32];
};
static_assert(sizeof(FileBlock) == 34);

struct PanelBlock {
  std::uint16_t scale[2][16];
  std::uint8_t codes[2][8][16][4];
};
static_assert(sizeof(PanelBlock) == 1088);

constexpr int offset = 128;

bool pack_panel(const PackArguments& arguments) {
  constexpr std::uint32_t sign_bits = 0x80808080;  // q + 128 is q with its sign bit turned.
  auto* blocks = reinterpret_cast<PanelBlock*>(arguments.panel);
  bool is_finite = true;
  for (std::size_t g = 0; g < arguments.columns / group_length; ++g) {
    PanelBlock& block = blocks[g / 2];
    const std::size_t at = g * sizeof(FileBlock);
    for (std::size_t r = 0; r < arguments.rows_present; ++r) {
      block.scale[g % 2][r] = read_from<std::uint16_t>(arguments.rows[r] + at);
      is_finite &= is_finite_half(block.scale[g % 2][r]);
    }
    transpose_words(arguments, at + 2, block.codes[g % 2], sign_bits);
    transpose_words(arguments, at + 18, block.codes[g % 2] + 4, sign_bits);
  }
  return is_finite;
}

int code_at(const PanelBlock& block, std::size_t half, std::size_t lane, std::size_t k) {
  return block.codes[half][k / 4][lane][k % 4] - offset;
}

void dequantize(const std::byte* panel, std::size_t lane, std::span<float> values) {
  const auto* blocks = reinterpret_cast<const PanelBlock*>(panel);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const PanelBlock& block = blocks[k / 64];
    const std::size_t half = k / 32 % 2;
    values[k] = float_from_half(block.scale[half][lane]) *
                static_cast<float>(code_at(block, half, lane, k % 32));
  }
}

// ---------------------------------------------------------------------------------- reference

struct Scalar {
  using Block = PanelBlock;
  using Row = ActivationGroup;

  static float output(const Block* blocks, std::size_t lane, const Row* row, std::size_t groups) {
    float chain = 0.0f;
    for (std::size_t g = 0; g < groups; ++g) {
      const Block& block = blocks[g / 2];
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < 32; ++k) sum += code_at(block, g % 2, lane, k) * row[g].codes[k];
      const float scale = float_from_half(block.scale[g % 2][lane]) * row[g].scale;
      chain = std::fma(static_cast<float>(sum), scale, chain);
    }
    return chain;
  }
};

}  // namespace

// --------------------------------------------------------------------------------------- AVX2
//
// There is no vpdpbusd, and vpmaddubsw saturates at 16 bits: 255 * 127 * 2 does not fit. The sign
// trick does: |w| <= 128 is unsigned, sign(a, w) is in -127..127, and 2 * 128 * 127 = 32512 fits.
// It holds for w = -128 because |-128| = 0x80 reads as 128 there, and because no activation code is
// ever -128. vpsignb competes with both multiplications: on Zen 3 this bounds it at about 0.7 of
// the peak. Tried there, GOP/s: this 118; 16-bit products of widened codes (vpmaddwd twice) 107;
// nibbles as in Q4_1 (vpmaddubsw twice) 92; turning codes by xor with a correction for each group,
// which vpsignb's pipes do not see, 110; other tile heights 95 to 115.
ZHUZI_AVX2_REGION
namespace {

struct Avx2 {
  using Block = PanelBlock;
  using Row = ActivationGroup;
  static constexpr std::size_t block_groups = 2;
  static constexpr std::size_t row_step = 1;

  template <int R>
  [[gnu::always_inline]] static void add(__m256 (&chain)[R][2], const Block& block, std::size_t g,
                                         const Row* const (&row)[R]) {
    __m256i sum[R][2];
    ZHUZI_UNROLL
    for (int r = 0; r < R; ++r) sum[r][0] = sum[r][1] = _mm256_setzero_si256();
    ZHUZI_UNROLL
    for (int s = 0; s < 8; ++s) {
      __m256i weight[2];
      __m256i magnitude[2];
      ZHUZI_UNROLL
      for (int h = 0; h < 2; ++h) {
        const __m256i bytes = load_bytes(block.codes[g][s][8 * h]);
        weight[h] = _mm256_xor_si256(bytes, _mm256_set1_epi8(-offset));
        magnitude[h] = _mm256_abs_epi8(weight[h]);
      }
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        const __m256i x = broadcast_codes(row[r]->codes + 4 * s);
        ZHUZI_UNROLL
        for (int h = 0; h < 2; ++h) {
          const __m256i pairs = _mm256_maddubs_epi16(magnitude[h], _mm256_sign_epi8(x, weight[h]));
          sum[r][h] = _mm256_add_epi32(sum[r][h], _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
          keep_order(sum[r][h]);
        }
      }
    }
    ZHUZI_UNROLL
    for (int h = 0; h < 2; ++h) {
      const __m256 scale = eight_halves(block.scale[g] + 8 * h);
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        const __m256 product = _mm256_mul_ps(scale, _mm256_set1_ps(row[r]->scale));
        chain[r][h] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(sum[r][h]), product, chain[r][h]);
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
  static constexpr std::size_t block_groups = 2;
  static constexpr std::size_t row_step = 1;

  /// One group in four steps: start the integer sums, read the scales, multiply 8 x 4 codes, extend
  /// the chains.
  template <int R, int P>
  [[gnu::always_inline]] static void add(__m512 (&chain)[R][P], const Block* const (&block)[P],
                                         std::size_t g, const Row* const (&row)[R]) {
    __m512 scale[P];
    __m512i sum[R][P];
    ZHUZI_UNROLL
    for (int r = 0; r < R; ++r) {
      const __m512i halves = _mm512_set1_epi32(half_sums_word(*row[r]));
      const __m512i start = _mm512_madd_epi16(halves, _mm512_set1_epi16(-offset));
      ZHUZI_UNROLL
      for (int p = 0; p < P; ++p) sum[r][p] = start;
    }
    ZHUZI_UNROLL
    for (int p = 0; p < P; ++p) scale[p] = sixteen_halves(block[p]->scale[g]);
    ZHUZI_UNROLL
    for (int s = 0; s < 8; ++s) {
      __m512i weight[P];
      ZHUZI_UNROLL
      for (int p = 0; p < P; ++p) {
        weight[p] = _mm512_load_si512(block[p]->codes[g][s]);
      }
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        const __m512i codes = _mm512_set1_epi32(four_codes(row[r]->codes + 4 * s));
        ZHUZI_UNROLL
        for (int p = 0; p < P; ++p) {
          sum[r][p] = _mm512_dpbusd_epi32(sum[r][p], weight[p], codes);
        }
      }
    }
    ZHUZI_UNROLL
    for (int r = 0; r < R; ++r) {
      const __m512 row_scale = _mm512_set1_ps(row[r]->scale);
      ZHUZI_UNROLL
      for (int p = 0; p < P; ++p) {
        const __m512 product = _mm512_mul_ps(scale[p], row_scale);
        chain[r][p] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum[r][p]), product, chain[r][p]);
      }
    }
  }
};

}  // namespace
ZHUZI_END_REGION

// Four rows by two panels: 8 integer sums, 8 chains, 7 operands, so nothing spills, and a broadcast
// serves two products. GOP/s on one Zen 4 core (peak 456, at most 0.80 of it because two of ten
// multiplications extend chains): 4 x 2 336, 4 x 3 334, 3 x 4 329, 6 x 2 328, 8 x 1 314.
constinit const Format q8_0_format{
    .type = ElementType::q8_0,
    .activations = ActivationKind::int8_groups,
    .block_bytes = sizeof(PanelBlock),
    .block_groups = 2,
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
                .stream_rows = 4}}};

}  // namespace zhuzi::kernels
