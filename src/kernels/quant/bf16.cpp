// BF16: the upper half of a float.
//
// In the model file, 2 bytes for a weight: sign, 8 bits of exponent, 7 bits of fraction. The float
// is the same bits followed by 16 zeros.
//
// In a panel, 32 columns of 16 rows are a block of 1024 bytes, 16 cache lines:
//
//   vector s (0..15), lane r:  [w[2 s] of row r, 2 bytes][w[2 s + 1] of row r, 2 bytes]
//
// Read as a 32-bit word, the even weight is word << 16 and the odd one is word & 0xffff0000. The
// last block is filled with zero weights, and the activation row with zeros.
//
// The defined arithmetic, for each output and each k in ascending order, starting from +0, over the
// filled columns too:
//
//   acc = fma(w[k], x[k], acc)     activations stay float
#include <cmath>
#include <cstring>

#include "kernels/internal/format.h"
#include "kernels/internal/format_numbers.h"
#include "kernels/internal/format_pack.h"
#include "kernels/internal/panel_tile.h"

namespace zhuzi::kernels {
namespace {

struct PanelBlock {
  std::uint16_t weights[16][16][2];
};
static_assert(sizeof(PanelBlock) == 1024);

bool pack_panel(const PackArguments& arguments) {
  constexpr std::uint16_t exponent = 0x7f80;
  auto* blocks = reinterpret_cast<PanelBlock*>(arguments.panel);
  const std::size_t whole = arguments.columns / 8 * 8;
  for (std::size_t k = 0; k < whole; k += 8) {
    transpose_words(arguments, k * sizeof(std::uint16_t), blocks[k / 32].weights[k % 32 / 2]);
  }
  bool is_finite = true;
  for (std::size_t r = 0; r < arguments.rows_present; ++r) {
    const std::byte* row = arguments.rows[r];
    is_finite &= row_is_finite(row, arguments.columns, exponent);
    for (std::size_t k = whole; k < arguments.columns; ++k) {
      blocks[k / 32].weights[k % 32 / 2][r][k % 2] = read_from<std::uint16_t>(row + 2 * k);
    }
  }
  return is_finite;
}

float weight_at(const PanelBlock* blocks, std::size_t lane, std::size_t k) {
  return float_from_bfloat16(blocks[k / 32].weights[k % 32 / 2][lane][k % 2]);
}

void dequantize(const std::byte* panel, std::size_t lane, std::span<float> values) {
  const auto* blocks = reinterpret_cast<const PanelBlock*>(panel);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = weight_at(blocks, lane, k);
}

// ---------------------------------------------------------------------------------- reference

struct Scalar {
  using Block = PanelBlock;
  using Row = float;

  static float output(const Block* blocks, std::size_t lane, const Row* row, std::size_t groups) {
    float chain = 0.0f;
    for (std::size_t k = 0; k < groups * group_length; ++k) {
      chain = std::fma(weight_at(blocks, lane, k), row[k], chain);
    }
    return chain;
  }
};

}  // namespace

// --------------------------------------------------------------------------------------- AVX2
ZHUZI_AVX2_REGION
namespace {

struct Avx2 {
  using Block = PanelBlock;
  using Row = float;
  static constexpr std::size_t block_groups = 1;
  static constexpr std::size_t row_step = group_length;

  /// All rows with the even columns' weights, then all with the odd ones': two registers of weights
  /// at a time leave room for the chains.
  template <int R>
  [[gnu::always_inline]] static void add(__m256 (&chain)[R][2], const Block& block, std::size_t,
                                         const Row* const (&row)[R]) {
    ZHUZI_UNROLL
    for (int k = 0; k < 32; ++k) {
      __m256 weight[2];
      ZHUZI_UNROLL
      for (int h = 0; h < 2; ++h) {
        const auto* words = reinterpret_cast<const __m256i*>(block.weights[k / 2][8 * h]);
        const __m256i pair = _mm256_load_si256(words);
        const __m256i upper = _mm256_set1_epi32(static_cast<int>(0xffff0000u));
        weight[h] = _mm256_castsi256_ps(k % 2 == 0 ? _mm256_slli_epi32(pair, 16)
                                                   : _mm256_and_si256(pair, upper));
      }
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        const __m256 x = _mm256_set1_ps(row[r][k]);
        chain[r][0] = _mm256_fmadd_ps(weight[0], x, chain[r][0]);
        chain[r][1] = _mm256_fmadd_ps(weight[1], x, chain[r][1]);
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
  using Row = float;
  static constexpr std::size_t block_groups = 1;
  static constexpr std::size_t row_step = group_length;

  /// For each pair of columns: split the words once for all rows, then all even k, then all odd k.
  template <int R, int P>
  [[gnu::always_inline]] static void add(__m512 (&chain)[R][P], const Block* const (&block)[P],
                                         std::size_t, const Row* const (&row)[R]) {
    const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000u));
    ZHUZI_UNROLL
    for (int s = 0; s < 16; ++s) {
      __m512 even[P];
      __m512 odd[P];
      ZHUZI_UNROLL
      for (int p = 0; p < P; ++p) {
        const __m512i pair = _mm512_load_si512(block[p]->weights[s]);
        even[p] = _mm512_castsi512_ps(_mm512_slli_epi32(pair, 16));
        odd[p] = _mm512_castsi512_ps(_mm512_and_si512(pair, upper));
      }
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        const __m512 x = _mm512_set1_ps(row[r][2 * s]);
        ZHUZI_UNROLL
        for (int p = 0; p < P; ++p) chain[r][p] = _mm512_fmadd_ps(even[p], x, chain[r][p]);
      }
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        const __m512 x = _mm512_set1_ps(row[r][2 * s + 1]);
        ZHUZI_UNROLL
        for (int p = 0; p < P; ++p) chain[r][p] = _mm512_fmadd_ps(odd[p], x, chain[r][p]);
      }
    }
  }
};

}  // namespace
ZHUZI_END_REGION

// Tiles as in F32.
constinit const Format bf16_format{
    .type = ElementType::bf16,
    .activations = ActivationKind::float_values,
    .block_bytes = sizeof(PanelBlock),
    .pack_panel = pack_panel,
    .dequantize = dequantize,
    .tiles = {
        scalar_tiles<Scalar>(),
        TileSet{
            .rows = 6, .narrow = avx2_functions<Avx2, 6>(), .stream_rows = 2, .stream_ahead = 2048},
        TileSet{.rows = 4,
                .narrow = avx512_functions<Avx512, 1, 4>(),
                .wide = avx512_functions<Avx512, 4, 4>(),
                .wide_panels = 4,
                .stream_rows = 4,
                .streams_wide = true}}};

}  // namespace zhuzi::kernels
