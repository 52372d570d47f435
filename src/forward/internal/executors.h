// What all executors share.
#pragma once

#include "kernels/ops.h"
#include "model/spec.h"
#include "model/weights.h"

namespace zhuzi {

[[nodiscard]] inline kernels::Rows first_rows(kernels::Rows rows, std::size_t count) {
  rows.rows = count;
  return rows;
}

/// out = norm(x), of either kind. `out` may be `x`.
inline void normalize(const kernels::OpContext& context, const Norm& norm,
                      const NormWeights& weights, kernels::ConstRows x, kernels::Rows out) {
  switch (norm.kind) {
    case NormKind::rms: return kernels::rms_norm(context, x, weights.weight, norm.epsilon, out);
    case NormKind::layer:
      return kernels::layer_norm(context, x, weights.weight, weights.bias, norm.epsilon, out);
  }
}

}  // namespace zhuzi
