// The functions of vocabulary.cpp in vectors: what its scalar text says, 16 lanes at a time.
//
// Included inside a region and namespace, behind math_vectors.h (see vec_avx2.h).

/// Up to 16 values; lanes behind them are -inf, which no maximum and no sum feels.
[[gnu::always_inline]] inline F32x16 load_logits(const float* values, std::size_t n) {
  if (n >= 16) return load(values);
  return select(first_lanes(n), load(values, n), broadcast(-definition::infinity));
}

inline float maximum(const float* values, std::size_t count) {
  F32x16 largest = broadcast(-definition::infinity);
  for (std::size_t i = 0; i < count; i += 16) {
    largest = max(largest, load_logits(values + i, count - i));
  }
  return max_lane(largest) + 0.0f;
}

inline bool is_valid(const float* values, std::size_t count) {
  const F32x16 infinity = broadcast(definition::infinity);
  F32x16 largest = broadcast(-definition::infinity);
  for (std::size_t i = 0; i < count; i += 16) {
    const F32x16 x = load_logits(values + i, count - i);
    if (!all(less(x, infinity))) return false;
    largest = max(largest, x);
  }
  return max_lane(largest) > -definition::infinity;
}

[[gnu::always_inline]] inline F32x16 width(const WidthArguments& a, F32x16 x) {
  return exp_f32(div(sub(x, broadcast(a.maximum)), broadcast(a.temperature)));
}

inline float width_sum(const WidthArguments& a) {
  F32x16 lane = zeros();
  for (std::size_t i = 0; i < a.count; i += 16) {
    lane = add(lane, width(a, load_logits(a.values + i, a.count - i)));
  }
  return tree_sum(lane);
}

inline void widths(const WidthArguments& a, float* out) {
  for (std::size_t i = 0; i < a.count; i += 16) {
    const std::size_t n = a.count - i;
    store(out + i, n, width(a, load_logits(a.values + i, n)));
  }
}

constexpr VocabularyFunctions functions{
    .maximum = maximum, .is_valid = is_valid, .width_sum = width_sum, .widths = widths};
