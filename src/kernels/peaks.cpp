// Register-only loops and a plain read, timed; the best of several short rounds counts.
//
// The loops run chains of independent sums, enough to hide the latency of one. The compiler must
// not know that chains are equal, or it computes one of them; empty asm statements hide the values.
// The int8 loop is what the set has for products of bytes into 32-bit sums: vpdpbusd on AVX-512,
// vpmaddubsw with vpmaddwd and vpaddd on AVX2. (Formats with codes of 4 bits need fewer AVX2
// instructions than that and can pass this peak.)
#include "kernels/peaks.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "base/threads.h"
#include "kernels/internal/peak_loops.h"
#include "kernels/internal/simd.h"
#include "tensor/buffer.h"

namespace zhuzi::kernels {
namespace {

constexpr int chains = 12;

void read_scalar(const std::byte* memory, std::size_t bytes) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(memory);
  std::uint64_t folded[4] = {};
  for (std::size_t i = 0; i < bytes / 8; i += 4) {
    for (std::size_t j = 0; j < 4; ++j) folded[j] ^= words[i + j];
  }
  for (const std::uint64_t value : folded) asm volatile("" ::"r"(value));
}

template <typename Number>
void multiply_scalar(std::size_t steps) {
  Number sum[chains] = {};
  volatile Number factor = 3;
  const Number weight = factor;
  for (std::size_t i = 0; i < steps; ++i) {
    ZHUZI_UNROLL
    for (int j = 0; j < chains; ++j) sum[j] = sum[j] * weight + weight;
  }
  Number total = 0;
  for (const Number value : sum) total += value;
  factor = total;
}

}  // namespace

ZHUZI_AVX2_REGION
namespace {

void read_avx2(const std::byte* memory, std::size_t bytes) {
  __m256i folded[8] = {};
  for (std::size_t i = 0; i < bytes; i += 256) {
    ZHUZI_UNROLL
    for (int j = 0; j < 8; ++j) {
      const auto* vector = reinterpret_cast<const __m256i*>(memory + i + 32 * j);
      folded[j] = _mm256_xor_si256(folded[j], _mm256_load_si256(vector));
    }
  }
  ZHUZI_UNROLL
  for (int j = 0; j < 8; ++j) asm volatile("" ::"x"(folded[j]));
}

void int8_avx2(std::size_t steps) {
  __m256i sum[chains] = {};
  __m256i weight = _mm256_set1_epi8(3);
  const __m256i ones = _mm256_set1_epi16(1);
  for (std::size_t i = 0; i < steps; ++i) {
    ZHUZI_UNROLL
    for (int j = 0; j < chains; ++j) {
      asm volatile("" : "+x"(weight));
      const __m256i pairs = _mm256_maddubs_epi16(weight, weight);
      sum[j] = _mm256_add_epi32(sum[j], _mm256_madd_epi16(pairs, ones));
    }
  }
  ZHUZI_UNROLL
  for (int j = 0; j < chains; ++j) asm volatile("" ::"x"(sum[j]));
}

void f32_avx2(std::size_t steps) {
  __m256 sum[chains] = {};
  __m256 weight = _mm256_set1_ps(1e-9f);
  ZHUZI_UNROLL
  for (int j = 0; j < chains; ++j) asm volatile("" : "+x"(sum[j]));
  for (std::size_t i = 0; i < steps; ++i) {
    asm volatile("" : "+x"(weight));
    ZHUZI_UNROLL
    for (int j = 0; j < chains; ++j) sum[j] = _mm256_fmadd_ps(weight, weight, sum[j]);
  }
  ZHUZI_UNROLL
  for (int j = 0; j < chains; ++j) asm volatile("" ::"x"(sum[j]));
}

}  // namespace
ZHUZI_END_REGION
ZHUZI_AVX512_REGION
namespace {

/// The compiler knows nothing about the value any more. (The emulation has no such register.)
template <typename Vector>
[[gnu::always_inline]] inline void hide_avx512(Vector& value) {
#ifdef ZHUZI_EMULATED_AVX512
  asm volatile("" : "+m"(value));
#else
  asm volatile("" : "+v"(value));
#endif
}

void read_avx512(const std::byte* memory, std::size_t bytes) {
  __m512i folded[4] = {};
  for (std::size_t i = 0; i < bytes; i += 256) {
    ZHUZI_UNROLL
    for (int j = 0; j < 4; ++j) {
      folded[j] = _mm512_xor_si512(folded[j], _mm512_load_si512(memory + i + 64 * j));
    }
  }
  ZHUZI_UNROLL
  for (int j = 0; j < 4; ++j) hide_avx512(folded[j]);
}

void int8_avx512(std::size_t steps) {
  __m512i sum[chains] = {};
  __m512i weight = _mm512_set1_epi8(3);
  ZHUZI_UNROLL
  for (int j = 0; j < chains; ++j) hide_avx512(sum[j]);
  for (std::size_t i = 0; i < steps; ++i) {
    hide_avx512(weight);
    ZHUZI_UNROLL
    for (int j = 0; j < chains; ++j) sum[j] = _mm512_dpbusd_epi32(sum[j], weight, weight);
  }
  ZHUZI_UNROLL
  for (int j = 0; j < chains; ++j) hide_avx512(sum[j]);
}

void f32_avx512(std::size_t steps) {
  __m512 sum[chains] = {};
  __m512 weight = _mm512_set1_ps(1e-9f);
  ZHUZI_UNROLL
  for (int j = 0; j < chains; ++j) hide_avx512(sum[j]);
  for (std::size_t i = 0; i < steps; ++i) {
    hide_avx512(weight);
    ZHUZI_UNROLL
    for (int j = 0; j < chains; ++j) sum[j] = _mm512_fmadd_ps(weight, weight, sum[j]);
  }
  ZHUZI_UNROLL
  for (int j = 0; j < chains; ++j) hide_avx512(sum[j]);
}

}  // namespace
ZHUZI_END_REGION

