// Weights: which bytes of the files play which part of a spec; and the oddities of storage, as
// data.
//
// Place in the journey: the binder looks each part up by the names of the file's own table and
// reports every missing, misshapen and unused tensor in one error. Forward then repacks what this
// says; after that the files are unmapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tensor/view.h"

namespace zhuzi {

/// Rows of a matrix W[rows x columns] (y = W x) as they lie in a file. Output row i is file row
/// order[i] where `order` is not empty (rotary pairs brought to halves). A part that is cut out of
/// a fused tensor begins inside it.
struct MatrixSource {
  std::string name;  ///< Of the tensor, for messages.
  ElementType type = ElementType::f32;
  const std::byte* data = nullptr;
  std::size_t row_bytes = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::uint32_t> order;
};

/// A vector as floats, converted and, where the family stores it shifted, put right.
using VectorValues = std::vector<float>;

struct NormWeights {
  VectorValues weight;
  VectorValues bias;  ///< Empty where the spec has none.
};

struct LayerWeights {
  NormWeights attention_norm;
  MatrixSource query, key, value, output;
  VectorValues query_bias, key_bias, value_bias, output_bias;
  NormWeights query_norm, key_norm;
  NormWeights ffn_norm;
  MatrixSource gate, up, down;  ///< gate.rows == 0 where the block is not gated.
  VectorValues gate_bias, up_bias, down_bias;
};

struct ModelWeights {
  MatrixSource embedding;
  MatrixSource positions;  ///< rows == 0 where there are none.
  std::vector<LayerWeights> layers;
  NormWeights final_norm;
  MatrixSource head;  ///< The embedding itself where the spec ties them.
  /// Memory of matrices that had to be rewritten (stored transposed).
  std::vector<std::vector<std::byte>> rewritten;
};

}  // namespace zhuzi
