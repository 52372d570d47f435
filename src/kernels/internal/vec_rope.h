// The rotation of rope.cpp in vectors.
//
// Included inside a region and namespace, behind vec_avx2.h or vec_avx512.h (see there).

inline void rotate(float* head, const float* cosines, const float* sines, std::size_t pairs) {
  for (std::size_t i = 0; i < pairs; i += 16) {
    const std::size_t n = pairs - i;
    const F32x16 a = load(head + i, n);
    const F32x16 b = load(head + pairs + i, n);
    const F32x16 c = load(cosines + i, n);
    const F32x16 s = load(sines + i, n);
    store(head + i, n, fma_less(a, c, mul(b, s)));
    store(head + pairs + i, n, fma(b, c, mul(a, s)));
  }
}
