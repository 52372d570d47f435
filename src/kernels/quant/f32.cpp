// F32: plain floats.
//
// In a panel, 32 columns of 16 rows are a block of 2048 bytes, 32 cache lines:
//
//   vector k (0..31), lane r:  w[k] of row r
//
// The last block is filled with zero weights, and the activation row with zeros.
//
// The defined arithmetic, for each output and each k in ascending order, starting from +0, over the
// filled columns too (each adds +0, which turns a chain of -0 into +0 and changes nothing else):
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
  float weights[32][16];
};
static_assert(sizeof(PanelBlock) == 2048);

bool pack_panel(const PackArguments& arguments) {
  constexpr std::uint32_t exponent = 0x7f800000;
  auto* blocks = reinterpret_cast<PanelBlock*>(arguments.panel);
  const std::size_t whole = arguments.columns / 4 * 4;
  for (std::size_t k = 0; k < whole; k += 4) {
    transpose_words(arguments, k * sizeof(float), blocks[k / 32].weights[k % 32]);
  }
  bool is_finite = true;
  for (std::size_t r = 0; r < arguments.rows_present; ++r) {
    const std::byte* row = arguments.rows[r];
    is_finite &= row_is_finite(row, arguments.columns, exponent);
    for (std::size_t k = whole; k < arguments.columns; ++k) {
      blocks[k / 32].weights[k % 32][r] = read_from<float>(row + k * sizeof(float));
    }
  }
  return is_finite;
}

void dequantize(const std::byte* panel, std::size_t lane, std::span<float> values) {
  const auto* blocks = reinterpret_cast<const PanelBlock*>(panel);
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = blocks[k / 32].weights[k % 32][lane];
  }
}

// ---------------------------------------------------------------------------------- reference

struct Scalar {
  using Block = PanelBlock;
  using Row = float;

  static float output(const Block* blocks, std::size_t lane, const Row* row, std::size_t groups) {
    float chain = 0.0f;
    for (std::size_t k = 0; k < groups * group_length; ++k) {
      chain = std::fma(blocks[k / 32].weights[k % 32][lane], row[k], chain);
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
      const __m256 weight[2] = {_mm256_load_ps(block.weights[k]),
                                _mm256_load_ps(block.weights[k] + 8)};
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
      for (int p = 0; p < P; ++p) weight[p] = _mm512_load_ps(block[p]->weights[k]);
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
constinit const Format f32_format{
    .type = ElementType::f32,
    .activations = ActivationKind::float_values,
    .block_bytes = sizeof(PanelBlock),
    .pack_panel = pack_panel,
    .dequantize = dequantize,
    .tiles = {scalar_tiles<Scalar>(),
              TileSet{.rows = 6, .narrow = avx2_functions<Avx2, 6>(), .stream_rows = 2},
              TileSet{.rows = 4,
                      .narrow = avx512_functions<Avx512, 1, 4>(),
                      .wide = avx512_functions<Avx512, 4, 4>(),
                      .wide_panels = 4,
                      .stream_rows = 4,
                      .streams_wide = true}}};

}  // namespace zhuzi::kernels
