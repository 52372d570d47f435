// See reference_decoder.h.
#include "model/reference/reference_decoder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <variant>

#include "base/check.h"
#include "model/rope_frequencies.h"

namespace zhuzi::reference {
namespace {

Matrix zeros(std::size_t rows, std::size_t columns) {
  return {rows, columns, std::vector<double>(rows * columns)};
}

/// y = x W^T + b; an empty bias is none.
Matrix linear(const Matrix& x, const Matrix& weight, const VectorValues& bias) {
  check(x.columns == weight.columns, "a row has as many values as the matrix has columns");
  Matrix y = zeros(x.rows, weight.rows);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t n = 0; n < weight.rows; ++n) {
      double sum = bias.empty() ? 0 : static_cast<double>(bias[n]);
      for (std::size_t k = 0; k < x.columns; ++k) sum += x.row(i)[k] * weight.row(n)[k];
      y.row(i)[n] = sum;
    }
  }
  return y;
}

void add(Matrix& x, const Matrix& y) {
  for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] += y.values[i];
}

/// One vector of `length` values in place: (x - mean) / sqrt(variance + epsilon) * w + b for layer
/// norms (Ba et al. 2016); RMS norms leave out mean and bias (Zhang and Sennrich 2019).
void normalize(double* x, std::size_t length, const Norm& norm, const NormWeights& weights) {
  const double n = static_cast<double>(length);
  double mean = 0;
  if (norm.kind == NormKind::layer) {
    for (std::size_t i = 0; i < length; ++i) mean += x[i] / n;
  }
  double variance = 0;
  for (std::size_t i = 0; i < length; ++i) variance += (x[i] - mean) * (x[i] - mean) / n;
  const double scale = 1 / std::sqrt(variance + static_cast<double>(norm.epsilon));
  for (std::size_t i = 0; i < length; ++i) {
    x[i] = (x[i] - mean) * scale * static_cast<double>(weights.weight[i]);
    if (norm.bias) x[i] += static_cast<double>(weights.bias[i]);
  }
}

Matrix normalized(Matrix x, const Norm& norm, const NormWeights& weights) {
  for (std::size_t i = 0; i < x.rows; ++i) normalize(x.row(i), x.columns, norm, weights);
  return x;
}

double activate(ActivationFunction function, double x) {
  switch (function) {
    case ActivationFunction::silu: return x / (1 + std::exp(-x));
    case ActivationFunction::gelu_erf: return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case ActivationFunction::gelu_tanh:
      return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    case ActivationFunction::quick_gelu: return x / (1 + std::exp(-1.702 * x));
    case ActivationFunction::relu: return std::max(x, 0.0);
    case ActivationFunction::relu_squared: return std::max(x, 0.0) * std::max(x, 0.0);
  }
  return 0;
}

/// Turns pair (i, i + pairs) of a head by position * frequency (Su et al. 2021).
void rotate(double* head, double position, const RopeFrequencies& rope) {
  const std::size_t pairs = rope.inverse_frequencies.size();
  for (std::size_t i = 0; i < pairs; ++i) {
    const double angle = position * rope.inverse_frequencies[i];
    const double cosine = std::cos(angle) * rope.magnitude;
    const double sine = std::sin(angle) * rope.magnitude;
    const double first = head[i];
    const double second = head[i + pairs];
    head[i] = first * cosine - second * sine;
    head[i + pairs] = second * cosine + first * sine;
  }
}

/// What happens to each head of q and k before they meet.
void prepare_heads(Matrix& x, const HeadAttention& attention, const NormWeights& weights) {
  const auto* rope = std::get_if<Rope>(&attention.position);
  const RopeFrequencies frequencies = rope != nullptr ? rope_frequencies(*rope) : RopeFrequencies{};
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t at = 0; at < x.columns; at += attention.head_length) {
      double* head = x.row(i) + at;
      if (attention.head_norm) {
        normalize(head, attention.head_length, *attention.head_norm, weights);
      }
      if (rope != nullptr) rotate(head, static_cast<double>(i), frequencies);
    }
  }
}

double dot(const double* a, const double* b, std::size_t length) {
  double sum = 0;
  for (std::size_t i = 0; i < length; ++i) sum += a[i] * b[i];
  return sum;
}

