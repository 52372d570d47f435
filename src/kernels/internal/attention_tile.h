// A tile of attention in vectors, in three steps: scores, softmax, weighted values, each over all
// pages of the partition that some query sees.
//
// Scores and values are the same product: chains of fma over rows of 16 codes, a row's factor being
// a query's dim and the codes 16 tokens' keys, or a query's weight and the codes 16 dims of a
// token's value. Codes are converted to float in registers, once for all queries of the tile; on
// Zen 3 that runs beside the fma units.
//
// Included inside a region and namespace, behind math_vectors.h (see vec_avx2.h).

template <KvFormat format>
[[gnu::always_inline]] inline Register load_codes(const std::byte* x) {
  if constexpr (format == KvFormat::f16) return load_halves(x);
  if constexpr (format == KvFormat::bf16) return load_bfloats(x);
  return load_register(reinterpret_cast<const float*>(x));
}
/// Eight codes, and zeros where a register has more lanes; nothing behind the eight is read.
template <KvFormat format>
[[gnu::always_inline]] inline Register load_eight_codes(const std::byte* x) {
  if constexpr (format == KvFormat::f16) return from_eight(eight_halves(x));
  if constexpr (format == KvFormat::bf16) return from_eight(eight_bfloats(x));
  return from_eight(_mm256_loadu_ps(reinterpret_cast<const float*>(x)));
}

/// How a tile reads its pages.
template <KvFormat kv_format, std::size_t query_count, bool has_eight = false>
struct Tile {
  static constexpr KvFormat format = kv_format;
  static constexpr std::size_t queries = query_count;
  static constexpr std::size_t code_bytes = format == KvFormat::f32 ? 4 : 2;
  /// Registers of each query's chains that are computed together, whole pages of them. Twelve
  /// chains keep the fma units busy, and on AVX2 leave four registers for the factors.
  static constexpr std::size_t registers =
      std::min<std::size_t>(8, 12 / queries) / page_registers * page_registers;

  [[gnu::always_inline]] static Register load_row(const std::byte* row) {
    if constexpr (has_eight) return load_eight_codes<format>(row);
    return load_codes<format>(row);
  }
};

/// chain[q][r] += factors[q][i] * codes[r], one row of codes. Few queries: their factors stay in
/// registers and one register of codes passes at a time.
template <typename Tile, std::size_t registers>
[[gnu::always_inline]] inline void add_row_few(Register (&chain)[Tile::queries][registers],
                                               const float* const (&factors)[Tile::queries],
                                               std::size_t i,
                                               const std::byte* const (&codes)[registers],
                                               std::size_t offset) {
  Register factor[Tile::queries];
  ZHUZI_UNROLL
  for (std::size_t q = 0; q < Tile::queries; ++q) {
    factor[q] = broadcast_register(factors[q] + i);
  }
  ZHUZI_UNROLL
  for (std::size_t r = 0; r < registers; ++r) {
    const Register x = Tile::load_row(codes[r] + offset);
    ZHUZI_UNROLL
    for (std::size_t q = 0; q < Tile::queries; ++q) {
      chain[q][r] = fma(factor[q], x, chain[q][r]);
    }
  }
}

/// The same for many queries: the codes of a row stay and one factor passes at a time.
template <typename Tile, std::size_t registers>
[[gnu::always_inline]] inline void add_row_many(Register (&chain)[Tile::queries][registers],
                                                const float* const (&factors)[Tile::queries],
                                                std::size_t i,
                                                const std::byte* const (&codes)[registers],
                                                std::size_t offset) {
  Register x[registers];
  ZHUZI_UNROLL
  for (std::size_t r = 0; r < registers; ++r) {
    x[r] = Tile::load_row(codes[r] + offset);
  }
  ZHUZI_UNROLL
  for (std::size_t q = 0; q < Tile::queries; ++q) {
    const Register factor = broadcast_register(factors[q] + i);
    ZHUZI_UNROLL
    for (std::size_t r = 0; r < registers; ++r) {
      chain[q][r] = fma(factor, x[r], chain[q][r]);
    }
  }
}

