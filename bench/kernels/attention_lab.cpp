// The attention laboratory: how much of this machine's f32 peak attention reaches, and what a value
// of a norm, an activation, a row of logits costs. The peak is measured in the same run.
//
//   attention_lab [threads]
//
// Each number is the best of several runs: other programs only ever add time.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/threads.h"
#include "kernels/ops.h"
#include "kernels/peaks.h"

namespace zhuzi::kernels {
namespace {

/// The best time of `function` in seconds.
template <typename Function>
double seconds(Function&& function) {
  using Clock = std::chrono::steady_clock;
  double best = 1e9;
  for (int i = 0; i < 25; ++i) {
    const Clock::time_point start = Clock::now();
    function();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

/// Some finite numbers.
std::vector<float> numbers(std::size_t count) {
  std::vector<float> values(count);
  std::uint32_t state = 1;
  for (float& x : values) {
    state = state * 1664525 + 1013904223;
    x = static_cast<float>(state >> 8) * 0x1p-23f - 1.0f;
  }
  return values;
}

// SmolLM2-135M.
constexpr std::size_t heads = 9;
constexpr std::size_t kv_heads = 3;
constexpr std::size_t head_length = 64;

/// The last `rows` rows of a context.
void measure_attention(const OpContext& context, KvFormat format, std::size_t rows,
                       std::size_t length, double peak) {
  const KvLayout layout{.format = format,
                        .layers = 1,
                        .kv_heads = kv_heads,
                        .head_length = head_length,
                        .value_length = head_length};
  std::vector<BlockId> blocks(length / page_tokens + 1);
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = static_cast<BlockId>(i);
  std::vector<std::byte> memory(blocks.size() * layout.block_bytes());
  const KvPool pool{.layout = layout, .data = memory.data(), .blocks = blocks.size()};
  std::vector<RowPlace> places(length);
  for (std::size_t i = 0; i < length; ++i) {
    places[i] = {.blocks = blocks, .position = static_cast<std::uint32_t>(i)};
  }
  const std::vector<float> kv = numbers(length * kv_heads * head_length);
  const ConstRows kv_rows(kv.data(), kv_heads * head_length, length, kv_heads * head_length);
  std::vector<RowFault> faults(length);
  const double store_time =
      seconds([&] { store_kv(context, pool, 0, kv_rows, kv_rows, places, faults); });

  const std::size_t width = heads * head_length;
  const std::vector<float> q = numbers(rows * width);
  std::vector<float> out(rows * width);
  std::vector<std::byte> scratch(
      attention_scratch_bytes(layout, heads, rows, length, context.threads->threads()));
  const AttentionShape shape{.heads = heads, .scale = 0.125f};
  const double time = seconds([&] {
    attend(context, pool, 0, shape, ConstRows(q.data(), width, rows, width),
           std::span(places).last(rows), Rows{out.data(), width, rows, width}, scratch);
  });
  double work = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    work += static_cast<double>((length - r) * heads * 2 * head_length);
  }
  fmt::print("attention {:4} rows of {:5}, {:4}: {:8.1f} us, {:.2f} of peak; store {:.1f} us\n",
             rows, length, name_of(format), time * 1e6, work / time / peak, store_time * 1e6);
}

void measure_rows(const OpContext& context) {
  constexpr std::size_t rows = 16;
  constexpr std::size_t columns = 1536;
  std::vector<float> x = numbers(rows * columns);
  const std::vector<float> y = numbers(rows * columns);
  std::vector<float> out(rows * columns);
  const ConstRows in(x.data(), columns, rows, columns);
  const ConstRows factor(y.data(), columns, rows, columns);
  const Rows result{out.data(), columns, rows, columns};
  const auto print = [&](std::string_view name, double time) {
    fmt::print("{:18} {:.3f} ns/value\n", name, time * 1e9 / (rows * columns));
  };
  print("rms_norm",
        seconds([&] { rms_norm(context, in, std::span(y).first(columns), 1e-5f, result); }));
  print("silu, gated",
        seconds([&] { gated_activation(context, Activation::silu, in, factor, result); }));
  print("gelu_tanh, gated",
        seconds([&] { gated_activation(context, Activation::gelu_tanh, in, factor, result); }));
  print("gelu_erf, gated",
        seconds([&] { gated_activation(context, Activation::gelu_erf, in, factor, result); }));
  print("softcap", seconds([&] { softcap(context, result, 30.0f); }));
  print("add", seconds([&] { add(context, result, factor); }));
}

void measure_logits(const OpContext& context) {
  const std::vector<float> logits = numbers(151'936);
  std::vector<float> widths(logits.size());
  volatile float sink = 0;
  const auto print = [](std::string_view name, double time) {
    fmt::print("{:18} {:.1f} us for 151936 logits\n", name, time * 1e6);
  };
  print("argmax", seconds([&] { sink = argmax(context, logits).value; }));
  print("is_valid_logits", seconds([&] { sink = is_valid_logits(context, logits) ? 1.0f : 0.0f; }));
  print("exponential_sum", seconds([&] { sink = exponential_sum(context, logits, 0.7f).total; }));
  print("widths", seconds([&] { exponential_widths(context, logits, 1, 0.7f, widths); }));
}

void measure_rope() {
  std::vector<double> frequencies(32);
  for (std::size_t i = 0; i < 32; ++i) frequencies[i] = 1.0 / static_cast<double>(1 + 300 * i);
  const double time = seconds([&] {
    auto table = RopeTable::make(frequencies, 1, 8192);
    if (table.has_value()) table->prepare(8192);
  });
  fmt::print("rope table, 8192 positions of 32 pairs: {:.1f} ms\n", time * 1e3);
}

void measure(InstructionSet set, std::size_t threads) {
  ThreadPool pool(threads);
  const OpContext context{.threads = &pool, .set = set};
  const auto peaks = measure_peaks(context);
  if (!peaks.has_value()) return;
  const double peak = peaks->float_operations / 2;
  fmt::print("\n{}, {} threads; f32 peak {:.1f} GFMA/s\n", name_of(set), threads, peak * 1e-9);
  measure_attention(context, KvFormat::f16, 512, 512, peak);
  measure_attention(context, KvFormat::f32, 512, 512, peak);
  measure_attention(context, KvFormat::bf16, 512, 512, peak);
  measure_attention(context, KvFormat::f16, 512, 4096, peak);
  for (const std::size_t length : {100, 1000, 8192}) {
    measure_attention(context, KvFormat::f16, 1, length, peak);
  }
  measure_rows(context);
  measure_logits(context);
}

}  // namespace
}  // namespace zhuzi::kernels

int main(int argc, char** argv) {
  std::size_t threads = 1;
  if (argc > 1) std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), threads);
  if (threads < 1) threads = 1;
  for (const auto set : zhuzi::kernels::all_instruction_sets) {
    if (set == zhuzi::kernels::InstructionSet::scalar || !zhuzi::kernels::is_supported(set))
      continue;
    zhuzi::kernels::measure(set, threads);
  }
  zhuzi::kernels::measure_rope();
  return 0;
}