/// softmax(scale q k^T) v over the keys that query i sees, for one head.
void attend_one(std::size_t i, const double* query, const Matrix& key, const Matrix& value,
                std::size_t at, const HeadAttention& attention, double* out) {
  const std::size_t end = i + 1;
  const std::size_t first =
      attention.window != 0 && end > attention.window ? end - attention.window : 0;
  std::vector<double> weights;
  for (std::size_t j = first; j < end; ++j) {
    weights.push_back(static_cast<double>(attention.scale) *
                      dot(query, key.row(j) + at, attention.head_length));
  }
  const double most = *std::ranges::max_element(weights);
  double total = 0;
  for (double& weight : weights) total += weight = std::exp(weight - most);
  for (std::size_t j = first; j < end; ++j) {
    for (std::size_t d = 0; d < attention.head_length; ++d) {
      out[d] += weights[j - first] / total * value.row(j)[at + d];
    }
  }
}

}  // namespace

Decoder::Decoder(const ModelSpec& spec, const ModelWeights& weights)
    : spec_(spec),
      embedding_(dequantize(weights.embedding)),
      positions_(dequantize(weights.positions)),
      head_(dequantize(weights.head)),
      vectors_(weights.layers),
      final_norm_(weights.final_norm) {
  for (const LayerWeights& layer : weights.layers) {
    matrices_.push_back({dequantize(layer.query), dequantize(layer.key), dequantize(layer.value),
                         dequantize(layer.output), dequantize(layer.gate), dequantize(layer.up),
                         dequantize(layer.down)});
  }
}

Matrix Decoder::attend(const Matrix& x, std::size_t layer) const {
  const HeadAttention& attention = spec_.layers[layer].attention;
  const LayerMatrices& matrices = matrices_[layer];
  const LayerWeights& vectors = vectors_[layer];
  Matrix query = linear(x, matrices.query, vectors.query_bias);
  Matrix key = linear(x, matrices.key, vectors.key_bias);
  const Matrix value = linear(x, matrices.value, vectors.value_bias);
  prepare_heads(query, attention, vectors.query_norm);
  prepare_heads(key, attention, vectors.key_norm);

  Matrix mixed = zeros(x.rows, attention.heads * attention.head_length);
  const std::size_t group = attention.heads / attention.kv_heads;
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t h = 0; h < attention.heads; ++h) {
      const std::size_t at = h * attention.head_length;
      const std::size_t shared = h / group * attention.head_length;
      attend_one(i, query.row(i) + at, key, value, shared, attention, mixed.row(i) + at);
    }
  }
  return linear(mixed, matrices.output, vectors.output_bias);
}

Matrix Decoder::feed(const Matrix& x, std::size_t layer) const {
  const DenseFfn& ffn = spec_.layers[layer].ffn;
  const LayerMatrices& matrices = matrices_[layer];
  const LayerWeights& vectors = vectors_[layer];
  Matrix hidden = linear(x, matrices.up, vectors.up_bias);
  if (ffn.gated) {
    const Matrix gate = linear(x, matrices.gate, vectors.gate_bias);
    for (std::size_t i = 0; i < hidden.values.size(); ++i) {
      hidden.values[i] *= activate(ffn.activation, gate.values[i]);
    }
  } else {
    for (double& value : hidden.values) value = activate(ffn.activation, value);
  }
  return linear(hidden, matrices.down, vectors.down_bias);
}

Run Decoder::run(std::span<const TokenId> tokens) const {
  Matrix x = zeros(tokens.size(), spec_.width);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::copy_n(embedding_.row(index(tokens[i])), spec_.width, x.row(i));
    if (!spec_.learned_position) continue;
    const double* position = positions_.row(i + spec_.learned_position->offset);
    for (std::size_t k = 0; k < spec_.width; ++k) x.row(i)[k] += position[k];
  }
  Run run{.embedded = x, .layers = {}, .final_norm = {}, .logits = {}};
  for (std::size_t i = 0; i < spec_.layers.size(); ++i) {
    const Layer& layer = spec_.layers[i];
    add(x, attend(normalized(x, layer.attention_norm, vectors_[i].attention_norm), i));
    add(x, feed(normalized(x, layer.ffn_norm, vectors_[i].ffn_norm), i));
    run.layers.push_back(x);
  }
  run.final_norm = normalized(std::move(x), spec_.final_norm, final_norm_);
  run.logits = linear(run.final_norm, head_, {});
  return run;
}

}  // namespace zhuzi::reference
