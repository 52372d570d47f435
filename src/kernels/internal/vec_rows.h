// The row functions of vector_ops.cpp in vectors: what its scalar text says, 16 lanes at a time.
//
// Included inside a region and namespace, behind math_vectors.h (see vec_avx2.h).

inline void rms_norm(const NormArguments& a) {
  F32x16 lane = zeros();
  for (std::size_t i = 0; i < a.columns; i += 16) {
    const F32x16 x = load(a.x + i, a.columns - i);
    lane = fma(x, x, lane);
  }
  const float mean = tree_sum(lane) / static_cast<float>(a.columns);
  const F32x16 factor = broadcast(scalar::inverse_root(mean + a.epsilon));
  for (std::size_t i = 0; i < a.columns; i += 16) {
    const std::size_t n = a.columns - i;
    store(a.out + i, n, mul(mul(load(a.x + i, n), factor), load(a.weight + i, n)));
  }
}

inline void layer_norm(const NormArguments& a) {
  const auto count = static_cast<float>(a.columns);
  F32x16 sum = zeros();
  for (std::size_t i = 0; i < a.columns; i += 16) sum = add(sum, load(a.x + i, a.columns - i));
  const F32x16 mean = broadcast(tree_sum(sum) / count);
  F32x16 squares = zeros();
  for (std::size_t i = 0; i < a.columns; i += 16) {
    const std::size_t n = a.columns - i;
    const F32x16 distance = sub(load(a.x + i, n), mean);
    const F32x16 present = n < 16 ? select(first_lanes(n), distance, zeros()) : distance;
    squares = fma(present, present, squares);
  }
  const F32x16 factor = broadcast(scalar::inverse_root(tree_sum(squares) / count + a.epsilon));
  for (std::size_t i = 0; i < a.columns; i += 16) {
    const std::size_t n = a.columns - i;
    const F32x16 normal = mul(sub(load(a.x + i, n), mean), factor);
    const F32x16 weight = load(a.weight + i, n);
    store(a.out + i, n,
          a.bias != nullptr ? fma(normal, weight, load(a.bias + i, n)) : mul(normal, weight));
  }
}

inline void add(float* x, const float* y, std::size_t columns) {
  for (std::size_t i = 0; i < columns; i += 16) {
    const std::size_t n = columns - i;
    store(x + i, n, add(load(x + i, n), load(y + i, n)));
  }
}

inline void scale(float* x, float factor, std::size_t columns) {
  for (std::size_t i = 0; i < columns; i += 16) {
    const std::size_t n = columns - i;
    store(x + i, n, mul(load(x + i, n), broadcast(factor)));
  }
}

inline void softcap(float* x, float cap, std::size_t columns) {
  for (std::size_t i = 0; i < columns; i += 16) {
    const std::size_t n = columns - i;
    store(x + i, n, softcapped(load(x + i, n), cap));
  }
}

/// x / (1 + e^exponent).
[[gnu::always_inline]] inline F32x16 gated(F32x16 x, F32x16 exponent) {
  return div(x, add(broadcast(1.0f), exp_f32(exponent)));
}

[[gnu::always_inline]] inline F32x16 silu(F32x16 x) { return gated(x, sub(broadcast(-0.0f), x)); }
[[gnu::always_inline]] inline F32x16 gelu_erf(F32x16 x) {
  const F32x16 error = erf_f32(mul(x, broadcast(root_half)));
  return mul(mul(broadcast(0.5f), x), add(broadcast(1.0f), error));
}
[[gnu::always_inline]] inline F32x16 gelu_tanh(F32x16 x) {
  const F32x16 slope = fma(mul(x, x), broadcast(gelu_tanh_cubic), broadcast(gelu_tanh_linear));
  return gated(x, mul(x, slope));
}
[[gnu::always_inline]] inline F32x16 quick_gelu(F32x16 x) {
  return gated(x, mul(broadcast(quick_gelu_slope), x));
}
[[gnu::always_inline]] inline F32x16 relu(F32x16 x) { return max(zeros(), x); }
[[gnu::always_inline]] inline F32x16 relu_squared(F32x16 x) { return mul(relu(x), relu(x)); }

template <F32x16 (*function)(F32x16)>
inline void activate(const ActivationArguments& a) {
  for (std::size_t i = 0; i < a.columns; i += 16) {
    const std::size_t n = a.columns - i;
    const F32x16 value = function(load(a.x + i, n));
    store(a.out + i, n, a.factor != nullptr ? mul(value, load(a.factor + i, n)) : value);
  }
}

constexpr RowFunctions functions{
    .rms_norm = rms_norm,
    .layer_norm = layer_norm,
    .add = add,
    .scale = scale,
    .softcap = softcap,
    .activation = {activate<silu>, activate<gelu_erf>, activate<gelu_tanh>, activate<quick_gelu>,
                   activate<relu>, activate<relu_squared>}};
