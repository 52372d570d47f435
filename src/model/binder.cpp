// See binder.h. Parts are bound one after the other; a tensor that does not fit leaves an empty
// part and a line in the table's report, and the report decides at the end.
#include "model/binder.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "model/internal/tensor_table.h"
#include "model/internal/vector_values.h"

namespace zhuzi {
namespace {

using Order = std::vector<std::uint32_t>;

constexpr ElementType bound_types[] = {ElementType::f32,  ElementType::f16,  ElementType::bf16,
                                       ElementType::q8_0, ElementType::q4_0, ElementType::q4_1,
                                       ElementType::q6_k};

TensorShape vector_shape(std::size_t length) { return {.extents = {length}, .rank = 1}; }
TensorShape matrix_shape(std::size_t rows, std::size_t columns) {
  return {.extents = {rows, columns}, .rank = 2};
}

/// File rows in the order of halves: pair i of a head moves from (2i, 2i + 1) to (i, i + dims/2);
/// dims that do not turn stay.
Order halves_order(std::size_t heads, std::size_t head_length, std::size_t dims) {
  Order order(heads * head_length);
  for (std::size_t row = 0; row < order.size(); ++row) {
    const std::size_t dim = row % head_length;
    const std::size_t from = dim < dims / 2 ? 2 * dim : dim < dims ? 2 * (dim - dims / 2) + 1 : dim;
    order[row] = static_cast<std::uint32_t>(row - dim + from);
  }
  return order;
}

void reorder(VectorValues& values, const Order& order) {
  if (values.empty()) return;
  VectorValues moved(values.size());
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = values[order[i]];
  values = std::move(moved);
}

/// `count` rows of `whole` from `first` on, in place.
MatrixSource rows_of(const MatrixSource& whole, std::size_t first, std::size_t count) {
  MatrixSource part = whole;
  if (whole.data == nullptr) return part;
  part.data += first * whole.row_bytes;
  part.rows = count;
  return part;
}

VectorValues part_of(const VectorValues& whole, std::size_t first, std::size_t count) {
  if (whole.empty()) return {};
  const auto begin = whole.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

class Binder {
 public:
  Binder(const ModelSpec& spec, const Storage& storage, std::span<const NamedTensor* const> tensors)
      : spec_(spec), storage_(storage), names_(storage.names), table_(tensors) {
    if (table_.any_begins_with(names_.prefix)) prefix_ = names_.prefix;
  }

  Result<ModelWeights> bind() {
    weights_.embedding = matrix(outer(names_.embedding), spec_.vocabulary, spec_.width);
    if (spec_.learned_position) {
      const auto& learned = *spec_.learned_position;
      weights_.positions =
          matrix(outer(names_.positions), learned.positions + learned.offset, spec_.width);
    }
    for (std::size_t i = 0; i < spec_.layers.size(); ++i) {
      layer_ = fmt::format("{}{}.{}.", prefix_, names_.layers, i);
      weights_.layers.push_back(layer(spec_.layers[i]));
    }
    weights_.final_norm = norm(outer(names_.final_norm), spec_.final_norm, spec_.width);
    bind_head();
    ignore("", names_.ignored);
    TRY(table_.result());
    return std::move(weights_);
  }

 private:
  std::string outer(std::string_view part) const { return fmt::format("{}{}", prefix_, part); }
  std::string inner(std::string_view part) const { return fmt::format("{}{}", layer_, part); }

  MatrixSource matrix(const std::string& part, std::size_t rows, std::size_t columns);
  MatrixSource layer_matrix(std::string_view part, std::size_t rows, std::size_t columns);
  VectorValues vector(const std::string& name, std::size_t length);
  VectorValues layer_bias(bool wanted, std::string_view part, std::size_t length);
  NormWeights norm(const std::string& part, const Norm& norm, std::size_t length);

  LayerWeights layer(const Layer& layer);
  void bind_query_key_value(const HeadAttention& attention, LayerWeights& weights);
  void bring_pairs_to_halves(const HeadAttention& attention, LayerWeights& weights);
  void bind_head();
  void ignore(std::string_view prefix, std::span<const std::string_view> names);

  const ModelSpec& spec_;
  const Storage& storage_;
  const WeightNames& names_;
  TensorTable table_;
  std::string prefix_;
  std::string layer_;  ///< Beginning of the names of the layer that is being bound.
  ModelWeights weights_;
};

MatrixSource Binder::matrix(const std::string& part, std::size_t rows, std::size_t columns) {
  MatrixSource source;
  source.name = part + ".weight";
  const TensorView* view = table_.take(source.name, matrix_shape(rows, columns));
  if (view == nullptr) return source;
  if (std::ranges::find(bound_types, view->type) == std::end(bound_types)) {
    table_.report_type(source.name, view->type);
    return source;
  }
  source.type = view->type;
  source.data = view->bytes.data();
  source.row_bytes = view->row_bytes();
  source.rows = rows;
  source.columns = columns;
  return source;
}

MatrixSource Binder::layer_matrix(std::string_view part, std::size_t rows, std::size_t columns) {
  const std::string name = inner(part);
  if (!storage_.transposed) return matrix(name, rows, columns);
  MatrixSource source = matrix(name, columns, rows);
  if (source.data == nullptr) return source;
  if (!is_float(source.type)) {
    table_.report_type(source.name + " (stored transposed)", source.type);
    return source;
  }
  // Blocks of a float type are single elements, so they may be moved.
  const std::size_t width = info(source.type).block_bytes;
  std::vector<std::byte> turned(rows * columns * width);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      std::memcpy(turned.data() + (row * columns + column) * width,
                  source.data + (column * rows + row) * width, width);
    }
  }
  weights_.rewritten.push_back(std::move(turned));
  source.data = weights_.rewritten.back().data();
  source.row_bytes = columns * width;
  source.rows = rows;
  source.columns = columns;
  return source;
}

VectorValues Binder::vector(const std::string& name, std::size_t length) {
  const TensorView* view = table_.take(name, vector_shape(length));
  if (view == nullptr) return {};
  if (!is_float(view->type)) {
    table_.report_type(name, view->type);
    return {};
  }
  auto values = floats_of(name, *view);
  if (values) return *std::move(values);
  table_.report(values.error().message);
  return {};
}

VectorValues Binder::layer_bias(bool wanted, std::string_view part, std::size_t length) {
  return wanted ? vector(inner(part) + ".bias", length) : VectorValues{};
}

NormWeights Binder::norm(const std::string& part, const Norm& norm, std::size_t length) {
  NormWeights weights;
  weights.weight = vector(part + ".weight", length);
  if (norm.bias) weights.bias = vector(part + ".bias", length);
  return weights;
}

LayerWeights Binder::layer(const Layer& layer) {
  const HeadAttention& attention = layer.attention;
  const DenseFfn& ffn = layer.ffn;
  const std::size_t width = spec_.width;
  const std::size_t heads_width = attention.heads * attention.head_length;
  LayerWeights weights;
  weights.attention_norm = norm(inner(names_.attention_norm), layer.attention_norm, width);
  bind_query_key_value(attention, weights);
  weights.output = layer_matrix(names_.attention_output, width, heads_width);
  weights.output_bias = layer_bias(attention.output_bias, names_.attention_output, width);
  weights.ffn_norm = norm(inner(names_.ffn_norm), layer.ffn_norm, width);
  if (ffn.gated) {
    weights.gate = layer_matrix(names_.gate, ffn.hidden, width);
    weights.gate_bias = layer_bias(ffn.bias, names_.gate, ffn.hidden);
  }
  weights.up = layer_matrix(names_.up, ffn.hidden, width);
  weights.up_bias = layer_bias(ffn.bias, names_.up, ffn.hidden);
  weights.down = layer_matrix(names_.down, width, ffn.hidden);
  weights.down_bias = layer_bias(ffn.bias, names_.down, width);
  ignore(layer_, names_.ignored_in_layer);
  return weights;
}

void Binder::bind_query_key_value(const HeadAttention& attention, LayerWeights& weights) {
  const std::size_t queries = attention.heads * attention.head_length;
  const std::size_t keys = attention.kv_heads * attention.head_length;
  const bool bias = attention.qkv_bias;
  if (storage_.qkv == QkvStorage::stacked) {
    const std::size_t all = queries + 2 * keys;
    const MatrixSource matrix = layer_matrix(names_.query_key_value, all, spec_.width);
    weights.query = rows_of(matrix, 0, queries);
    weights.key = rows_of(matrix, queries, keys);
    weights.value = rows_of(matrix, queries + keys, keys);
    const VectorValues values = layer_bias(bias, names_.query_key_value, all);
    weights.query_bias = part_of(values, 0, queries);
    weights.key_bias = part_of(values, queries, keys);
    weights.value_bias = part_of(values, queries + keys, keys);
  } else {
    weights.query = layer_matrix(names_.query, queries, spec_.width);
    weights.key = layer_matrix(names_.key, keys, spec_.width);
    weights.value = layer_matrix(names_.value, keys, spec_.width);
    weights.query_bias = layer_bias(bias, names_.query, queries);
    weights.key_bias = layer_bias(bias, names_.key, keys);
    weights.value_bias = layer_bias(bias, names_.value, keys);
  }
  if (attention.head_norm) {
    weights.query_norm =
        norm(inner(names_.query_norm), *attention.head_norm, attention.head_length);
    weights.key_norm = norm(inner(names_.key_norm), *attention.head_norm, attention.head_length);
  }
  bring_pairs_to_halves(attention, weights);
}

void Binder::bring_pairs_to_halves(const HeadAttention& attention, LayerWeights& weights) {
  const Rope* rope = std::get_if<Rope>(&attention.position);
  if (rope == nullptr || rope->pairing == RopePairing::halves) return;
  const Order queries = halves_order(attention.heads, attention.head_length, rope->dims);
  const Order keys = halves_order(attention.kv_heads, attention.head_length, rope->dims);
  const Order head = halves_order(1, attention.head_length, rope->dims);
  reorder(weights.query_bias, queries);
  reorder(weights.key_bias, keys);
  for (NormWeights* norm : {&weights.query_norm, &weights.key_norm}) {
    reorder(norm->weight, head);
    reorder(norm->bias, head);
  }
  weights.query.order = queries;
  weights.key.order = keys;
}

void Binder::bind_head() {
  const std::string name(names_.head);
  if (!spec_.tied_head) {
    weights_.head = matrix(name, spec_.vocabulary, spec_.width);
    return;
  }
  weights_.head = weights_.embedding;
  // Some files store the tied matrix twice. Another one would be ignored silently.
  const TensorView* copy = table_.take_if_there(name + ".weight");
  const TensorView* original = table_.take_if_there(weights_.embedding.name);
  if (copy == nullptr || original == nullptr) return;
  if (copy->type != original->type || !std::ranges::equal(copy->bytes, original->bytes)) {
    table_.report(name + ".weight differs from the embedding that it should be tied to");
  }
}

void Binder::ignore(std::string_view prefix, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (!name.empty()) table_.take_if_there(fmt::format("{}{}", prefix, name));
  }
}

}  // namespace

std::span<const ElementType> matrix_types() { return bound_types; }

Result<ModelWeights> bind_weights(const ModelSpec& spec, const Storage& storage,
                                  std::span<const NamedTensor* const> tensors) {
  return Binder(spec, storage, tensors).bind();
}

}  // namespace zhuzi
