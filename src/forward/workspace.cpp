// The buffers of a step: one mapping, cut into rows that have room for whole panels and groups.
#include <algorithm>

#include "base/check.h"
#include "forward/internal/workspace.h"

namespace zhuzi {
namespace {

/// Counts first, cuts afterwards: the same calls in the same order run twice.
class Cutter {
 public:
  Cutter() = default;
  explicit Cutter(std::byte* memory) : memory_(memory) {}

  [[nodiscard]] std::span<std::byte> bytes(std::size_t count) {
    const std::size_t begin = used_;
    used_ += (count + Buffer::alignment - 1) / Buffer::alignment * Buffer::alignment;
    return memory_ == nullptr ? std::span<std::byte>{} : std::span(memory_ + begin, count);
  }
  [[nodiscard]] kernels::Rows rows(std::size_t count, std::size_t columns) {
    const std::size_t stride = kernels::padded(columns);
    const std::span<std::byte> room = bytes(count * stride * sizeof(float));
    return {.data = reinterpret_cast<float*>(room.data()),
            .stride = stride,
            .rows = count,
            .columns = columns};
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::byte* memory_ = nullptr;
  std::size_t used_ = 0;
};

/// The widest rows of each kind over all layers.
struct Widths {
  std::size_t qkv = 0, attended = 0, ffn = 0, heads = 0, quantized = 0;
};

Widths widths_of(const ModelSpec& spec, const PackedModel& weights) {
  Widths widest;
  widest.quantized = spec.width;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const Layer& layer = spec.layers[i];
    const std::size_t attended = layer.attention.heads * layer.attention.head_length;
    widest.qkv = std::max(widest.qkv, weights.layers[i].qkv.columns);
    widest.attended = std::max(widest.attended, attended);
    widest.ffn = std::max(widest.ffn, weights.layers[i].gate_up.columns);
    widest.heads = std::max(widest.heads, layer.attention.heads);
    widest.quantized = std::max({widest.quantized, attended, layer.ffn.hidden});
  }
  return widest;
}

void cut(Workspace& workspace, Cutter& cutter, const WorkspacePlan& plan) {
  const ModelSpec& spec = *plan.spec;
  const ForwardLimits& limits = *plan.limits;
  const Widths widest = widths_of(spec, *plan.weights);
  const std::size_t rows = limits.rows_max;
  workspace.residual = cutter.rows(rows, spec.width);
  workspace.normed = cutter.rows(rows, spec.width);
  workspace.qkv = cutter.rows(rows, widest.qkv);
  workspace.attended = cutter.rows(rows, widest.attended);
  workspace.branch = cutter.rows(rows, spec.width);
  workspace.ffn = cutter.rows(rows, widest.ffn);
  workspace.last = cutter.rows(limits.logits_rows_max, spec.width);
  workspace.logits = cutter.rows(limits.logits_rows_max, plan.weights->head.columns);
  workspace.quantized =
      cutter.bytes(kernels::quantized_bytes(rows, kernels::padded(widest.quantized)));
  workspace.attention_scratch = cutter.bytes(kernels::attention_scratch_bytes(
      *plan.layout, widest.heads, rows, limits.context, plan.threads));
}

}  // namespace

Result<Workspace> make_workspace(const WorkspacePlan& plan) {
  Workspace workspace;
  Cutter counter;
  cut(workspace, counter, plan);
  workspace.memory = TRY(Buffer::make(counter.used()));
  Cutter cutter(workspace.memory.data());
  cut(workspace, cutter, plan);
  check(cutter.used() == counter.used(), "both passes cut the same");
  workspace.faults.resize(plan.limits->rows_max);
  workspace.last_faults.resize(plan.limits->logits_rows_max);
  workspace.positions.resize(plan.limits->rows_max);
  return workspace;
}

}  // namespace zhuzi
