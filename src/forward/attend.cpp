// The executor of HeadAttention: norm, q k v, rotation, the cache, attention, output, residual.
#include "base/check.h"
#include "forward/forward.h"
#include "forward/internal/executors.h"

namespace zhuzi {
namespace {

/// Columns `offset` .. of the rows, as rows of their own.
kernels::Rows columns_of(kernels::Rows rows, std::size_t offset, std::size_t columns) {
  return {.data = rows.data + offset, .stride = rows.stride, .rows = rows.rows, .columns = columns};
}

}  // namespace

void Forward::attend(const kernels::OpContext& context, const Batch& batch, std::size_t layer) {
  const Layer& spec = spec_.layers[layer];
  const HeadAttention& attention = spec.attention;
  const PackedLayer& weights = weights_.layers[layer];
  const std::size_t rows = batch.tokens.size();
  const auto faults = std::span(workspace_.faults).first(rows);
  const kernels::Rows x = first_rows(workspace_.residual, rows);
  const kernels::Rows normed = first_rows(workspace_.normed, rows);
  const kernels::Rows qkv = first_rows(workspace_.qkv, rows);

  normalize(context, spec.attention_norm, weights.attention_norm, x, normed);
  project(context, weights.qkv, normed, faults, qkv);
  const std::size_t length = attention.head_length;
  const kernels::Rows q = columns_of(qkv, weights.qkv.offsets[0], attention.heads * length);
  const kernels::Rows k = columns_of(qkv, weights.qkv.offsets[1], attention.kv_heads * length);
  const kernels::Rows v = columns_of(qkv, weights.qkv.offsets[2], attention.kv_heads * length);
  if (attention.head_norm) {
    const float epsilon = attention.head_norm->epsilon;
    kernels::head_rms_norm(context, q, length, weights.query_norm.weight, epsilon);
    kernels::head_rms_norm(context, k, length, weights.key_norm.weight, epsilon);
  }
  if (std::holds_alternative<Rope>(attention.position)) {
    const auto positions = std::span<const std::uint32_t>(workspace_.positions).first(rows);
    const kernels::RopeTable& table = rope_tables_[rope_of_layer_[layer]];
    kernels::apply_rope(context, q, length, positions, table);
    kernels::apply_rope(context, k, length, positions, table);
  }
  kernels::store_kv(context, pool_, layer, k, v, batch.places, faults);

  kernels::Rows attended = first_rows(workspace_.attended, rows);
  attended.columns = attention.heads * length;
  kernels::attend(context, pool_, layer,
                  {.heads = attention.heads, .scale = attention.scale, .window = attention.window},
                  q, batch.places, attended, workspace_.attention_scratch);
  const kernels::Rows branch = first_rows(workspace_.branch, rows);
  project(context, weights.output, attended, faults, branch);
  kernels::add(context, x, branch);
}

}  // namespace zhuzi
