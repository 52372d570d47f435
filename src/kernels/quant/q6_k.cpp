// Q6_K: 256 codes of 6 bits, an 8-bit scale for every 16 of them, one half-precision scale over
// all; w = d * s * (q - 32).
//
// In the model file (GGUF specification, ggml's block_q6_K), 210 bytes for 256 weights of one row,
// as two halves n of 128 weights, each of four quarters i of 32:
//
//   byte 0                     128                192                     208    210
//        [64 bytes of each half][32 of each half  ][s0 ... s15, int8      ][d f16]
//         low 4 bits             high 2 bits         s for every 16 weights
//
//   weight 128 n + 32 i + l:  low bits   byte 64 n + 32 (i mod 2) + l, its low nibble for i < 2
//                             high bits  byte 128 + 32 n + l, bits 2 i and 2 i + 1
//
// In a panel, 8 groups of 16 rows are a block of 3392 bytes, 53 cache lines, every vector aligned:
//
//   byte 0               64                     320                                       3392
//        [d as f32 x16   ][8 x [16 x [s s']]     ][8 x [4 vectors low][2 vectors high]      ]
//                          scales of both halves    one group
//
//   low vector s (0..3), lane r, byte b:   low nibble q[4 s + b], high nibble q[4 s + b + 16]
//   high vector t (0..1), lane r, byte b:  bits 0, 1 of q[8 t + b], 2, 3 of q[8 t + b + 16],
//                                          bits 4, 5 of q[8 t + b + 4], 6, 7 of q[8 t + b + 20]
//
// The defined arithmetic, for each output and each group in ascending order, starting from +0:
//
//   S   = s  * (sum over the first 16 of (q - 32) * a)
//       + s' * (sum over the last 16 of (q - 32) * a)    exact, |S| <= 2 * 128 * 16 * 32 * 127 <
//       2^24
//   acc = fma(float(S), d_w * d_a, acc)                   the product of the scales is rounded once
#include <cmath>
#include <cstring>

#include "kernels/internal/format.h"
#include "kernels/internal/format_numbers.h"
#include "kernels/internal/panel_tile.h"

namespace zhuzi::kernels {
namespace {

struct FileBlock {
  std::uint8_t low[128];
  std::uint8_t high[64];
  std::int8_t scales[16];
  std::uint16_t scale;
};
static_assert(sizeof(FileBlock) == 210);

struct PanelGroup {
  std::uint8_t low[4][16][4];
  std::uint8_t high[2][16][4];
};
struct PanelBlock {
  float scale[16];
  std::int8_t scales[8][16][2];
  PanelGroup groups[8];
};
static_assert(sizeof(PanelBlock) == 3392);

constexpr int offset = 32;

/// Group `g` of a file's block into lane `r`, four codes at a time.
void pack_group(const FileBlock& source, std::size_t g, std::size_t r, PanelGroup& group) {
  const std::size_t quarter = g % 4;
  const std::uint8_t* low = source.low + g / 4 * 64 + quarter % 2 * 32;
  const std::uint8_t* high = source.high + g / 4 * 32;
  const auto low_bits = [&](std::size_t k) {
    std::uint32_t word;
    std::memcpy(&word, low + k, sizeof(word));
    return word >> (quarter / 2 * 4) & 0x0f0f0f0f;
  };
  const auto high_bits = [&](std::size_t k) {
    std::uint32_t word;
    std::memcpy(&word, high + k, sizeof(word));
    return word >> (quarter * 2) & 0x03030303;
  };
  for (std::size_t s = 0; s < 4; ++s) {
    const std::uint32_t word = low_bits(4 * s) | low_bits(4 * s + 16) << 4;
    std::memcpy(group.low[s][r], &word, sizeof(word));
  }
  for (std::size_t t = 0; t < 2; ++t) {
    const std::uint32_t word = high_bits(8 * t) | high_bits(8 * t + 16) << 2 |
                               high_bits(8 * t + 4) << 4 | high_bits(8 * t + 20) << 6;
    std::memcpy(group.high[t][r], &word, sizeof(word));
  }
}

bool pack_panel(const PackArguments& arguments) {
  auto* blocks = reinterpret_cast<PanelBlock*>(arguments.panel);
  bool is_finite = true;
  for (std::size_t b = 0; b < arguments.columns / 256; ++b) {
    PanelBlock& block = blocks[b];
    for (std::size_t r = 0; r < arguments.rows_present; ++r) {
      const auto source = read_from<FileBlock>(arguments.rows[r] + b * sizeof(FileBlock));
      is_finite &= is_finite_half(source.scale);
      block.scale[r] = float_from_half(source.scale);
      for (std::size_t g = 0; g < 8; ++g) {
        std::memcpy(block.scales[g][r], source.scales + 2 * g, 2);
        pack_group(source, g, r, block.groups[g]);
      }
    }
  }
  return is_finite;
}

int code_at(const PanelGroup& group, std::size_t lane, std::size_t k) {
  const int pair = group.low[k % 16 / 4][lane][k % 4];
  const int fields = group.high[k % 16 / 8][lane][k % 4];
  const int low = k < 16 ? pair & 15 : pair >> 4;
  const int high = fields >> (k % 8 / 4 * 4 + k / 16 * 2) & 3;
  return (low | high << 4) - offset;
}

void dequantize(const std::byte* panel, std::size_t lane, std::span<float> values) {
  const auto* blocks = reinterpret_cast<const PanelBlock*>(panel);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const PanelBlock& block = blocks[k / 256];
    const std::size_t g = k % 256 / 32;
    const int scale = block.scales[g][lane][k % 32 / 16];
    // The integer product is exact in f32, so only the last multiplication rounds.
    const auto code = static_cast<float>(scale * code_at(block.groups[g], lane, k % 32));
    values[k] = block.scale[lane] * code;
  }
}

// ---------------------------------------------------------------------------------- reference

struct Scalar {
  using Block = PanelBlock;
  using Row = ActivationGroup;

