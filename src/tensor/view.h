// TensorView: numbers in somebody else's memory, with their type and shape.
//
// Invariant: `bytes` holds exactly the elements of the shape, rows one after the other; a row is a
// whole number of blocks. The readers in `formats` guarantee it; everybody after them relies on it.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "tensor/element.h"

namespace zhuzi {

inline constexpr std::size_t tensor_rank_max = 4;

/// Extents in row-major order, as papers and Hugging Face write them: [rows, columns]. (GGUF stores
/// them the other way round; its reader turns them.) Rank 1 is one row.
struct TensorShape {
  std::array<std::size_t, tensor_rank_max> extents{};
  std::size_t rank = 0;

  /// The length of a row: the last extent; 1 for a scalar.
  [[nodiscard]] std::size_t columns() const { return rank == 0 ? 1 : extents[rank - 1]; }
  /// The product of all other extents.
  [[nodiscard]] std::size_t rows() const {
    std::size_t product = 1;
    for (std::size_t i = 0; i + 1 < rank; ++i) product *= extents[i];
    return product;
  }
  [[nodiscard]] std::size_t elements() const { return rows() * columns(); }
  friend bool operator==(const TensorShape&, const TensorShape&) = default;
};

struct TensorView {
  ElementType type = ElementType::f32;
  TensorShape shape;
  std::span<const std::byte> bytes;

  [[nodiscard]] std::size_t row_bytes() const {
    return shape.columns() / info(type).block_elements * info(type).block_bytes;
  }
};

}  // namespace zhuzi
