// Half precision and bfloat16 as floats, exactly; and what the files' numbers must not be.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zhuzi::kernels {

/// IEEE half to float, exact; NaN stays NaN.
[[nodiscard]] constexpr float float_from_half(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t magnitude = bits & 0x7fffu;
  // Subnormal and zero: the fraction counts units of 2^-24, and the product is exact.
  if (magnitude < 0x0400u) {
    const float value = static_cast<float>(magnitude) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
  }
  const std::uint32_t rebias = magnitude >= 0x7c00u ? (255u - 31u) << 23 : (127u - 15u) << 23;
  return std::bit_cast<float>(sign | ((magnitude << 13) + rebias));
}

/// bfloat16 is the upper half of a float.
[[nodiscard]] constexpr float float_from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

[[nodiscard]] constexpr bool is_finite_half(std::uint16_t bits) {
  return (bits & 0x7c00u) != 0x7c00u;
}

/// A value of the file, at any address.
template <typename Value>
[[nodiscard]] inline Value read_from(const std::byte* address) {
  Value value;
  std::memcpy(&value, address, sizeof(value));
  return value;
}

}  // namespace zhuzi::kernels
