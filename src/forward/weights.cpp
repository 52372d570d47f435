#include "forward/weights.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/check.h"

namespace zhuzi {
namespace {

constexpr std::size_t padded_to_panel(std::size_t rows) {
  return kernels::panel_count(rows) * kernels::panel_rows;
}

Result<const kernels::Format*> format_of(const MatrixSource& source) {
  const kernels::Format* format = kernels::format_for(source.type);
  if (format != nullptr) return format;
  std::string known;
  for (const ElementType type : kernels::computable_types()) {
    known += known.empty() ? "" : ", ";
    known += info(type).name;
  }
  return fail(ErrorCode::unsupported,
              "tensor {} is {}, which cannot be computed with yet; use a file with {}", source.name,
              info(source.type).name, known);
}

/// Lays one matrix after the other into one buffer whose size was counted before.
class Packer {
 public:
  Packer(Buffer memory, const kernels::OpContext& context)
      : memory_(std::move(memory)), context_(context) {}

  [[nodiscard]] static Result<std::size_t> bytes_of(const MatrixSource& source) {
    if (source.rows == 0) return 0;
    const kernels::Format* format = TRY(format_of(source));
    return kernels::panel_count(source.rows) * kernels::panel_bytes(*format, source.columns);
  }

  [[nodiscard]] Result<kernels::PanelMatrix> matrix(const MatrixSource& source) {
    if (source.rows == 0) return kernels::PanelMatrix{};
    const kernels::Format* format = TRY(format_of(source));
    const std::size_t bytes = TRY(bytes_of(source));
    check(used_ + bytes <= memory_.size(), "the panels were counted before they are packed");
    const std::span<std::byte> panels = memory_.bytes().subspan(used_, bytes);
    used_ += bytes;
    const bool is_finite = kernels::pack(context_, *format,
                                         {.data = source.data,
                                          .row_bytes = source.row_bytes,
                                          .rows = source.rows,
                                          .columns = source.columns,
                                          .order = source.order},
                                         panels);
    if (!is_finite) {
      return fail(ErrorCode::corrupt_file,
                  "tensor {} holds a weight that is not finite; the file is damaged", source.name);
    }
    return kernels::PanelMatrix{format, panels.data(), source.rows, source.columns};
  }

  struct Source {
    const MatrixSource* matrix;
    const VectorValues* bias;  ///< Nullptr or empty where there is none.
  };
  [[nodiscard]] Result<Projection> projection(std::initializer_list<Source> sources);

  [[nodiscard]] Buffer release() { return std::move(memory_); }

