// Operations on rows: norms, activations, sums. Each row is computed alone.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/isa.h"
#include "kernels/rows.h"

namespace zhuzi::kernels {

/// Root mean square norm (Zhang & Sennrich 2019): out = x / sqrt(mean(x^2) + eps) * weight. The sum
/// of squares uses 16 virtual lanes and the tree 8-4-2-1 (NUMERICS, rule 2). `out` may be `x`.
void rms_norm(const OpContext& context, ConstRows x, std::span<const float> weight, float epsilon,
              Rows out);

/// Layer norm (Ba et al. 2016): out = (x - mean) / sqrt(variance + eps) * weight + bias. `bias` may
/// be empty.
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

enum class Activation : std::uint8_t { silu, gelu_erf, gelu_tanh, quick_gelu, relu, relu_squared };
/// out = activation(gate) * up. `out` may be `gate`.
void gated_activation(const OpContext& context, Activation activation, ConstRows gate,
                      ConstRows up, Rows out);
/// x = activation(x).
void activate(const OpContext& context, Activation activation, Rows x);
/// x = cap * tanh(x / cap).
void softcap(const OpContext& context, Rows x, float cap);

}  // namespace zhuzi::kernels
