// Rows: the activations of a step, one row for each token, in somebody else's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace zhuzi::kernels {

/// Room for rows is padded to a multiple of this many floats, so that panels of 16 outputs and
/// groups of 32 inputs always fit. The padding holds zeros or finite rubbish times zero weights.
inline constexpr std::size_t row_padding = 32;
[[nodiscard]] constexpr std::size_t padded(std::size_t columns) {
  return (columns + row_padding - 1) / row_padding * row_padding;
}

struct Rows {
  float* data = nullptr;
  std::size_t stride = 0;  ///< Floats from one row to the next; a multiple of 16.
  std::size_t rows = 0;
  std::size_t columns = 0;  ///< Values of a row; at most stride.
  [[nodiscard]] float* row(std::size_t r) const { return data + r * stride; }
};
struct ConstRows {
  const float* data = nullptr;
  std::size_t stride = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  ConstRows() = default;
  ConstRows(const float* values, std::size_t row_stride, std::size_t row_count, std::size_t width)
      : data(values), stride(row_stride), rows(row_count), columns(width) {}
  ConstRows(const Rows& other)  // NOLINT: a view of the same rows.
      : data(other.data), stride(other.stride), rows(other.rows), columns(other.columns) {}
  [[nodiscard]] const float* row(std::size_t r) const { return data + r * stride; }
};

/// What went wrong in a row. A row never depends on its neighbours, and its fault is the fault of
/// its own request. Ops raise it, nobody lowers it within a step.
enum class RowFault : std::uint8_t {
  none,
  not_finite,   ///< A NaN or an infinity among the activations.
  kv_overflow,  ///< K or V is beyond what the KV format can hold (f16: 65,504).
};

}  // namespace zhuzi::kernels
