// The binder: names and shapes of a file's tensors to the parts of a spec.
//
// Place in the journey: spec + tensors + the family's storage -> ModelWeights. Whatever is odd
// about the storage ends here: fused tensors are cut, rotary pairs brought to halves, transposed
// matrices rewritten, small vectors converted.
#pragma once

#include <span>

#include "base/result.h"
#include "formats/gguf.h"
#include "model/spec.h"
#include "model/weight_names.h"
#include "model/weights.h"
#include "tensor/element.h"

namespace zhuzi {

/// The types of matrices that are bound: those that kernels have products for, which this room may
/// not ask.
[[nodiscard]] std::span<const ElementType> matrix_types();

/// `spec` has passed validate; the tensors' bytes outlive the result. Error: one for all tensors
/// that are missing, misshapen (with both shapes), of a type that nobody computes with, broken or
/// not used: unsupported where only types are wrong, else corrupt_file.
[[nodiscard]] Result<ModelWeights> bind_weights(const ModelSpec& spec, const Storage& storage,
                                                std::span<const NamedTensor* const> tensors);

}  // namespace zhuzi
