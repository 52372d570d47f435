// Weights of a file as doubles, each format by its textbook formula. Slow and plain: it judges the
// kernels.
#pragma once

#include <cstddef>
#include <vector>

#include "model/weights.h"

namespace zhuzi::reference {

struct Matrix {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;

  [[nodiscard]] double* row(std::size_t i) { return values.data() + i * columns; }
  [[nodiscard]] const double* row(std::size_t i) const { return values.data() + i * columns; }
};

/// Rows in the order that the binder asks for. F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q6_K.
[[nodiscard]] Matrix dequantize(const MatrixSource& source);

}  // namespace zhuzi::reference