 private:
  Buffer memory_;
  const kernels::OpContext& context_;
  std::size_t used_ = 0;
};

/// True when `next` simply goes on where `part` ends, so that the two are one product.
bool continues(const Projection::Part& part, const kernels::PanelMatrix& next) {
  const kernels::PanelMatrix& matrix = part.matrix;
  if (matrix.format != next.format || matrix.columns != next.columns) return false;
  const std::size_t bytes =
      kernels::panel_count(matrix.rows) * kernels::panel_bytes(*matrix.format, matrix.columns);
  return matrix.panels + bytes == next.panels;
}

Result<Projection> Packer::projection(std::initializer_list<Source> sources) {
  Projection result;
  for (const Source& source : sources) {
    if (source.matrix->rows == 0) continue;
    const kernels::PanelMatrix matrix = TRY(this->matrix(*source.matrix));
    const std::size_t column = result.columns;
    result.offsets.push_back(column);
    result.columns = column + padded_to_panel(matrix.rows);
    if (!result.parts.empty() && continues(result.parts.back(), matrix)) {
      // Rows that pad the earlier matrix to a panel become zero outputs of the joint one.
      kernels::PanelMatrix& joint = result.parts.back().matrix;
      joint.rows = column - result.parts.back().column + matrix.rows;
    } else {
      result.parts.push_back({.matrix = matrix, .column = column});
    }
    if (source.bias == nullptr || source.bias->empty()) continue;
    result.bias.resize(column, 0.0f);
    result.bias.insert(result.bias.end(), source.bias->begin(), source.bias->end());
  }
  if (!result.bias.empty()) result.bias.resize(result.columns, 0.0f);
  return result;
}

Result<std::size_t> panel_bytes_of(const ModelSpec& spec, const ModelWeights& weights) {
  std::size_t total = TRY(Packer::bytes_of(weights.embedding));
  total += TRY(Packer::bytes_of(weights.positions));
  if (!spec.tied_head) total += TRY(Packer::bytes_of(weights.head));
  for (const LayerWeights& layer : weights.layers) {
    for (const MatrixSource* source : {&layer.query, &layer.key, &layer.value, &layer.output,
                                       &layer.gate, &layer.up, &layer.down}) {
      total += TRY(Packer::bytes_of(*source));
    }
  }
  return total;
}

Result<PackedLayer> pack_layer(Packer& packer, const LayerWeights& from) {
  PackedLayer layer;
  layer.attention_norm = from.attention_norm;
  layer.qkv = TRY(packer.projection({{&from.query, &from.query_bias},
                                     {&from.key, &from.key_bias},
                                     {&from.value, &from.value_bias}}));
  layer.query_norm = from.query_norm;
  layer.key_norm = from.key_norm;
  layer.output = TRY(packer.projection({{&from.output, &from.output_bias}}));
  layer.ffn_norm = from.ffn_norm;
  layer.gate_up =
      TRY(packer.projection({{&from.gate, &from.gate_bias}, {&from.up, &from.up_bias}}));
  layer.down = TRY(packer.projection({{&from.down, &from.down_bias}}));
  return layer;
}

std::size_t matrix_bytes(const kernels::PanelMatrix& matrix) {
  return kernels::panel_count(matrix.rows) * kernels::panel_bytes(*matrix.format, matrix.columns);
}

std::size_t operations_of(const kernels::PanelMatrix& matrix) {
  return 2 * matrix.rows * matrix.columns;
}

std::size_t integer_operations_of(const kernels::PanelMatrix& matrix) {
  const bool is_integer =
      kernels::activation_kind(*matrix.format) == kernels::ActivationKind::int8_groups;
  return is_integer ? operations_of(matrix) : 0;
}

/// The sum of a measure over the matrices of a projection, or of all layers.
template <typename Measure>
std::size_t sum_over(const Projection& projection, Measure measure) {
  std::size_t sum = 0;
  for (const Projection::Part& part : projection.parts) sum += measure(part.matrix);
  return sum;
}
template <typename Measure>
std::size_t sum_over(const std::vector<PackedLayer>& layers, Measure measure) {
  std::size_t sum = 0;
  for (const PackedLayer& layer : layers) {
    for (const Projection* each : {&layer.qkv, &layer.output, &layer.gate_up, &layer.down}) {
      sum += sum_over(*each, measure);
    }
  }
  return sum;
}

}  // namespace

bool Projection::reads(kernels::ActivationKind kind) const {
  return std::ranges::any_of(parts, [kind](const Part& part) {
    return kernels::activation_kind(*part.matrix.format) == kind;
  });
}

Result<PackedModel> PackedModel::pack(const ModelSpec& spec, const ModelWeights& weights,
                                      const kernels::OpContext& context) {
  const std::size_t bytes = TRY(panel_bytes_of(spec, weights));
  Packer packer(TRY(Buffer::make(bytes)), context);
  PackedModel model;
  model.embedding = TRY(packer.matrix(weights.embedding));
  model.positions = TRY(packer.matrix(weights.positions));
  for (const LayerWeights& layer : weights.layers) {
    model.layers.push_back(TRY(pack_layer(packer, layer)));
  }
  model.final_norm = weights.final_norm;
  if (spec.tied_head) {
    model.head.parts.push_back({.matrix = model.embedding, .column = 0});
    model.head.offsets.push_back(0);
    model.head.columns = padded_to_panel(model.embedding.rows);
  } else {
    model.head = TRY(packer.projection({{&weights.head, nullptr}}));
  }
  model.memory = packer.release();
  return model;
}

std::size_t PackedModel::bytes_for_token() const {
  return sum_over(layers, matrix_bytes) + sum_over(head, matrix_bytes);
}

std::size_t PackedModel::layer_operations() const { return sum_over(layers, operations_of); }

std::size_t PackedModel::head_operations() const { return sum_over(head, operations_of); }

bool PackedModel::is_integer() const {
  return 2 * sum_over(layers, integer_operations_of) > layer_operations();
}

}  // namespace zhuzi
