// Attention: which queries are computed together, when, and on which thread. How a tile is
// computed: attention_scalar.cpp and internal/attention_tile.h.
//
// The queries of a run (rows of one sequence) that read one KV head are numbered row by row and cut
// into blocks. Two ways of sharing the work, with the same bits:
//
//   whole   a part is (block, KV head): it walks over all partitions and merges each at once, in
//           `out` itself. Prefill, and decode with many sequences.
//   split   too few blocks to go round: a part is (block, KV head, partition), its results wait in
//           the scratch, and a second run merges them in the same ascending order.
//
//   scratch: [blocks of queries][partials of a tile, for each thread][partials of `split`]
//
// Invariant: the order in which tiles are computed is free; merge_partial sees the partials of a
// query in ascending order.
#include "kernels/attention.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "kernels/internal/attention_task.h"
#include "kernels/internal/math_definitions.h"
#include "kernels/internal/vec_split.h"
#include "kernels/math.h"

namespace zhuzi::kernels {
namespace {

/// Queries of a block: enough tiles to use a partition's pages while they are in L2, few enough to
/// give every thread some blocks.
constexpr std::size_t block_queries_max = 24;
/// Rows with a full context whose partials have room in the scratch; or more with shorter contexts.
constexpr std::size_t split_rows = 4;
/// A thread should find so many parts, or the last one keeps the others waiting.
constexpr std::size_t parts_per_thread = 4;
/// Multiplications below which a barrier costs more than it saves.
constexpr std::size_t multiplications_min = 100'000;
constexpr std::size_t alignment = 64;

/// Queries first .. first + count - 1 of the run that starts at row `run`: query i is row
/// run + i / group, and head i % group of those that share the KV head.
struct QueryBlock {
  std::size_t run = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};

/// One call of `attend`.
struct Step {
  const AttentionFunctions& functions;
  const KvPool& pool;
  const AttentionShape& shape;
  std::size_t layer;
  std::size_t group;  ///< Query heads of a KV head.
  ConstRows q;
  std::span<const RowPlace> places;
  Rows out;
};

struct Query {
  std::size_t row;
  std::size_t head;
};

/// M and L of a query while its partitions are merged; O is in `out`.
struct Running {
  float maximum = 0;
  float sum = 0;
  bool is_empty = true;
};

[[nodiscard]] constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}
[[nodiscard]] constexpr std::size_t blocks_bytes(std::size_t rows, std::size_t group) {
  return aligned(rows * (group / block_queries_max + 1) * sizeof(QueryBlock));
}
[[nodiscard]] constexpr std::size_t partial_bytes(const KvLayout& layout) {
  return partial_floats(layout.value_length) * sizeof(float);
}

[[nodiscard]] Query query_of(const Step& step, const QueryBlock& block, std::size_t kv_head,
                             std::size_t i) {
  const std::size_t n = block.first + i;
  return {.row = block.run + n / step.group, .head = kv_head * step.group + n % step.group};
}

[[nodiscard]] float* output_of(const Step& step, const Query& query) {
  return step.out.row(query.row) + query.head * step.pool.layout.value_length;
}

[[nodiscard]] Visible visible_to(const Step& step, std::size_t row) {
  const std::size_t end = std::size_t{step.places[row].position} + 1;
  const std::size_t window = step.shape.window;
  return {.first = window > 0 && end > window ? end - window : 0, .end = end};
}

/// The partitions, by number, with keys that some query of the block sees.
[[nodiscard]] Visible partitions_of(const Step& step, const QueryBlock& block) {
  const std::size_t first_row = query_of(step, block, 0, 0).row;
  const std::size_t last_row = query_of(step, block, 0, block.count - 1).row;
  return {.first = visible_to(step, first_row).first / attention_partition,
          .end = (visible_to(step, last_row).end - 1) / attention_partition + 1};
}

[[nodiscard]] Pages pages_of(const Step& step, std::size_t row, std::size_t kv_head) {
  const KvLayout& layout = step.pool.layout;
  const std::size_t head_bytes = layout.key_page_bytes() + layout.value_page_bytes();
  return {.base = step.pool.data + (step.layer * layout.kv_heads + kv_head) * head_bytes,
          .block_bytes = layout.block_bytes(),
          .key_page_bytes = layout.key_page_bytes(),
          .blocks = step.places[row].blocks};
}

[[nodiscard]] PartialView partial_at(const Step& step, float* partials, std::size_t i) {
  const std::size_t length = step.pool.layout.value_length;
  return {.values = partials + i * partial_floats(length), .value_length = length};
}

/// Cuts the rows into runs, and the queries of each run into blocks of nearly equal size.
[[nodiscard]] std::span<const QueryBlock> cut_into_blocks(const Step& step, QueryBlock* blocks) {
  std::size_t count = 0;
  for (std::size_t run = 0; run < step.places.size();) {
    std::size_t end = run + 1;
    while (end < step.places.size() &&
           step.places[end].blocks.data() == step.places[run].blocks.data() &&
           step.places[end].position == step.places[end - 1].position + 1) {
      ++end;
    }
    const std::size_t queries = (end - run) * step.group;
    const std::size_t pieces = (queries + block_queries_max - 1) / block_queries_max;
    for (std::size_t p = 0; p < pieces; ++p, ++count) {
      const std::size_t first = queries * p / pieces;
      blocks[count] = {.run = run, .first = first, .count = queries * (p + 1) / pieces - first};
    }
    run = end;
  }
  return {blocks, count};
}

/// Computes one partition for the queries of a block, tile by tile; `partial_of(i, tile's i)` says
/// where the result of query i goes, `done(i)` is called for each query that sees a key, after its
/// tile.
template <typename PartialOf, typename Done>
void compute_partition(const Step& step, const QueryBlock& block, std::size_t kv_head,
                       std::size_t partition, PartialOf&& partial_of, Done&& done) {
  const std::size_t tiles = (block.count + tile_queries_max - 1) / tile_queries_max;
  for (std::size_t t = 0; t < tiles; ++t) {
    const std::size_t first = block.count * t / tiles;
    TileTask task{.layout = step.pool.layout,
                  .pages = pages_of(step, block.run, kv_head),
                  .scale = step.shape.scale,
                  .softcap = step.shape.softcap,
                  .queries = block.count * (t + 1) / tiles - first};
    for (std::size_t i = 0; i < task.queries; ++i) {
      const Query query = query_of(step, block, kv_head, first + i);
      const Visible visible = visible_to(step, query.row);
      task.query[i] = step.q.row(query.row) + query.head * task.layout.head_length;
      task.visible[i] = {.first = std::max(visible.first, partition * attention_partition),
                         .end = std::min(visible.end, (partition + 1) * attention_partition)};
      if (!task.visible[i].empty()) task.partial[i] = partial_of(first + i, i);
    }
    if (task.visible_to_any().empty()) continue;
    step.functions.tile(task);
    for (std::size_t i = 0; i < task.queries; ++i) {
      if (!task.visible[i].empty()) done(first + i, task.partial[i]);
    }
  }
}

void merge_partial(const Step& step, Running& running, float* out, const PartialView& partial) {
  const std::size_t count = step.pool.layout.value_length;
  if (running.is_empty) {
    running = {.maximum = partial.maximum(), .sum = partial.sum(), .is_empty = false};
    std::copy_n(partial.values, count, out);
    return;
  }
  const float maximum = std::max(running.maximum, partial.maximum());
  const float keep = exp_f32(running.maximum - maximum);
  const float take = exp_f32(partial.maximum() - maximum);
  running.maximum = maximum;
  running.sum = definition::fma(running.sum, keep, partial.sum() * take);
  step.functions.merge(
      {.out = out, .values = partial.values, .count = count, .keep = keep, .take = take});
}

void compute_whole(const Step& step, const QueryBlock& block, std::size_t kv_head,
                   float* tile_partials) {
  std::array<Running, block_queries_max> running;
  const Visible partitions = partitions_of(step, block);
  for (std::size_t p = partitions.first; p < partitions.end; ++p) {
    compute_partition(
        step, block, kv_head, p,
        [&](std::size_t, std::size_t place) { return partial_at(step, tile_partials, place); },
        [&](std::size_t i, const PartialView& partial) {
          float* out = output_of(step, query_of(step, block, kv_head, i));
          merge_partial(step, running[i], out, partial);
        });
  }
  for (std::size_t i = 0; i < block.count; ++i) {
    float* out = output_of(step, query_of(step, block, kv_head, i));
    step.functions.finish(out, step.pool.layout.value_length, running[i].sum);
  }
}

void compute_split(const OpContext& context, const Step& step, std::span<const QueryBlock> blocks,
                   std::size_t partitions_max, float* partials) {
  const std::size_t kv_heads = step.pool.layout.kv_heads;
  const auto slot = [&](const Query& query, std::size_t partition) {
    const std::size_t first = visible_to(step, query.row).first / attention_partition;
    const std::size_t query_index = query.row * step.shape.heads + query.head;
    return partial_at(step, partials, query_index * partitions_max + (partition - first));
  };
  run_parts(context, blocks.size() * kv_heads * partitions_max, [&](std::size_t part, std::size_t) {
    const std::size_t kv_head = part / partitions_max % kv_heads;
    const QueryBlock& block = blocks[part / partitions_max / kv_heads];
    const Visible partitions = partitions_of(step, block);
    const std::size_t p = partitions.first + part % partitions_max;
    if (p >= partitions.end) return;
    compute_partition(
        step, block, kv_head, p,
        [&](std::size_t i, std::size_t) { return slot(query_of(step, block, kv_head, i), p); },
        [](std::size_t, const PartialView&) {});
  });
  run_parts(context, step.places.size() * step.shape.heads, [&](std::size_t part, std::size_t) {
    const Query query{.row = part / step.shape.heads, .head = part % step.shape.heads};
    const Visible visible = visible_to(step, query.row);
    Running running;
    for (std::size_t p = visible.first / attention_partition; p * attention_partition < visible.end;
         ++p) {
      merge_partial(step, running, output_of(step, query), slot(query, p));
    }
    step.functions.finish(output_of(step, query), step.pool.layout.value_length, running.sum);
  });
}

[[nodiscard]] std::size_t multiplications(const Step& step) {
  const KvLayout& layout = step.pool.layout;
  std::size_t keys = 0;
  for (std::size_t r = 0; r < step.places.size(); ++r) {
    const Visible visible = visible_to(step, r);
    keys += visible.end - visible.first;
  }
  return keys * step.shape.heads * (layout.head_length + layout.value_length);
}

void check_shapes(const Step& step) {
  const KvLayout& layout = step.pool.layout;
  check(layout.head_length % 8 == 0 && layout.value_length % 8 == 0, "attend: lengths of heads");
  check(step.shape.heads % layout.kv_heads == 0, "attend: whole groups of heads");
  check(step.layer < layout.layers, "attend: the layer exists");
  check(step.q.columns == step.shape.heads * layout.head_length, "attend: columns of q");
  check(step.out.columns == step.shape.heads * layout.value_length, "attend: columns of out");
  check(step.q.rows == step.places.size() && step.out.rows == step.q.rows, "attend: rows");
  for (const RowPlace& place : step.places) {
    check(place.position / page_tokens < place.blocks.size(), "attend: a block for each key");
  }
}

}  // namespace

