// Loading, and the walk: embed, then attend and feed for each layer, then the head.
#include "forward/forward.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.h"
#include "base/threads.h"
#include "forward/internal/executors.h"
#include "forward/internal/workspace.h"
#include "model/rope_frequencies.h"

namespace zhuzi {
namespace {

/// One table for all layers that rotate alike.
Result<void> make_rope_tables(const ModelSpec& spec, std::size_t context,
                              std::vector<kernels::RopeTable>& tables,
                              std::vector<std::size_t>& table_of_layer) {
  std::vector<Rope> made;
  for (const Layer& layer : spec.layers) {
    const auto* rope = std::get_if<Rope>(&layer.attention.position);
    if (rope == nullptr) {
      table_of_layer.push_back(std::numeric_limits<std::size_t>::max());
      continue;
    }
    const auto same = std::ranges::find(made, *rope);
    table_of_layer.push_back(static_cast<std::size_t>(same - made.begin()));
    if (same != made.end()) continue;
    RopeFrequencies frequencies = rope_frequencies(*rope);
    tables.push_back(TRY(kernels::RopeTable::make(std::move(frequencies.inverse_frequencies),
                                                  frequencies.magnitude, context)));
    made.push_back(*rope);
  }
  return {};
}

kernels::KvLayout layout_of(const ModelSpec& spec, kernels::KvFormat format) {
  const HeadAttention& attention = spec.layers.front().attention;
  return {.format = format,
          .layers = spec.layers.size(),
          .kv_heads = attention.kv_heads,
          .head_length = attention.head_length,
          .value_length = attention.head_length};
}

/// What this room's executors ask of a spec beyond what the model room has validated.
Result<void> check_executable(const ModelSpec& spec, const ForwardLimits& limits) {
  check(!spec.layers.empty(), "a validated spec has layers");
  check(limits.context > 0 && limits.context <= spec.context, "the context is inside the file's");
  const HeadAttention& first = spec.layers.front().attention;
  for (const Layer& layer : spec.layers) {
    const HeadAttention& attention = layer.attention;
    if (attention.kv_heads != first.kv_heads || attention.head_length != first.head_length) {
      return fail(ErrorCode::unsupported,
                  "layers with different KV heads or head sizes are not "
                  "there yet; this {} model has them",
                  spec.family);
    }
    if (attention.head_length % 8 != 0) {
      return fail(ErrorCode::unsupported,
                  "heads of {} values are not there yet; a multiple of 8 is",
                  attention.head_length);
    }
  }
  return {};
}

}  // namespace

Result<Forward> Forward::make(const ModelSpec& spec, const ModelWeights& weights,
                              const ForwardLimits& limits, const kernels::OpContext& context) {
  TRY(check_executable(spec, limits));
  Forward forward;
  forward.spec_ = spec;
  forward.limits_ = limits;
  forward.weights_ = TRY(PackedModel::pack(spec, weights, context));
  const kernels::KvLayout layout = layout_of(spec, limits.kv_format);
  forward.kv_memory_ = TRY(Buffer::make(limits.kv_blocks * layout.block_bytes()));
  forward.pool_ = {.layout = layout, .data = forward.kv_memory_.data(), .blocks = limits.kv_blocks};
  TRY(make_rope_tables(spec, limits.context, forward.rope_tables_, forward.rope_of_layer_));
  forward.workspace_ = TRY(make_workspace({.spec = &forward.spec_,
                                           .weights = &forward.weights_,
                                           .limits = &forward.limits_,
                                           .layout = &layout,
                                           .threads = context.threads->threads()}));
  return forward;
}

ForwardResult Forward::run(const kernels::OpContext& context, const Batch& batch,
                           LayerObserver* observer) {
  const std::size_t rows = batch.tokens.size();
  check(rows > 0 && rows <= limits_.rows_max && batch.places.size() == rows,
        "a batch in its limits");
  check(batch.logits_rows.size() <= limits_.logits_rows_max, "logits in their limits");
  std::ranges::fill(workspace_.faults, kernels::RowFault::none);
  std::uint32_t end = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    workspace_.positions[r] = batch.places[r].position;
    end = std::max(end, batch.places[r].position + 1);
  }
  check(end <= limits_.context, "positions inside the context");
  for (kernels::RopeTable& table : rope_tables_) table.prepare(end);