  static float output(const Block* blocks, std::size_t lane, const Row* row, std::size_t groups) {
    float chain = 0.0f;
    for (std::size_t g = 0; g < groups; ++g) {
      const Block& block = blocks[g / 8];
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < 32; ++k) {
        const int scale = block.scales[g % 8][lane][k / 16];
        sum += scale * code_at(block.groups[g % 8], lane, k) * row[g].codes[k];
      }
      chain = std::fma(static_cast<float>(sum), block.scale[lane] * row[g].scale, chain);
    }
    return chain;
  }
};

}  // namespace

// --------------------------------------------------------------------------------------- AVX2
//
// A pair of vpmaddubsw is at most 2 * 63 * 127 = 16002, so two steps fit in 16 bits. vpmaddwd then
// multiplies by the scale of the half group instead of by one: it costs nothing. One more
// multiplies both scales by both half sums of the activations, times -32.
ZHUZI_AVX2_REGION
namespace {

struct Avx2 {
  using Block = PanelBlock;
  using Row = ActivationGroup;
  static constexpr std::size_t block_groups = 8;
  static constexpr std::size_t row_step = 1;

  /// The codes of step `s` for 8 lanes from `first` on.
  [[gnu::always_inline]] static __m256i codes(const PanelGroup& group, int s, int first) {
    const __m256i bytes = load_bytes(group.low[s % 4][first]);
    const __m256i fields = load_bytes(group.high[s % 4 / 2][first]);
    const int place = s % 2 * 4 + s / 4 * 2;  // Of the two high bits; they belong at bit 4.
    const __m256i low = s < 4 ? bytes : _mm256_srli_epi16(bytes, 4);
    const __m256i high =
        place < 4 ? _mm256_slli_epi16(fields, 4 - place) : _mm256_srli_epi16(fields, place - 4);
    return _mm256_or_si256(_mm256_and_si256(low, _mm256_set1_epi8(0x0f)),
                           _mm256_and_si256(high, _mm256_set1_epi8(0x30)));
  }

