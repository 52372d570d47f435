// The unit of attention work that an instruction set computes: a tile of queries of one KV head
// against one partition of 256 positions.
//
// attention.cpp decides which tile is computed when and on which thread; attention_scalar.cpp and
// internal/attention_tile.h say how. A tile's queries read the same pages, so a page's conversion
// to float is shared, but each query has its own chains and knows nothing of the others.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/ids.h"
#include "kernels/attention.h"

namespace zhuzi::kernels {

/// So many accumulators of 16 floats fit into the registers of AVX2 beside K or V.
inline constexpr std::size_t tile_queries_max = 6;

/// Room for a row of values computed in vectors of 16.
[[nodiscard]] constexpr std::size_t padded_values(std::size_t value_length) {
  return (value_length + 15) / 16 * 16;
}

/// What one partition gives for one query: [padded_values floats: o][m][l], padded to 64 bytes.
struct PartialView {
  float* values = nullptr;
  std::size_t value_length = 0;
  [[nodiscard]] float& maximum() const { return values[padded_values(value_length)]; }
  [[nodiscard]] float& sum() const { return values[padded_values(value_length) + 1]; }
};
[[nodiscard]] constexpr std::size_t partial_floats(std::size_t value_length) {
  return padded_values(value_length) + 16;
}

/// The pages of one sequence, layer and KV head.
struct Pages {
  const std::byte* base = nullptr;  ///< K page of this layer and head in block 0.
  std::size_t block_bytes = 0;
  std::size_t key_page_bytes = 0;
  std::span<const BlockId> blocks;

  [[nodiscard]] const std::byte* keys(std::size_t page) const {
    return base + index(blocks[page]) * block_bytes;
  }
  [[nodiscard]] const std::byte* values(std::size_t page) const {
    return keys(page) + key_page_bytes;
  }
};

/// Positions first .. end-1; empty where first == end.
struct Visible {
  std::size_t first = 0;
  std::size_t end = 0;
  [[nodiscard]] bool empty() const { return first >= end; }
};

struct TileTask {
  KvLayout layout;
  Pages pages;
  float scale = 1;
  float softcap = 0;
  std::size_t queries = 0;
  const float* query[tile_queries_max] = {};
  Visible visible[tile_queries_max] = {};  ///< Inside the partition.
  PartialView partial[tile_queries_max] = {};

  /// From the first key that any query sees to the last. Every key in it has been stored: a tile's
  /// rows are neighbours, and a row sees itself.
  [[nodiscard]] Visible visible_to_any() const {
    Visible all{.first = static_cast<std::size_t>(-1), .end = 0};
    for (std::size_t q = 0; q < queries; ++q) {
      if (visible[q].empty()) continue;
      all.first = std::min(all.first, visible[q].first);
      all.end = std::max(all.end, visible[q].end);
    }
    return all;
  }
};

/// O = fma(O, keep, o * take) over one row of values.
struct MergeArguments {
  float* out;
  const float* values;
  std::size_t count;
  float keep;
  float take;
};

/// Values that a KV format could not take; they are stored as zero.
struct RoundingFaults {
  bool has_not_finite = false;
  bool has_overflow = false;
};

struct AttentionFunctions {
  /// Fills the partial of each query that sees a key.
  void (*tile)(const TileTask&);
  void (*merge)(const MergeArguments&);
  /// out = out / sum + 0.
  void (*finish)(float* out, std::size_t count, float sum);
  /// Rounds `count` values to the KV format, half to even.
  RoundingFaults (*round)(KvFormat format, const float* values, std::size_t count,
                          std::byte* codes);
};

[[nodiscard]] const AttentionFunctions& attention_functions(InstructionSet set);
/// The reference, in attention_scalar.cpp; the vector ones are in attention_vector.cpp.
[[nodiscard]] const AttentionFunctions& scalar_attention();

}  // namespace zhuzi::kernels