const PeakLoops& peak_loops(InstructionSet set) {
  static constexpr std::array<PeakLoops, instruction_sets> loops{
      PeakLoops{.read = read_scalar,
                .int8 = multiply_scalar<std::int32_t>,
                .f32 = multiply_scalar<float>,
                .int8_operations = 2.0 * chains,
                .f32_operations = 2.0 * chains},
      PeakLoops{.read = read_avx2,
                .int8 = int8_avx2,
                .f32 = f32_avx2,
                .int8_operations = 64.0 * chains,
                .f32_operations = 16.0 * chains},
      PeakLoops{.read = read_avx512,
                .int8 = int8_avx512,
                .f32 = f32_avx512,
                .int8_operations = 128.0 * chains,
                .f32_operations = 32.0 * chains}};
  return loops[static_cast<std::size_t>(set)];
}

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The best rate of rounds that take about `total` seconds together; `round` does `amount` of work.
template <typename Round>
double best_rate(double total, double amount, Round round) {
  const double end = seconds_now() + total;
  double best = 0;
  for (double now = seconds_now(); now < end;) {
    const double start = now;
    round();
    now = seconds_now();
    best = std::max(best, amount / (now - start));
  }
  return best;
}

template <typename Part>
void run_parts(const OpContext& context, std::size_t parts, Part part) {
  if (context.threads != nullptr) return context.threads->run(parts, part);
  for (std::size_t i = 0; i < parts; ++i) part(i, 0);
}

}  // namespace

Result<MachinePeaks> measure_peaks(const OpContext& context) {
  constexpr double seconds_each = 0.08;
  constexpr std::size_t memory_bytes = std::size_t{128} << 20;
  constexpr std::size_t window_bytes = std::size_t{16} << 20;  // Of one round: under a millisecond.
  constexpr std::size_t part_bytes = std::size_t{1} << 20;
  constexpr std::size_t steps = 2000;  // About 10 microseconds.
  constexpr std::size_t parts_each = 8;
  const PeakLoops& loops = peak_loops(context.set);
  const std::size_t threads = context.threads == nullptr ? 1 : context.threads->threads();
  const std::size_t loop_parts = parts_each * threads;
  const auto work = static_cast<double>(loop_parts * steps);
  Buffer memory = TRY(Buffer::make(memory_bytes));
  // Memory that nobody has written is one page of zeros read again and again.
  run_parts(context, memory_bytes / part_bytes, [&](std::size_t part, std::size_t) {
    std::fill_n(memory.data() + part * part_bytes, part_bytes, std::byte{1});
  });
  MachinePeaks peaks;
  std::size_t window = 0;
  peaks.read_bytes = best_rate(seconds_each, window_bytes, [&] {
    const std::byte* start = memory.data() + window;
    run_parts(context, window_bytes / part_bytes, [&](std::size_t part, std::size_t) {
      loops.read(start + part * part_bytes, part_bytes);
    });
    window = (window + window_bytes) % memory_bytes;
  });
  peaks.int8_operations = best_rate(seconds_each, work * loops.int8_operations, [&] {
    run_parts(context, loop_parts, [&](std::size_t, std::size_t) { loops.int8(steps); });
  });
  peaks.float_operations = best_rate(seconds_each, work * loops.f32_operations, [&] {
    run_parts(context, loop_parts, [&](std::size_t, std::size_t) { loops.f32(steps); });
  });
  return peaks;
}

}  // namespace zhuzi::kernels