std::size_t attention_scratch_bytes(const KvLayout& layout, std::size_t heads, std::size_t rows_max,
                                    std::size_t context_max, std::size_t threads) {
  const std::size_t partitions = context_max / attention_partition + 1;
  const std::size_t partials = threads * tile_queries_max + split_rows * heads * partitions;
  return blocks_bytes(rows_max, heads / layout.kv_heads) + partials * partial_bytes(layout);
}

void attend(const OpContext& context, const KvPool& pool, std::size_t layer,
            const AttentionShape& shape, ConstRows q, std::span<const RowPlace> places, Rows out,
            std::span<std::byte> scratch) {
  const Step step{.functions = attention_functions(context.set),
                  .pool = pool,
                  .shape = shape,
                  .layer = layer,
                  .group = shape.heads / pool.layout.kv_heads,
                  .q = q,
                  .places = places,
                  .out = out};
  check_shapes(step);
  const std::size_t threads = context.threads == nullptr ? 1 : context.threads->threads();
  const std::size_t fixed = blocks_bytes(places.size(), step.group);
  const std::size_t tile_bytes = tile_queries_max * partial_bytes(pool.layout);
  check(fixed + threads * tile_bytes <= scratch.size(), "attend: room in the scratch");
  const auto blocks = cut_into_blocks(step, reinterpret_cast<QueryBlock*>(scratch.data()));
  auto* tile_partials = reinterpret_cast<float*>(scratch.data() + fixed);

  std::size_t partitions_max = 0;
  for (const QueryBlock& block : blocks) {
    const Visible partitions = partitions_of(step, block);
    partitions_max = std::max(partitions_max, partitions.end - partitions.first);
  }
  const std::size_t kv_heads = pool.layout.kv_heads;
  const std::size_t parts = blocks.size() * kv_heads;
  const std::size_t split_bytes =
      places.size() * shape.heads * partitions_max * partial_bytes(pool.layout);
  const bool is_small = multiplications(step) < multiplications_min;
  const OpContext used{.threads = is_small ? nullptr : context.threads, .set = context.set};
  if (!is_small && threads > 1 && parts < parts_per_thread * threads && partitions_max > 1 &&
      fixed + threads * tile_bytes + split_bytes <= scratch.size()) {
    auto* partials = reinterpret_cast<float*>(scratch.data() + fixed + threads * tile_bytes);
    compute_split(used, step, blocks, partitions_max, partials);
    return;
  }
  // Late rows see more keys and take longer: they come first, so that none is left for the end.
  run_parts(used, parts, [&](std::size_t part, std::size_t thread) {
    compute_whole(step, blocks[blocks.size() - 1 - part / kv_heads], part % kv_heads,
                  tile_partials + thread * tile_bytes / sizeof(float));
  });
}

}  // namespace zhuzi::kernels
