// Floats to the numbers of a KV format, rounded half to even.
#pragma once

#include <bit>
#include <cstdint>

namespace zhuzi::kernels {

/// Infinity where a finite value is beyond the largest half (65,504) by half a unit or more.
[[nodiscard]] constexpr std::uint16_t half_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const float magnitude = std::bit_cast<float>(bits & 0x7fffffffu);
  if (!(magnitude < 65520.0f)) return static_cast<std::uint16_t>(sign | 0x7c00u);
  // Below the smallest normal half, a half counts units of 2^-24: adding 0.5, whose last place is
  // 2^-24, leaves that count, rounded by the addition itself, in the low bits.
  if (magnitude < 0x1p-14f) {
    const std::uint32_t count = std::bit_cast<std::uint32_t>(magnitude + 0.5f) & 0x7ffu;
    return static_cast<std::uint16_t>(sign | count);
  }
  // 13 bits are cut off: half a unit is added, a little less where the last kept bit is even.
  const std::uint32_t rebiased = (bits & 0x7fffffffu) - ((127u - 15u) << 23);
  const std::uint32_t rounded = rebiased + 0xfffu + ((rebiased >> 13) & 1u);
  return static_cast<std::uint16_t>(sign | (rounded >> 13));
}

/// Infinity where a finite value rounds beyond the largest bfloat16. Not for NaN.
[[nodiscard]] constexpr std::uint16_t bfloat16_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace zhuzi::kernels
