// Vectors of a file (norms, biases, rotary divisors) as floats.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "model/weights.h"
#include "tensor/element.h"
#include "tensor/view.h"

namespace zhuzi {

/// Whether the type is a plain number that converts to float exactly: F32, F16, BF16.
[[nodiscard]] bool is_float(ElementType type);

/// All elements of `tensor`. Errors: unsupported (a type that is no float), corrupt_file (a value
/// that is not finite); both name the tensor.
[[nodiscard]] Result<VectorValues> floats_of(std::string_view name, const TensorView& tensor);

}  // namespace zhuzi