/// chain[q][r] += factors[q][i] * row i of codes[r], i = 0 .. count-1. In the wrong order for its
/// number of queries, a chain would live in memory: at three queries that halved the speed.
template <typename Tile, std::size_t registers>
[[gnu::always_inline]] inline void extend(Register (&chain)[Tile::queries][registers],
                                          const float* const (&factors)[Tile::queries],
                                          const std::byte* const (&codes)[registers],
                                          std::size_t row_bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (Tile::queries <= 3) {
      add_row_few<Tile>(chain, factors, i, codes, i * row_bytes);
    } else {
      add_row_many<Tile>(chain, factors, i, codes, i * row_bytes);
    }
  }
}

template <std::size_t queries, std::size_t registers>
[[gnu::always_inline]] inline void clear(Register (&chain)[queries][registers]) {
  ZHUZI_UNROLL
  for (std::size_t q = 0; q < queries; ++q) {
    ZHUZI_UNROLL
    for (std::size_t r = 0; r < registers; ++r) {
      chain[q][r] = zero_register();
    }
  }
}

/// Scores, then weights, of each query at position % 256.
struct Weights {
  alignas(64) float of[tile_queries_max][attention_partition];
};

/// Step 1: the scores of neighbouring pages, without scale.
template <typename Tile, std::size_t registers>
inline void score(const TileTask& task, std::size_t page, Weights& weights) {
  Register chain[Tile::queries][registers];
  clear(chain);
  const float* queries[Tile::queries];
  const std::byte* keys[registers];
  ZHUZI_UNROLL
  for (std::size_t q = 0; q < Tile::queries; ++q) queries[q] = task.query[q];
  ZHUZI_UNROLL
  for (std::size_t r = 0; r < registers; ++r) {
    keys[r] = task.pages.keys(page + r / page_registers) +
              r % page_registers * register_lanes * Tile::code_bytes;
  }
  extend<Tile>(chain, queries, keys, page_tokens * Tile::code_bytes, task.layout.head_length);
  const std::size_t place = page * page_tokens % attention_partition;
  ZHUZI_UNROLL
  for (std::size_t q = 0; q < Tile::queries; ++q) {
    ZHUZI_UNROLL
    for (std::size_t r = 0; r < registers; ++r) {
      store_register(&weights.of[q][place + r * register_lanes], chain[q][r]);
    }
  }
}

/// The lanes of the page that begins at `position` which the query sees.
[[gnu::always_inline]] inline Mask visible_lanes(const Visible& visible, std::size_t position) {
  const std::size_t end = std::min(visible.end - std::min(visible.end, position), page_tokens);
  const std::size_t first =
      std::min(visible.first - std::min(visible.first, position), page_tokens);
  return first_without(first_lanes(end), first_lanes(first));
}

/// Step 2: the scores of one query become weights; exactly 0 where it does not see.
inline void soften(const TileTask& task, std::size_t q, const Visible& all, float* row) {
  const std::size_t begin = all.first / page_tokens * page_tokens;
  const F32x16 hidden = broadcast(-definition::infinity);
  F32x16 largest = hidden;
  for (std::size_t t = begin; t < all.end; t += page_tokens) {
    float* place = row + t % attention_partition;
    F32x16 x = mul(load(place), broadcast(task.scale));
    if (task.softcap > 0) x = softcapped(x, task.softcap);
    x = select(visible_lanes(task.visible[q], t), x, hidden);
    store(place, x);
    largest = max(largest, x);
  }
  const float maximum = max_lane(largest) + 0.0f;
  F32x16 lane = zeros();
  for (std::size_t t = begin; t < all.end; t += page_tokens) {
    float* place = row + t % attention_partition;
    const F32x16 weight = exp_f32(sub(load(place), broadcast(maximum)));
    store(place, weight);
    lane = add(lane, weight);
  }
  task.partial[q].maximum() = maximum;
  task.partial[q].sum() = tree_sum(lane);
}