  embed(context, batch);
  const auto residual = [&] {
    return kernels::ConstRows(workspace_.residual.data, workspace_.residual.stride, rows,
                              spec_.width);
  };
  if (observer != nullptr) observer->residual(0, residual());
  for (std::size_t layer = 0; layer < spec_.layers.size(); ++layer) {
    attend(context, batch, layer);
    feed(context, rows, layer);
    if (observer != nullptr) observer->residual(layer + 1, residual());
  }
  head(context, batch);
  return {.logits = {.data = workspace_.logits.data,
                     .stride = workspace_.logits.stride,
                     .rows = batch.logits_rows.size(),
                     .columns = spec_.vocabulary},
          .faults = std::span(workspace_.faults).first(rows)};
}

void Forward::embed(const kernels::OpContext& context, const Batch& batch) {
  kernels::Rows x = workspace_.residual;
  x.rows = batch.tokens.size();
  for (std::size_t r = 0; r < x.rows; ++r) {
    kernels::dequantize_row(weights_.embedding, index(batch.tokens[r]), {x.row(r), spec_.width});
  }
  if (!spec_.learned_position) return;
  kernels::Rows positions = workspace_.branch;
  positions.rows = x.rows;
  for (std::size_t r = 0; r < x.rows; ++r) {
    const std::size_t row = workspace_.positions[r] + spec_.learned_position->offset;
    kernels::dequantize_row(weights_.positions, row, {positions.row(r), spec_.width});
  }
  kernels::add(context, x, positions);
}

void Forward::project(const kernels::OpContext& context, const Projection& projection,
                      kernels::ConstRows x, std::span<kernels::RowFault> faults, kernels::Rows y) {
  kernels::Activations quantized;
  if (projection.reads(kernels::ActivationKind::int8_groups)) {
    quantized = kernels::quantize_rows(context, x, workspace_.quantized, faults);
  }
  for (const Projection::Part& part : projection.parts) {
    const bool is_int8 =
        kernels::activation_kind(*part.matrix.format) == kernels::ActivationKind::int8_groups;
    kernels::multiply(context, part.matrix, is_int8 ? quantized : kernels::float_rows(x),
                      {.data = y.data + part.column,
                       .stride = y.stride,
                       .rows = x.rows,
                       .columns = part.matrix.rows});
  }
  if (projection.bias.empty()) return;
  kernels::add_bias(
      context, {.data = y.data, .stride = y.stride, .rows = x.rows, .columns = projection.columns},
      projection.bias);
}

void Forward::head(const kernels::OpContext& context, const Batch& batch) {
  kernels::Rows last = workspace_.last;
  last.rows = batch.logits_rows.size();
  if (last.rows == 0) return;
  for (std::size_t i = 0; i < last.rows; ++i) {
    std::ranges::copy(std::span(workspace_.residual.row(batch.logits_rows[i]), spec_.width),
                      last.row(i));
  }
  normalize(context, spec_.final_norm, weights_.final_norm, last, last);
  const std::span<kernels::RowFault> faults = std::span(workspace_.last_faults).first(last.rows);
  std::ranges::fill(faults, kernels::RowFault::none);
  project(context, weights_.head, last, faults, workspace_.logits);
  for (std::size_t i = 0; i < last.rows; ++i) {
    if (faults[i] != kernels::RowFault::none) workspace_.faults[batch.logits_rows[i]] = faults[i];
  }
}

}  // namespace zhuzi
