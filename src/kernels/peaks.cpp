#include "kernels/peaks.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/threads.h"
#include "kernels/internal/simd.h"
#include "tensor/buffer.h"

namespace zhuzi::kernels {
namespace {

constexpr std::size_t read_bytes = std::size_t{256} << 20;
constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr int rounds = 5;
constexpr int chains = 12;
constexpr long steps = 400'000;

struct Loops {
  void (*read)(const std::byte* memory, std::size_t bytes);
  void (*int8)();
  void (*floats)();
  double int8_operations;   ///< Of one call.
  double float_operations;
};

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace {

void read_avx2(const std::byte* memory, std::size_t bytes) {
  __m256i folded[4] = {};
  for (std::size_t i = 0; i + 128 <= bytes; i += 128) {
    ZHUZI_UNROLL for (std::size_t j = 0; j < 4; ++j) {
      const auto* line = reinterpret_cast<const __m256i*>(memory + i + 32 * j);
      folded[j] = _mm256_xor_si256(folded[j], _mm256_load_si256(line));
    }
  }
  ZHUZI_UNROLL for (int j = 0; j < 4; ++j) asm volatile("" ::"x"(folded[j]));
}

/// Twelve chains that the compiler cannot know to be equal; else it computes one.
void int8_avx2() {
  __m256i sum[chains] = {};
  __m256i weight = _mm256_set1_epi8(3);
  const __m256i ones = _mm256_set1_epi16(1);
  ZHUZI_UNROLL for (int j = 0; j < chains; ++j) asm volatile("" : "+x"(sum[j]));
  for (long i = 0; i < steps; ++i) {
    ZHUZI_UNROLL for (int j = 0; j < chains; ++j) {
      asm volatile("" : "+x"(weight));
      const __m256i pairs = _mm256_maddubs_epi16(weight, weight);
      sum[j] = _mm256_add_epi32(sum[j], _mm256_madd_epi16(pairs, ones));
    }
  }
  ZHUZI_UNROLL for (int j = 0; j < chains; ++j) asm volatile("" ::"x"(sum[j]));
}

void floats_avx2() {
  __m256 sum[chains] = {};
  __m256 weight = _mm256_set1_ps(1e-9f);
  ZHUZI_UNROLL for (int j = 0; j < chains; ++j) asm volatile("" : "+x"(sum[j]));
  for (long i = 0; i < steps; ++i) {
    asm volatile("" : "+x"(weight));
    ZHUZI_UNROLL for (int j = 0; j < chains; ++j) sum[j] = _mm256_fmadd_ps(weight, weight, sum[j]);
  }
  ZHUZI_UNROLL for (int j = 0; j < chains; ++j) asm volatile("" ::"x"(sum[j]));
}

}  // namespace
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vl,avx512vnni,fma")
namespace {

void read_avx512(const std::byte* memory, std::size_t bytes) {
  __m512i folded[4] = {};
  for (std::size_t i = 0; i + 256 <= bytes; i += 256) {
    ZHUZI_UNROLL for (std::size_t j = 0; j < 4; ++j) {
      folded[j] = _mm512_xor_si512(folded[j], _mm512_load_si512(memory + i + 64 * j));
    }
  }
  ZHUZI_UNROLL for (int j = 0; j < 4; ++j) asm volatile("" ::"v"(folded[j]));
}

void int8_avx512() {
  __m512i sum[chains] = {};
  __m512i weight = _mm512_set1_epi8(3);
  ZHUZI_UNROLL for (int j = 0; j < chains; ++j) asm volatile("" : "+v"(sum[j]));
  for (long i = 0; i < steps; ++i) {
    asm volatile("" : "+v"(weight));
    ZHUZI_UNROLL for (int j = 0; j < chains; ++j) {
      sum[j] = _mm512_dpbusd_epi32(sum[j], weight, weight);
    }
  }
  ZHUZI_UNROLL for (int j = 0; j < chains; ++j) asm volatile("" ::"v"(sum[j]));
}

void floats_avx512() {
  __m512 sum[chains] = {};
  __m512 weight = _mm512_set1_ps(1e-9f);
  ZHUZI_UNROLL for (int j = 0; j < chains; ++j) asm volatile("" : "+v"(sum[j]));
  for (long i = 0; i < steps; ++i) {
    asm volatile("" : "+v"(weight));
    ZHUZI_UNROLL for (int j = 0; j < chains; ++j) sum[j] = _mm512_fmadd_ps(weight, weight, sum[j]);
  }
  ZHUZI_UNROLL for (int j = 0; j < chains; ++j) asm volatile("" ::"v"(sum[j]));
}

}  // namespace
#pragma GCC pop_options

namespace {

Loops loops_for(InstructionSet set) {
  constexpr double calls = static_cast<double>(chains) * static_cast<double>(steps);
  if (set == InstructionSet::avx512) {
    return {read_avx512, int8_avx512, floats_avx512, 128 * calls, 32 * calls};
  }
  return {read_avx2, int8_avx2, floats_avx2, 64 * calls, 16 * calls};
}

}  // namespace

Result<MachinePeaks> measure_peaks(const OpContext& context) {
  if (!is_supported(InstructionSet::avx2)) {
    return fail(ErrorCode::unsupported, "peaks are measured with AVX2, which this machine has not");
  }
  const Loops loops = loops_for(context.set);
  Buffer memory = TRY(Buffer::make(read_bytes));
  std::memset(memory.data(), 1, memory.size());
  const auto threads = static_cast<double>(context.threads->threads());
  MachinePeaks peaks;
  for (int round = 0; round < rounds; ++round) {
    const double read = seconds_of([&] {
      context.threads->run(read_bytes / piece_bytes, [&](std::size_t part, std::size_t) {
        loops.read(memory.data() + part * piece_bytes, piece_bytes);
      });
    });
    // One part for each thread: a part is long, so each thread takes one.
    const double int8 = seconds_of([&] {
      context.threads->run(context.threads->threads(), [&](std::size_t, std::size_t) { loops.int8(); });
    });
    const double floats = seconds_of([&] {
      context.threads->run(context.threads->threads(), [&](std::size_t, std::size_t) { loops.floats(); });
    });
    peaks.read_bytes = std::max(peaks.read_bytes, static_cast<double>(read_bytes) / read);
    peaks.int8_operations = std::max(peaks.int8_operations, threads * loops.int8_operations / int8);
    peaks.float_operations = std::max(peaks.float_operations, threads * loops.float_operations / floats);
  }
  return peaks;
}

}  // namespace zhuzi::kernels
