// See vector_values.h. Every conversion is exact.
#include "model/internal/vector_values.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/check.h"

namespace zhuzi {
namespace {

template <typename Bits>
Bits load(const std::byte* bytes) {
  Bits value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

/// IEEE 754 binary16: [sign 1][exponent 5][fraction 10].
float from_half(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int fraction = half & 1023;
  float magnitude = std::ldexp(static_cast<float>(exponent == 0 ? fraction : fraction + 1024),
                               (exponent == 0 ? 1 : exponent) - 25);
  if (exponent == 31) magnitude = fraction == 0 ? HUGE_VALF : std::nanf("");
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

float element(ElementType type, const std::byte* bytes) {
  if (type == ElementType::f32) return load<float>(bytes);
  const auto bits = load<std::uint16_t>(bytes);
  if (type == ElementType::f16) return from_half(bits);
  check(type == ElementType::bf16, "the caller has asked is_float");
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace

bool is_float(ElementType type) {
  return type == ElementType::f32 || type == ElementType::f16 || type == ElementType::bf16;
}

Result<VectorValues> floats_of(std::string_view name, const TensorView& tensor) {
  if (!is_float(tensor.type)) {
    return fail(ErrorCode::unsupported, "Tensor {} is {}; a vector must be F32, F16 or BF16.", name,
                info(tensor.type).name);
  }
  const std::size_t width = info(tensor.type).block_bytes;
  VectorValues values(tensor.shape.elements());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = element(tensor.type, tensor.bytes.data() + i * width);
    if (!std::isfinite(values[i])) {
      return fail(ErrorCode::corrupt_file, "Tensor {} holds {} at element {}.", name, values[i], i);
    }
  }
  return values;
}

}  // namespace zhuzi
