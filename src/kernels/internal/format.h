// A weight format's table entry, and what its functions are called with.
//
// Place in the journey: each file in quant/ defines one Format at its end; matrix.cpp walks panels,
// rows and threads and calls these functions; nothing else sees them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/isa.h"
#include "kernels/matrix.h"
#include "tensor/element.h"

namespace zhuzi::kernels {

inline constexpr std::size_t cache_line_bytes = 64;
/// A tile has at most so many activation rows.
inline constexpr std::size_t tile_rows_max = 8;

/// One call of a tile function: some rows of activations times one or several neighbouring panels.
struct TileArguments {
  const std::byte* panel = nullptr;  ///< First panel, aligned to 64 bytes.
  std::size_t panel_bytes = 0;       ///< From one panel to the next.
  std::size_t groups = 0;            ///< Groups of 32 columns, the last one padded.
  const std::byte* row = nullptr;    ///< First activation row, in the format's own form.
  std::size_t row_bytes = 0;         ///< From one activation row to the next.
  std::size_t rows = 0;              ///< As the tile function's place in its TileSet says.
  float* output = nullptr;           ///< Lane l of panel p is written to [16 p + l].
  std::size_t output_stride = 0;     ///< Floats from one row of outputs to the next.
  const std::byte* ahead = nullptr;  ///< Weights to bring into L2 while this tile computes ...
  std::size_t ahead_step = 0;        ///< ... so many bytes for each group.
};
using TileFunction = void (*)(const TileArguments&);
/// Indexed by rows - 1.
using TileFunctions = std::array<TileFunction, tile_rows_max>;

/// The tile functions of one format on one instruction set.
struct TileSet {
  std::size_t rows = 1;         ///< Height of a full tile; lower ones exist for what remains.
  TileFunctions narrow{};       ///< One panel.
  TileFunctions wide{};         ///< `wide_panels` panels.
  std::size_t wide_panels = 1;  ///< 1: the set has no wide tiles.
  std::size_t stream_rows = 1;  ///< Up to so many rows, weights are streamed, not fetched ahead.
  /// Streaming asks for weights so many bytes before it reads them; 0: leaves that to the hardware.
  std::size_t stream_ahead = 0;
  bool streams_wide = false;  ///< Streaming uses wide tiles too.
};

/// Up to 16 rows of a model file's blocks, to be written into one panel. Rows need not be aligned.
struct PackArguments {
  std::array<const std::byte*, panel_rows> rows{};
  std::size_t rows_present = 0;  ///< 1 to 16.
  std::size_t columns = 0;
  std::byte* panel = nullptr;  ///< Zeroed where rows or columns are missing.
};

struct Format {
  ElementType type = ElementType::f32;
  ActivationKind activations = ActivationKind::int8_groups;
  std::size_t block_bytes = 0;   ///< Bytes of one panel block; a multiple of 64.
  std::size_t block_groups = 1;  ///< Groups of 32 columns in one panel block.
  /// False when a scale or a float weight is not finite.
  bool (*pack_panel)(const PackArguments&) = nullptr;
  /// The weights of one lane of a panel.
  void (*dequantize)(const std::byte* panel, std::size_t lane, std::span<float> values) = nullptr;
  std::array<TileSet, instruction_sets> tiles;
};

extern const Format f32_format;
extern const Format f16_format;
extern const Format bf16_format;
extern const Format q8_0_format;
extern const Format q4_0_format;
extern const Format q4_1_format;
extern const Format q6_k_format;

}  // namespace zhuzi::kernels
