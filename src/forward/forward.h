// Forward: a batch of rows through the model, up to logits.
//
// Place in the journey: called by Engine::step with the rows of the plan. It walks the spec and
// calls ops; it never touches a tensor's elements itself. Rows of all sequences and phases are
// packed into one batch without padding: prompt chunks, decodes and re-computed tokens are all just
// rows.
//
// Owned by the engine thread. No allocation after `make`.
//
// Invariant (NUMERICS): a row's logits are a function of its sequence's tokens up to it, whatever
// else is in the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "forward/weights.h"
#include "kernels/ops.h"
#include "model/spec.h"
#include "tensor/buffer.h"

namespace zhuzi {

struct ForwardLimits {
  std::size_t rows_max = 512;        ///< Of one batch.
  std::size_t logits_rows_max = 32;  ///< Rows of a batch that want logits.
  std::size_t context = 0;           ///< Positions of a sequence; at most the spec's.
  std::size_t kv_blocks = 0;         ///< Of 16 positions each.
  kernels::KvFormat kv_format = kernels::KvFormat::f16;
};

/// Rows of one sequence follow each other, positions ascending by one.
struct Batch {
  std::span<const TokenId> tokens;
  std::span<const kernels::RowPlace> places;
  std::span<const std::uint32_t> logits_rows;  ///< Ascending rows whose logits are wanted.
};

struct ForwardResult {
  kernels::Rows logits;  ///< Row i is batch row logits_rows[i]; valid until the next run.
  std::span<const kernels::RowFault> faults;  ///< One for each row of the batch.
};

/// Sees the residual stream between layers: for goldens and, later, the lens of the glass box.
class LayerObserver {
 public:
  virtual ~LayerObserver() = default;
  /// After the embedding (layer 0's input), then after each layer's output was added.
  virtual void residual(std::size_t layers_done, kernels::ConstRows rows) = 0;
};

/// Every buffer that a batch needs, sized once.
struct Workspace {
  Buffer memory;
  kernels::Rows residual;  ///< width
  kernels::Rows normed;    ///< width
  kernels::Rows qkv;       ///< q, k, v side by side
  kernels::Rows attended;  ///< heads * value_length
  kernels::Rows branch;    ///< width: what attention or the feed-forward block adds
  kernels::Rows ffn;       ///< gate and up side by side
  kernels::Rows last;      ///< width: rows that want logits
  kernels::Rows logits;    ///< vocabulary
  std::span<std::byte> quantized;
  std::span<std::byte> attention_scratch;
  std::vector<kernels::RowFault> faults;
  std::vector<kernels::RowFault> last_faults;
  std::vector<std::uint32_t> positions;
};

class Forward {
 public:
  /// Packs the weights and takes all memory that will ever be needed. Errors: as PackedModel::pack,
  /// and unsupported for a spec that has no executor here.
  [[nodiscard]] static Result<Forward> make(const ModelSpec& spec, const ModelWeights& weights,
                                            const ForwardLimits& limits,
                                            const kernels::OpContext& context);

  /// Computes K and V of every row into the pool, and the logits of the rows that want them. The
  /// batch is inside the limits. `observer` may be nullptr.
  [[nodiscard]] ForwardResult run(const kernels::OpContext& context, const Batch& batch,
                                  LayerObserver* observer = nullptr);

  [[nodiscard]] const ModelSpec& spec() const { return spec_; }
  [[nodiscard]] const ForwardLimits& limits() const { return limits_; }
  [[nodiscard]] const PackedModel& weights() const { return weights_; }
  [[nodiscard]] std::size_t kv_bytes() const { return kv_memory_.size(); }
  [[nodiscard]] std::size_t workspace_bytes() const { return workspace_.memory.size(); }

 private:
  Forward() = default;

  void embed(const kernels::OpContext& context, const Batch& batch);
  void attend(const kernels::OpContext& context, const Batch& batch, std::size_t layer);
  void feed(const kernels::OpContext& context, std::size_t rows, std::size_t layer);
  void head(const kernels::OpContext& context, const Batch& batch);
  void project(const kernels::OpContext& context, const Projection& projection,
               kernels::ConstRows x, std::span<kernels::RowFault> faults, kernels::Rows y);

  ModelSpec spec_;
  ForwardLimits limits_;
  PackedModel weights_;
  Buffer kv_memory_;
  kernels::KvPool pool_;
  std::vector<kernels::RopeTable> rope_tables_;
  std::vector<std::size_t> rope_of_layer_;  ///< Index into rope_tables_, or none.
  Workspace workspace_;
};

}  // namespace zhuzi
