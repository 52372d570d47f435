// The part of the matrix product that no format and no instruction set changes: the table of
// formats, packing panel by panel, and the walk over rows, panels and threads.
//
// Invariant: this file decides when and where an output is computed, never how. Changing any order
// here changes time, not bits.
#include "kernels/matrix.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/check.h"
#include "base/threads.h"
#include "kernels/internal/format.h"

namespace zhuzi::kernels {
namespace {

constexpr std::array formats{&f32_format,  &f16_format,  &bf16_format, &q8_0_format,
                             &q4_0_format, &q4_1_format, &q6_k_format};
constexpr std::array types{ElementType::f32,  ElementType::f16,  ElementType::bf16,
                           ElementType::q8_0, ElementType::q4_0, ElementType::q4_1,
                           ElementType::q6_k};
static_assert(formats.size() == types.size());

constexpr std::size_t groups_of(std::size_t columns) {
  return (columns + group_length - 1) / group_length;
}

bool is_aligned(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % cache_line_bytes == 0;
}

void check_columns(const Format& format, std::size_t columns) {
  check(columns > 0 && columns % info(format.type).block_elements == 0,
        "a row is a whole number of the format's blocks");
}

std::size_t threads_of(const OpContext& context) {
  return context.threads == nullptr ? 1 : context.threads->threads();
}

void run_parts(const OpContext& context, std::size_t parts, PartFunction function) {
  if (context.threads != nullptr) return context.threads->run(parts, function);
  for (std::size_t part = 0; part < parts; ++part) function(part, 0);
}

}  // namespace

const Format* format_for(ElementType type) {
  const auto* found = std::ranges::find(formats, type, [](const Format* f) { return f->type; });
  return found == formats.end() ? nullptr : *found;
}
std::span<const ElementType> computable_types() { return types; }
ActivationKind activation_kind(const Format& format) { return format.activations; }
std::string_view name_of(const Format& format) { return info(format.type).name; }

std::size_t panel_bytes(const Format& format, std::size_t columns) {
  const std::size_t blocks = (groups_of(columns) + format.block_groups - 1) / format.block_groups;
  return blocks * format.block_bytes;
}

// ------------------------------------------------------------------------------------- packing

namespace {

/// Packs panel `p` of the source. A panel that will not be filled completely is zeroed first.
bool pack_one(const Format& format, const PackSource& source, std::size_t p, std::byte* panel) {
  PackArguments arguments{.rows_present = std::min(panel_rows, source.rows - p * panel_rows),
                          .columns = source.columns,
                          .panel = panel};
  for (std::size_t r = 0; r < arguments.rows_present; ++r) {
    const std::size_t row = p * panel_rows + r;
    const std::size_t file_row = source.order.empty() ? row : source.order[row];
    arguments.rows[r] = source.data + file_row * source.row_bytes;
  }
  const bool is_full = arguments.rows_present == panel_rows &&
                       source.columns % (format.block_groups * group_length) == 0;
  if (!is_full) std::memset(panel, 0, panel_bytes(format, source.columns));
  return format.pack_panel(arguments);
}

}  // namespace

bool pack(const OpContext& context, const Format& format, const PackSource& source,
          std::span<std::byte> panels) {
  check_columns(format, source.columns);
  check(source.order.empty() || source.order.size() == source.rows, "every row has its place");
  const std::size_t count = panel_count(source.rows);
  const std::size_t bytes = panel_bytes(format, source.columns);
  check(panels.size() == count * bytes, "room for all panels");
  check(is_aligned(panels.data()), "panels are aligned to cache lines");
  constexpr std::size_t part_bytes = std::size_t{256} << 10;
  const std::size_t each = std::max<std::size_t>(1, part_bytes / bytes);
  std::atomic<bool> is_finite = true;
  run_parts(context, (count + each - 1) / each, [&](std::size_t part, std::size_t) {
    const std::size_t last = std::min(count, (part + 1) * each);
    for (std::size_t p = part * each; p < last; ++p) {
      if (!pack_one(format, source, p, panels.data() + p * bytes)) is_finite = false;
    }
  });
  return is_finite;
}

void dequantize_row(const PanelMatrix& weights, std::size_t row, std::span<float> values) {
  check(row < weights.rows, "the row exists");
  check(values.size() >= weights.columns, "room for a row of weights");
  const std::size_t bytes = panel_bytes(*weights.format, weights.columns);
  weights.format->dequantize(weights.panels + row / panel_rows * bytes, row % panel_rows,
                             values.first(weights.columns));
}

// ---------------------------------------------------------------------------------- the product

namespace {

/// How a product is cut into parts for the threads: blocks of activation rows, and within each the
/// panels in chunks. Part i is chunk i % chunks of row block i / chunks.
struct Cut {
  std::size_t block_rows = 0;
  std::size_t chunk_panels = 0;
  std::size_t chunks = 0;
  std::size_t parts = 0;
};

// Rows: activations of a block stay in L2 beside the panels while all panels of a chunk pass.
// Panels: a chunk is large enough that claiming it costs nothing (about a microsecond of work), and
// small enough that the last ones are shared fairly and a thread that loses its core delays little.
Cut cut_product(const PanelMatrix& weights, const Activations& x, const TileSet& tiles,
                std::size_t threads) {
  constexpr std::size_t block_bytes = std::size_t{192} << 10;
  constexpr std::size_t chunk_cost_min = std::size_t{16} << 10;
  constexpr std::size_t chunks_per_thread = 16;
  const std::size_t panels = panel_count(weights.rows);
  const auto rounded = [](std::size_t value, std::size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
  };
  const std::size_t block_max = std::max(tiles.rows, block_bytes / x.row_bytes);
  const std::size_t blocks = (x.rows + block_max - 1) / block_max;
  Cut cut{.block_rows = rounded((x.rows + blocks - 1) / blocks, tiles.rows)};
  if (blocks == 1) cut.block_rows = x.rows;
  // Cost in bytes streamed from memory; rows beyond four cost as much as another pass.
  const std::size_t panel_cost =
      panel_bytes(*weights.format, weights.columns) * std::max<std::size_t>(1, cut.block_rows / 4);
  const std::size_t fair = panels / (chunks_per_thread * threads);
  const std::size_t wide = x.rows > tiles.stream_rows || tiles.streams_wide ? tiles.wide_panels : 1;
  cut.chunk_panels = rounded(std::max({chunk_cost_min / panel_cost, fair, std::size_t{1}}), wide);
  cut.chunks = (panels + cut.chunk_panels - 1) / cut.chunk_panels;
  cut.parts = cut.chunks * ((x.rows + cut.block_rows - 1) / cut.block_rows);
  return cut;
}

/// Computes `rows` activation rows against the panels at `tile.panel`, a tile at a time. The tiles
/// together bring `ahead_bytes` of the following panels into L2, whole lines for each group.
void sweep_rows(const TileFunctions& functions, std::size_t tile_rows, TileArguments tile,
                std::size_t rows, std::size_t ahead_bytes) {
  const std::size_t slots = (rows + tile_rows - 1) / tile_rows * tile.groups;
  const std::size_t lines = ahead_bytes / cache_line_bytes;
  const std::size_t step = (lines + slots - 1) / slots * cache_line_bytes;
  const std::byte* ahead_end = tile.ahead + ahead_bytes;
  for (std::size_t m = 0; m < rows; m += tile_rows) {
    tile.rows = std::min(tile_rows, rows - m);
    tile.ahead_step = tile.ahead < ahead_end ? step : 0;
    functions[tile.rows - 1](tile);
    tile.ahead += tile.ahead_step * tile.groups;
    tile.row += tile.rows * tile.row_bytes;
    tile.output += tile.rows * tile.output_stride;
  }
}

/// Panels outside, rows inside: a panel stays in L1 or L2 while all rows pass.
///
/// Few rows: a panel is one sequential stream. Zen 4 with AVX-512 follows it perfectly, and every
/// software prefetch slows it down; Zen 3 does not (Q4_1: 11 of 16 GB/s) and wants to be asked two
/// KiB ahead (14.5). More rows: the core computes too long on each line for the hardware to run
/// ahead, so tiles fetch their share of the next panels into L2 (Zen 4, Q8_0 at 8 rows: 287 instead
/// of 183 GOP/s).
void multiply_part(const PanelMatrix& weights, const Activations& x, Rows y, const TileSet& tiles,
                   const Cut& cut, std::size_t part) {
  const std::size_t bytes = panel_bytes(*weights.format, weights.columns);
  const std::size_t first_row = part / cut.chunks * cut.block_rows;
  const std::size_t rows = std::min(cut.block_rows, x.rows - first_row);
  const std::size_t first = part % cut.chunks * cut.chunk_panels;
  const std::size_t last = std::min(first + cut.chunk_panels, panel_count(weights.rows));
  const bool is_streaming = x.rows <= tiles.stream_rows;
  const bool may_widen = tiles.wide_panels > 1 && (!is_streaming || tiles.streams_wide);
  for (std::size_t p = first; p < last;) {
    const bool is_wide = may_widen && p + tiles.wide_panels <= last;
    const std::size_t panels = is_wide ? tiles.wide_panels : 1;
    const TileFunctions& functions = is_wide ? tiles.wide : tiles.narrow;
    TileArguments tile{.panel = weights.panels + p * bytes,
                       .panel_bytes = bytes,
                       .groups = groups_of(weights.columns),
                       .row = x.data + first_row * x.row_bytes,
                       .row_bytes = x.row_bytes,
                       .rows = rows,
                       .output = y.row(first_row) + p * panel_rows,
                       .output_stride = y.stride};
    if (is_streaming) {
      tile.ahead = tile.panel + tiles.stream_ahead;
      tile.ahead_step = tiles.stream_ahead == 0 ? 0 : bytes / tile.groups;
      functions[rows - 1](tile);
    } else {
      tile.ahead = tile.panel + panels * bytes;
      sweep_rows(functions, tiles.rows, tile, rows, std::min(panels, last - p - panels) * bytes);
    }
    p += panels;
  }
}

/// The chunk that part `part` computes: parts go round the threads' own stretches of the matrix, so
/// that threads which claim in turn each read one long stream, and a late one is still helped out.
std::size_t chunk_of(std::size_t part, std::size_t chunks, std::size_t threads) {
  const std::size_t stretch = part % threads;
  return stretch * (chunks / threads) + std::min(stretch, chunks % threads) + part / threads;
}

}  // namespace

void multiply(const OpContext& context, const PanelMatrix& weights, const Activations& x, Rows y) {
  const Format& format = *weights.format;
  check_columns(format, weights.columns);
  check(x.columns == weights.columns, "activations are as wide as the weights");
  check(x.kind == format.activations, "activations are of the format's kind");
  check(is_aligned(weights.panels), "panels are aligned to cache lines");
  check(y.rows == x.rows, "a row of outputs for each row of activations");
  check(y.stride >= panel_count(weights.rows) * panel_rows, "room for whole panels of outputs");
  if (x.rows == 0 || weights.rows == 0) return;
  const TileSet& tiles = format.tiles[static_cast<std::size_t>(context.set)];
  const std::size_t threads = threads_of(context);
  const Cut cut = cut_product(weights, x, tiles, threads);
  run_parts(context, cut.parts, [&](std::size_t part, std::size_t) {
    const std::size_t own = cut.parts == cut.chunks ? chunk_of(part, cut.chunks, threads) : part;
    multiply_part(weights, x, y, tiles, cut, own);
  });
}

}  // namespace zhuzi::kernels
