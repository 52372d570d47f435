// Operations on rows: norms, activations, sums. Each row is computed alone.
//
// Each formula below is the definition: its operations in this order, each rounded once. A sum over
// a row uses 16 virtual lanes, element i into lane i mod 16 in ascending order, and the tree
// 8-4-2-1 (NUMERICS, rule 2). Rows of any length; nothing behind `columns` is read or written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernels/isa.h"
#include "kernels/rows.h"

namespace zhuzi::kernels {

/// Root mean square norm (Zhang & Sennrich 2019): out = (x * s) * weight, s = 1 / sqrt(sum / n +
/// eps), sum = chains of fma(x, x, lane). `out` may be `x`. Where the sum overflows, s is NaN: the
/// row is not finite rather than silently zero.
void rms_norm(const OpContext& context, ConstRows x, std::span<const float> weight, float epsilon,
              Rows out);

/// Layer norm (Ba et al. 2016): out = fma(d * s, weight, bias), d = x - sum / n, s = 1 /
/// sqrt(squares / n + eps), squares = chains of fma(d, d, lane). `bias` may be empty: out = (d * s)
/// * weight. `out` may be `x`.
void layer_norm(const OpContext& context, ConstRows x, std::span<const float> weight,
                std::span<const float> bias, float epsilon, Rows out);

/// rms_norm of each head of `head_length` values by itself, in place (Qwen3's q/k norm).
void head_rms_norm(const OpContext& context, Rows x, std::size_t head_length,
                   std::span<const float> weight, float epsilon);

/// x += y.
void add(const OpContext& context, Rows x, ConstRows y);
/// Each row += bias.
void add_bias(const OpContext& context, Rows x, std::span<const float> bias);
/// x *= factor.
void scale(const OpContext& context, Rows x, float factor);

/// With e(x) = exp_f32(x):
///   silu          x / (1 + e(-x))
///   quick_gelu    x / (1 + e(-1.702 * x))
///   gelu_tanh     x / (1 + e(x * fma(x * x, -2 sqrt(2 / pi) * 0.044715, -2 sqrt(2 / pi)))), which
///                 is 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) without its cancellation
///   gelu_erf      (0.5 * x) * (1 + erf_f32(x * sqrt(1 / 2)))
///   relu          0 > x ? 0 : x
///   relu_squared  relu(x) * relu(x)
enum class Activation : std::uint8_t { silu, gelu_erf, gelu_tanh, quick_gelu, relu, relu_squared };
/// out = activation(gate) * up. `out` may be `gate`.
void gated_activation(const OpContext& context, Activation activation, ConstRows gate, ConstRows up,
                      Rows out);
/// x = activation(x).
void activate(const OpContext& context, Activation activation, Rows x);
/// x = cap * tanh(x / cap).
void softcap(const OpContext& context, Rows x, float cap);

}  // namespace zhuzi::kernels