  template <int R>
  [[gnu::always_inline]] static void add(__m256 (&chain)[R][2], const Block& block, std::size_t g,
                                         const Row* const (&row)[R]) {
    __m256i sum[R][2];
    __m256i half_scale[2][2];  // Of each half group, twice in each lane.
    ZHUZI_UNROLL
    for (int h = 0; h < 2; ++h) {
      const auto* bytes = reinterpret_cast<const __m128i*>(block.scales[g][8 * h]);
      const __m256i scales = _mm256_cvtepi8_epi16(_mm_load_si128(bytes));
      half_scale[0][h] = _mm256_blend_epi16(scales, _mm256_slli_epi32(scales, 16), 0xaa);
      half_scale[1][h] = _mm256_blend_epi16(_mm256_srli_epi32(scales, 16), scales, 0xaa);
      const __m256i minus_offset = _mm256_mullo_epi16(scales, _mm256_set1_epi16(-offset));
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        const __m256i half_sums = _mm256_set1_epi32(half_sums_word(*row[r]));
        sum[r][h] = _mm256_madd_epi16(minus_offset, half_sums);
      }
    }
    ZHUZI_UNROLL
    for (int s = 0; s < 8; s += 2) {
      __m256i even[2];
      __m256i odd[2];
      ZHUZI_UNROLL
      for (int h = 0; h < 2; ++h) {
        even[h] = codes(block.groups[g], s, 8 * h);
        odd[h] = codes(block.groups[g], s + 1, 8 * h);
      }
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        const __m256i x_even = broadcast_codes(row[r]->codes + 4 * s);
        const __m256i x_odd = broadcast_codes(row[r]->codes + 4 * s + 4);
        ZHUZI_UNROLL
        for (int h = 0; h < 2; ++h) {
          const __m256i pairs = _mm256_add_epi16(_mm256_maddubs_epi16(even[h], x_even),
                                                 _mm256_maddubs_epi16(odd[h], x_odd));
          sum[r][h] = _mm256_add_epi32(sum[r][h], _mm256_madd_epi16(pairs, half_scale[s / 4][h]));
          keep_order(sum[r][h]);
        }
      }
    }
    ZHUZI_UNROLL
    for (int h = 0; h < 2; ++h) {
      const __m256 scale = _mm256_load_ps(block.scale + 8 * h);
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
  static constexpr std::size_t block_groups = 8;
  static constexpr std::size_t row_step = 1;

  /// The codes of one group: step s of the first half, then of the last half.
  [[gnu::always_inline]] static void unpack(const PanelGroup& group, __m512i (&code)[8]) {
    const __m512i nibble = _mm512_set1_epi8(0x0f);
    const __m512i field = _mm512_set1_epi8(0x30);
    ZHUZI_UNROLL
    for (int t = 0; t < 2; ++t) {
      const __m512i high = _mm512_load_si512(group.high[t]);
      const __m512i even = _mm512_load_si512(group.low[2 * t]);
      const __m512i odd = _mm512_load_si512(group.low[2 * t + 1]);
      const __m512i bits[4] = {_mm512_slli_epi16(high, 4), _mm512_slli_epi16(high, 2), high,
                               _mm512_srli_epi16(high, 2)};
      const __m512i low[4] = {even, _mm512_srli_epi16(even, 4), odd, _mm512_srli_epi16(odd, 4)};
      ZHUZI_UNROLL
      for (int i = 0; i < 4; ++i) {
        code[2 * t + i / 2 + i % 2 * 4] =
            _mm512_or_si512(_mm512_and_si512(low[i], nibble), _mm512_and_si512(bits[i], field));
      }
    }
  }

  template <int R, int P>
  [[gnu::always_inline]] static void add(__m512 (&chain)[R][P], const Block* const (&block)[P],
                                         std::size_t g, const Row* const (&row)[R]) {
    ZHUZI_UNROLL
    for (int p = 0; p < P; ++p) {
      __m512i code[8];
      unpack(block[p]->groups[g], code);
      const auto* scale_bytes = reinterpret_cast<const __m256i*>(block[p]->scales[g]);
      const __m512i scales = _mm512_cvtepi8_epi16(_mm256_load_si256(scale_bytes));
      const __m512i first_scale = _mm512_srai_epi32(_mm512_slli_epi32(scales, 16), 16);
      const __m512i last_scale = _mm512_srai_epi32(scales, 16);
      const __m512i minus_offset = _mm512_mullo_epi16(scales, _mm512_set1_epi16(-offset));
      const __m512 scale = _mm512_load_ps(block[p]->scale);
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        __m512i half[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
        ZHUZI_UNROLL
        for (int s = 0; s < 8; ++s) {
          const __m512i x = _mm512_set1_epi32(four_codes(row[r]->codes + 4 * s));
          half[s / 4] = _mm512_dpbusd_epi32(half[s / 4], code[s], x);
        }
        const __m512i half_sums = _mm512_set1_epi32(half_sums_word(*row[r]));
        const __m512i products = _mm512_add_epi32(_mm512_mullo_epi32(half[0], first_scale),
                                                  _mm512_mullo_epi32(half[1], last_scale));
        const __m512i sum = _mm512_dpwssd_epi32(products, minus_offset, half_sums);
        const __m512 product = _mm512_mul_ps(scale, _mm512_set1_ps(row[r]->scale));
        chain[r][p] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), product, chain[r][p]);
      }
    }
  }
};

}  // namespace
ZHUZI_END_REGION

constinit const Format q6_k_format{
    .type = ElementType::q6_k,
    .activations = ActivationKind::int8_groups,
    .block_bytes = sizeof(PanelBlock),
    .block_groups = 8,
    .pack_panel = pack_panel,
    .dequantize = dequantize,
    .tiles = {
        scalar_tiles<Scalar>(),
        TileSet{
            .rows = 4, .narrow = avx2_functions<Avx2, 4>(), .stream_rows = 4, .stream_ahead = 2048},
        TileSet{.rows = 4, .narrow = avx512_functions<Avx512, 1, 4>(), .stream_rows = 4}}};

}  // namespace zhuzi::kernels
