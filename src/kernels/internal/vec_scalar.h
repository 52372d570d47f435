// The scalar text of what several files of the room share: the tree over 16 lanes, the steps
// of a norm and of a soft cap.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "kernels/internal/math_definitions.h"

namespace zhuzi::kernels::scalar {

inline constexpr std::size_t lanes = 16;
using Lanes = std::array<float, lanes>;

/// The sum of 16 lanes by the tree 8-4-2-1.
[[nodiscard]] inline float tree_sum(Lanes lane) {
  for (std::size_t width = lanes / 2; width > 0; width /= 2) {
    for (std::size_t l = 0; l < width; ++l) lane[l] += lane[l + width];
  }
  return lane[0];
}

/// 1 / sqrt(x) in two rounded steps; NaN where x has overflowed, so that it is noticed.
[[nodiscard]] inline float inverse_root(float x) {
  return x < definition::infinity ? 1.0f / std::sqrt(x) : std::numeric_limits<float>::quiet_NaN();
}

[[nodiscard]] inline float softcapped(float x, float cap) {
  return cap * definition::tanh_f32(x / cap);
}

}  // namespace zhuzi::kernels::scalar
