// Operations on rows: the walk over rows and threads, and the scalar reference of each formula. The
// vector text is internal/vec_rows.h.
#include "kernels/vector_ops.h"

#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "kernels/internal/math_definitions.h"
#include "kernels/internal/simd.h"
#include "kernels/internal/vec_row_functions.h"
#include "kernels/internal/vec_scalar.h"
#include "kernels/internal/vec_split.h"

namespace zhuzi::kernels {
namespace scalar {
namespace {

using definition::exp_f32;
using definition::fma;

void rms_norm(const NormArguments& a) {
  Lanes lane{};
  for (std::size_t i = 0; i < a.columns; ++i) {
    lane[i % lanes] = fma(a.x[i], a.x[i], lane[i % lanes]);
  }
  const float mean = tree_sum(lane) / static_cast<float>(a.columns);
  const float factor = inverse_root(mean + a.epsilon);
  for (std::size_t i = 0; i < a.columns; ++i) a.out[i] = (a.x[i] * factor) * a.weight[i];
}

void layer_norm(const NormArguments& a) {
  const auto count = static_cast<float>(a.columns);
  Lanes sum{};
  for (std::size_t i = 0; i < a.columns; ++i) sum[i % lanes] += a.x[i];
  const float mean = tree_sum(sum) / count;
  Lanes squares{};
  for (std::size_t i = 0; i < a.columns; ++i) {
    const float distance = a.x[i] - mean;
    squares[i % lanes] = fma(distance, distance, squares[i % lanes]);
  }
  const float factor = inverse_root(tree_sum(squares) / count + a.epsilon);
  for (std::size_t i = 0; i < a.columns; ++i) {
    const float normal = (a.x[i] - mean) * factor;
    a.out[i] = a.bias != nullptr ? fma(normal, a.weight[i], a.bias[i]) : normal * a.weight[i];
  }
}

void add(float* x, const float* y, std::size_t columns) {
  for (std::size_t i = 0; i < columns; ++i) x[i] += y[i];
}

void scale(float* x, float factor, std::size_t columns) {
  for (std::size_t i = 0; i < columns; ++i) x[i] *= factor;
}

void softcap(float* x, float cap, std::size_t columns) {
  for (std::size_t i = 0; i < columns; ++i) x[i] = softcapped(x[i], cap);
}

float silu(float x) { return x / (1.0f + exp_f32(-x)); }
float gelu_erf(float x) { return (0.5f * x) * (1.0f + definition::erf_f32(x * root_half)); }
float gelu_tanh(float x) {
  return x / (1.0f + exp_f32(x * fma(x * x, gelu_tanh_cubic, gelu_tanh_linear)));
}
float quick_gelu(float x) { return x / (1.0f + exp_f32(quick_gelu_slope * x)); }
float relu(float x) { return 0.0f > x ? 0.0f : x; }
float relu_squared(float x) { return relu(x) * relu(x); }

template <float (*function)(float)>
void activate(const ActivationArguments& a) {
  for (std::size_t i = 0; i < a.columns; ++i) {
    const float value = function(a.x[i]);
    a.out[i] = a.factor != nullptr ? value * a.factor[i] : value;
  }
}

constexpr RowFunctions functions{
    .rms_norm = rms_norm,
    .layer_norm = layer_norm,
    .add = add,
    .scale = scale,
    .softcap = softcap,
    .activation = {activate<silu>, activate<gelu_erf>, activate<gelu_tanh>, activate<quick_gelu>,
                   activate<relu>, activate<relu_squared>}};

}  // namespace
}  // namespace scalar

ZHUZI_AVX2_REGION
namespace avx2 {
namespace {

#include "kernels/internal/vec_avx2.h"

#include "kernels/internal/math_vectors.h"

#include "kernels/internal/vec_rows.h"

}  // namespace
}  // namespace avx2
ZHUZI_END_REGION

ZHUZI_AVX512_REGION
namespace avx512 {
namespace {

#include "kernels/internal/vec_avx512.h"

#include "kernels/internal/math_vectors.h"

#include "kernels/internal/vec_rows.h"

}  // namespace
}  // namespace avx512
ZHUZI_END_REGION

namespace {

constexpr std::array<RowFunctions, instruction_sets> row_functions{
    scalar::functions, avx2::functions, avx512::functions};

}  // namespace

void rms_norm(const OpContext& context, ConstRows x, std::span<const float> weight, float epsilon,
              Rows out) {
  check(weight.size() == x.columns && out.columns == x.columns && out.rows == x.rows,
        "rms_norm: equal shapes");
  const auto function = for_set(row_functions, context.set).rms_norm;
  for_rows(context, x.rows, x.columns, [&](std::size_t r) {
    function({.x = x.row(r),
              .weight = weight.data(),
              .bias = nullptr,
              .columns = x.columns,
              .epsilon = epsilon,
              .out = out.row(r)});
  });
}

void layer_norm(const OpContext& context, ConstRows x, std::span<const float> weight,
                std::span<const float> bias, float epsilon, Rows out) {
  check(weight.size() == x.columns && out.columns == x.columns && out.rows == x.rows,
        "layer_norm: equal shapes");
  check(bias.empty() || bias.size() == x.columns, "layer_norm: a bias for each column");
  const auto function = for_set(row_functions, context.set).layer_norm;
  for_rows(context, x.rows, x.columns, [&](std::size_t r) {
    function({.x = x.row(r),
              .weight = weight.data(),
              .bias = bias.empty() ? nullptr : bias.data(),
              .columns = x.columns,
              .epsilon = epsilon,
              .out = out.row(r)});
  });
}

void head_rms_norm(const OpContext& context, Rows x, std::size_t head_length,
                   std::span<const float> weight, float epsilon) {
  check(head_length > 0 && x.columns % head_length == 0, "head_rms_norm: whole heads");
  check(weight.size() == head_length, "head_rms_norm: a weight for each value of a head");
  const auto function = for_set(row_functions, context.set).rms_norm;
  for_rows(context, x.rows, x.columns, [&](std::size_t r) {
    for (float* head = x.row(r); head < x.row(r) + x.columns; head += head_length) {
      function({.x = head,
                .weight = weight.data(),
                .bias = nullptr,
                .columns = head_length,
                .epsilon = epsilon,
                .out = head});
    }
  });
}

void add(const OpContext& context, Rows x, ConstRows y) {
  check(x.columns == y.columns && x.rows == y.rows, "add: equal shapes");
  const auto function = for_set(row_functions, context.set).add;
  for_rows(context, x.rows, x.columns,
           [&](std::size_t r) { function(x.row(r), y.row(r), x.columns); });
}

void add_bias(const OpContext& context, Rows x, std::span<const float> bias) {
  check(bias.size() == x.columns, "add_bias: a bias for each column");
  const auto function = for_set(row_functions, context.set).add;
  for_rows(context, x.rows, x.columns,
           [&](std::size_t r) { function(x.row(r), bias.data(), x.columns); });
}

void scale(const OpContext& context, Rows x, float factor) {
  const auto function = for_set(row_functions, context.set).scale;
  for_rows(context, x.rows, x.columns,
           [&](std::size_t r) { function(x.row(r), factor, x.columns); });
}

void gated_activation(const OpContext& context, Activation activation, ConstRows gate, ConstRows up,
                      Rows out) {
  check(gate.columns == up.columns && gate.columns == out.columns, "gated_activation: columns");
  check(gate.rows == up.rows && gate.rows == out.rows, "gated_activation: rows");
  const auto function = for_set(row_functions, context.set).activation[std::size_t(activation)];
  for_rows(context, gate.rows, gate.columns, [&](std::size_t r) {
    function({.x = gate.row(r), .factor = up.row(r), .columns = gate.columns, .out = out.row(r)});
  });
}

void activate(const OpContext& context, Activation activation, Rows x) {
  const auto function = for_set(row_functions, context.set).activation[std::size_t(activation)];
  for_rows(context, x.rows, x.columns, [&](std::size_t r) {
    function({.x = x.row(r), .factor = nullptr, .columns = x.columns, .out = x.row(r)});
  });
}

void softcap(const OpContext& context, Rows x, float cap) {
  const auto function = for_set(row_functions, context.set).softcap;
  for_rows(context, x.rows, x.columns, [&](std::size_t r) { function(x.row(r), cap, x.columns); });
}

}  // namespace zhuzi::kernels
