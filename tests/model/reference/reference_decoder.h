// The reference: a decoder in double precision, one loop after the other, as the papers write it.
//
// It shares the spec, the bound weights and the rotary frequencies with the engine, and no
// arithmetic. It is checked against float64 goldens, and then judges the engine where there are
// none.
#pragma once

#include <span>
#include <vector>

#include "base/ids.h"
#include "model/reference/dequantize.h"
#include "model/spec.h"
#include "model/weights.h"

namespace zhuzi::reference {

/// Each with one row for each token.
struct Run {
  Matrix embedded;             ///< What the first layer reads.
  std::vector<Matrix> layers;  ///< The residual stream behind each layer.
  Matrix final_norm;
  Matrix logits;
};

class Decoder {
 public:
  /// Copies everything it needs, in doubles.
  Decoder(const ModelSpec& spec, const ModelWeights& weights);

  /// All tokens at once, causal, positions from 0 on.
  [[nodiscard]] Run run(std::span<const TokenId> tokens) const;

 private:
  struct LayerMatrices {
    Matrix query, key, value, output, gate, up, down;
  };
  [[nodiscard]] Matrix attend(const Matrix& x, std::size_t layer) const;
  [[nodiscard]] Matrix feed(const Matrix& x, std::size_t layer) const;

  ModelSpec spec_;
  Matrix embedding_, positions_, head_;
  std::vector<LayerMatrices> matrices_;
  std::vector<LayerWeights> vectors_;  ///< Norms and biases.
  NormWeights final_norm_;
};

}  // namespace zhuzi::reference
