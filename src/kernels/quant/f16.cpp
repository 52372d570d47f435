// F16: IEEE half precision.
//
// In a panel, 32 columns of 16 rows are a block of 1024 bytes, 16 cache lines:
//
//   half line k (0..31), lane r:  w[k] of row r, 2 bytes
//
// The last block is filled with zero weights, and the activation row with zeros.
//
// The defined arithmetic, for each output and each k in ascending order, starting from +0, over the
// filled columns too:
//
//   acc = fma(float(w[k]), x[k], acc)     exact conversion; activations stay float
#include <cmath>
#include <cstring>

#include "kernels/internal/format.h"
#include "kernels/internal/format_numbers.h"
#include "kernels/internal/format_pack.h"
#include "kernels/internal/panel_tile.h"

namespace zhuzi::kernels {
namespace {

struct PanelBlock {
  std::uint16_t weights[32][16];
};
static_assert(sizeof(PanelBlock) == 1024);

/// Eight columns of four rows from `r` on.
void pack_columns(const PackArguments& arguments, std::size_t k, std::size_t r,
                  std::uint16_t (*lines)[16]) {
  __m128i pairs[4];  // Columns 2 i and 2 i + 1 of four rows.
  for (std::size_t i = 0; i < 4; ++i) {
    pairs[i] = _mm_loadu_si128(
        reinterpret_cast<const __m128i*>(arguments.rows[r + i] + k * sizeof(std::uint16_t)));
  }
  transpose_4x4(pairs);
  for (std::size_t i = 0; i < 4; ++i) {
    constexpr int even_first = 0xd8;
    const __m128i low = _mm_shufflelo_epi16(pairs[i], even_first);
    const __m128i both = _mm_shuffle_epi32(_mm_shufflehi_epi16(low, even_first), even_first);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(lines[2 * i] + r), both);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(lines[2 * i + 1] + r), _mm_srli_si128(both, 8));
  }
}

bool pack_panel(const PackArguments& arguments) {
  constexpr std::uint16_t exponent = 0x7c00;
  auto* blocks = reinterpret_cast<PanelBlock*>(arguments.panel);
  const std::size_t columns = arguments.columns / 8 * 8;
  const std::size_t rows = arguments.rows_present / 4 * 4;
  for (std::size_t k = 0; k < columns; k += 8) {
    for (std::size_t r = 0; r < rows; r += 4) {
      pack_columns(arguments, k, r, blocks[k / 32].weights + k % 32);
    }
  }
  bool is_finite = true;
  for (std::size_t r = 0; r < arguments.rows_present; ++r) {
    const std::byte* row = arguments.rows[r];
    is_finite &= row_is_finite(row, arguments.columns, exponent);
    for (std::size_t k = r < rows ? columns : 0; k < arguments.columns; ++k) {
      blocks[k / 32].weights[k % 32][r] = read_from<std::uint16_t>(row + 2 * k);
    }
  }
  return is_finite;
}

void dequantize(const std::byte* panel, std::size_t lane, std::span<float> values) {
  const auto* blocks = reinterpret_cast<const PanelBlock*>(panel);
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = float_from_half(blocks[k / 32].weights[k % 32][lane]);
  }
}

// ---------------------------------------------------------------------------------- reference

struct Scalar {
  using Block = PanelBlock;
  using Row = float;

  static float output(const Block* blocks, std::size_t lane, const Row* row, std::size_t groups) {
    float chain = 0.0f;
    for (std::size_t k = 0; k < groups * group_length; ++k) {
      chain = std::fma(float_from_half(blocks[k / 32].weights[k % 32][lane]), row[k], chain);
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

  template <int R>
  [[gnu::always_inline]] static void add(__m256 (&chain)[R][2], const Block& block, std::size_t,
                                         const Row* const (&row)[R]) {
    ZHUZI_UNROLL
    for (int k = 0; k < 32; ++k) {
      const __m256 weight[2] = {eight_halves(block.weights[k]), eight_halves(block.weights[k] + 8)};
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

  template <int R, int P>
  [[gnu::always_inline]] static void add(__m512 (&chain)[R][P], const Block* const (&block)[P],
                                         std::size_t, const Row* const (&row)[R]) {
    ZHUZI_UNROLL
    for (int k = 0; k < 32; ++k) {
      __m512 weight[P];
      ZHUZI_UNROLL
      for (int p = 0; p < P; ++p) weight[p] = sixteen_halves(block[p]->weights[k]);
      ZHUZI_UNROLL
      for (int r = 0; r < R; ++r) {
        const __m512 x = _mm512_set1_ps(row[r][k]);
        ZHUZI_UNROLL
        for (int p = 0; p < P; ++p) {
          chain[r][p] = _mm512_fmadd_ps(weight[p], x, chain[r][p]);
        }
      }
    }
  }
};

}  // namespace
ZHUZI_END_REGION

// AVX2: six rows are twelve chains, two weights and a broadcast: fifteen of sixteen registers.
// AVX-512: four panels, so that a broadcast of an activation serves four fma, and decode has four
// chains to hide the latency of one.
constinit const Format f16_format{
    .type = ElementType::f16,
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
