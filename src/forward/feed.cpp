// The executor of DenseFfn: norm, gate and up, activation, down, residual.
#include "forward/forward.h"
#include "forward/internal/executors.h"

namespace zhuzi {
namespace {

kernels::Activation activation_of(ActivationFunction function) {
  switch (function) {
    case ActivationFunction::silu: return kernels::Activation::silu;
    case ActivationFunction::gelu_erf: return kernels::Activation::gelu_erf;
    case ActivationFunction::gelu_tanh: return kernels::Activation::gelu_tanh;
    case ActivationFunction::quick_gelu: return kernels::Activation::quick_gelu;
    case ActivationFunction::relu: return kernels::Activation::relu;
    case ActivationFunction::relu_squared: return kernels::Activation::relu_squared;
  }
  return kernels::Activation::silu;
}

}  // namespace

void Forward::feed(const kernels::OpContext& context, std::size_t rows, std::size_t layer) {
  const Layer& spec = spec_.layers[layer];
  const PackedLayer& weights = weights_.layers[layer];
  const auto faults = std::span(workspace_.faults).first(rows);
  const kernels::Rows x = first_rows(workspace_.residual, rows);
  const kernels::Rows normed = first_rows(workspace_.normed, rows);
  const kernels::Rows branch = first_rows(workspace_.branch, rows);

  normalize(context, spec.ffn_norm, weights.ffn_norm, x, normed);
  const kernels::Rows wide = first_rows(workspace_.ffn, rows);
  project(context, weights.gate_up, normed, faults, wide);
  kernels::Rows hidden = wide;
  hidden.columns = spec.ffn.hidden;
  const kernels::Activation activation = activation_of(spec.ffn.activation);
  if (spec.ffn.gated) {
    kernels::Rows up = hidden;
    up.data += weights.gate_up.offsets[1];
    kernels::gated_activation(context, activation, hidden, up, hidden);
  } else {
    kernels::activate(context, activation, hidden);
  }
  project(context, weights.down, hidden, faults, branch);
  kernels::add(context, x, branch);
}

}  // namespace zhuzi