/// Step 3: some registers of the weighted values, from `dim` on.
template <typename Tile, std::size_t registers>
inline void weigh(const TileTask& task, const Visible& all, std::size_t dim,
                  const Weights& weights) {
  Register chain[Tile::queries][registers];
  clear(chain);
  const std::size_t row_bytes = task.layout.value_length * Tile::code_bytes;
  for (std::size_t t = all.first; t < all.end;) {
    const std::size_t end = std::min((t / page_tokens + 1) * page_tokens, all.end);
    const std::byte* first = task.pages.values(t / page_tokens) + t % page_tokens * row_bytes;
    const float* factors[Tile::queries];
    const std::byte* codes[registers];
    ZHUZI_UNROLL
    for (std::size_t q = 0; q < Tile::queries; ++q) {
      factors[q] = &weights.of[q][t % attention_partition];
    }
    ZHUZI_UNROLL
    for (std::size_t r = 0; r < registers; ++r) {
      codes[r] = first + (dim + r * register_lanes) * Tile::code_bytes;
    }
    extend<Tile>(chain, factors, codes, row_bytes, end - t);
    t = end;
  }
  ZHUZI_UNROLL
  for (std::size_t q = 0; q < Tile::queries; ++q) {
    if (task.visible[q].empty()) continue;
    ZHUZI_UNROLL
    for (std::size_t r = 0; r < registers; ++r) {
      store_register(task.partial[q].values + dim + r * register_lanes, chain[q][r]);
    }
  }
}

template <KvFormat format, std::size_t queries>
inline void compute_tile(const TileTask& task) {
  using Whole = Tile<format, queries>;
  constexpr std::size_t pages = Whole::registers / page_registers;
  const Visible all = task.visible_to_any();
  Weights weights;

  std::size_t page = all.first / page_tokens;
  const std::size_t page_end = (all.end - 1) / page_tokens + 1;
  for (; page + pages <= page_end; page += pages) {
    score<Whole, Whole::registers>(task, page, weights);
  }
  for (; page < page_end; ++page) score<Whole, page_registers>(task, page, weights);

  // What a query without a visible key weighs is rubbish, and is not stored.
  for (std::size_t q = 0; q < queries; ++q) {
    if (!task.visible[q].empty()) soften(task, q, all, weights.of[q]);
  }

  std::size_t dim = 0;
  constexpr std::size_t together = Whole::registers * register_lanes;
  const std::size_t dims = task.layout.value_length;
  for (; dim + together <= dims; dim += together) {
    weigh<Whole, Whole::registers>(task, all, dim, weights);
  }
  for (; dim + register_lanes <= dims; dim += register_lanes) {
    weigh<Whole, 1>(task, all, dim, weights);
  }
  if constexpr (register_lanes > 8) {
    if (dim < dims) weigh<Tile<format, queries, true>, 1>(task, all, dim, weights);
  }
}

template <KvFormat format>
inline void compute_tile_of(const TileTask& task) {
  switch (task.queries) {
    case 1: return compute_tile<format, 1>(task);
    case 2: return compute_tile<format, 2>(task);
    case 3: return compute_tile<format, 3>(task);
    case 4: return compute_tile<format, 4>(task);
    case 5: return compute_tile<format, 5>(task);
    default: return compute_tile<format, 6>(task);
  }
}

inline void tile(const TileTask& task) {
  switch (task.layout.format) {
    case KvFormat::f32: return compute_tile_of<KvFormat::f32>(task);
    case KvFormat::f16: return compute_tile_of<KvFormat::f16>(task);
    case KvFormat::bf16: return compute_tile_of<KvFormat::bf16>(task);
  }
}

inline void merge(const MergeArguments& a) {
  const F32x16 keep = broadcast(a.keep);
  const F32x16 take = broadcast(a.take);
  for (std::size_t i = 0; i < a.count; i += 16) {
    const std::size_t n = a.count - i;
    store(a.out + i, n, fma(load(a.out + i, n), keep, mul(load(a.values + i, n), take)));
  }
}

inline void finish(float* out, std::size_t count, float sum) {
  for (std::size_t i = 0; i < count; i += 16) {
    const std::size_t n = count - i;
    store(out + i, n, add(div(load(out + i, n), broadcast(sum)), zeros()));
  }
}
