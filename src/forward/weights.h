// PackedModel: a model's weights in the layout that the kernels read, and nothing else of the file.
//
// Place in the journey: made once at load from the binder's sources; read by every step. After this
// the model's files can be unmapped. Immutable; any thread.
//
// Matrices that read the same input are laid side by side as one Projection: q, k and v, or gate
// and up. Where their formats agree they are one product, with one barrier for the threads instead
// of three; where they differ (mixed files) each is a product of its own into the same row.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.h"
#include "kernels/ops.h"
#include "model/spec.h"
#include "model/weights.h"
#include "tensor/buffer.h"

namespace zhuzi {

struct Projection {
  struct Part {
    kernels::PanelMatrix matrix;
    std::size_t column = 0;  ///< Where its outputs begin; a multiple of 16.
  };
  std::vector<Part> parts;
  std::vector<std::size_t>
      offsets;              ///< Column of each source matrix, in the order they were given.
  std::size_t columns = 0;  ///< Of a row of outputs, every source padded to 16.
  std::vector<float> bias;  ///< `columns` values, or empty.

  /// True when a part reads its input as int8 groups, or as floats.
  [[nodiscard]] bool reads(kernels::ActivationKind kind) const;
};

struct PackedLayer {
  NormWeights attention_norm;
  Projection qkv;
  NormWeights query_norm, key_norm;
  Projection output;
  NormWeights ffn_norm;
  Projection gate_up;  ///< Gate, then up; up alone where the block is not gated.
  Projection down;
};

struct PackedModel {
  Buffer memory;  ///< All panels.
  kernels::PanelMatrix embedding;
  kernels::PanelMatrix positions;  ///< rows == 0 where there are none.
  std::vector<PackedLayer> layers;
  NormWeights final_norm;
  Projection head;  ///< The embedding's own panels where the spec ties them.

  /// Errors: unsupported (names a tensor and its type), corrupt_file (a weight that is not finite),
  /// out_of_memory. The vectors of `weights` are copied, its matrices repacked.
  [[nodiscard]] static Result<PackedModel> pack(const ModelSpec& spec, const ModelWeights& weights,
                                                const kernels::OpContext& context);

  /// Bytes of weights that one decoded token reads.
  [[nodiscard]] std::size_t bytes_for_token() const;
  /// Multiplications and additions of one row: in all layers, and in the head.
  [[nodiscard]] std::size_t layer_operations() const;
  [[nodiscard]] std::size_t head_operations() const;
  /// True when most weights are multiplied as int8.
  [[nodiscard]] bool is_integer() const;
};

}  // namespace zhuzi
