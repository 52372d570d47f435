// What vector_ops.cpp needs of each instruction set: functions of one row, and the numbers in them.
#pragma once

#include <array>
#include <cstddef>

namespace zhuzi::kernels {

struct NormArguments {
  const float* x;
  const float* weight;
  const float* bias;  ///< nullptr: none.
  std::size_t columns;
  float epsilon;
  float* out;
};

/// out = f(x), or f(x) * factor where there is one.
struct ActivationArguments {
  const float* x;
  const float* factor;  ///< nullptr: none.
  std::size_t columns;
  float* out;
};

inline constexpr std::size_t activations = 6;

struct RowFunctions {
  void (*rms_norm)(const NormArguments&);
  void (*layer_norm)(const NormArguments&);
  void (*add)(float* x, const float* y, std::size_t columns);
  void (*scale)(float* x, float factor, std::size_t columns);
  void (*softcap)(float* x, float cap, std::size_t columns);
  std::array<void (*)(const ActivationArguments&), activations> activation;  ///< In enum order.
};

inline constexpr float quick_gelu_slope = -1.702f;
inline constexpr float gelu_tanh_linear = -0x1.988454p+0f;  ///< -2 sqrt(2 / pi).
inline constexpr float gelu_tanh_cubic = -0x1.2444f2p-4f;   ///< Times 0.044715.
inline constexpr float root_half = 0x1.6a09e6p-1f;

}  // namespace zhuzi::kernels
