// The scalar reference of attention: textbook loops, one query, one key, one dim at a time.
#include <algorithm>
#include <cstring>

#include "kernels/internal/attention_numbers.h"
#include "kernels/internal/attention_task.h"
#include "kernels/internal/format_numbers.h"
#include "kernels/internal/math_definitions.h"
#include "kernels/internal/vec_scalar.h"

namespace zhuzi::kernels {
namespace scalar {
namespace {

using definition::exp_f32;
using definition::fma;

float load(KvFormat format, const std::byte* page, std::size_t i) {
  const std::byte* address = page + i * bytes_of(format);
  switch (format) {
    case KvFormat::f32: return read_from<float>(address);
    case KvFormat::f16: return float_from_half(read_from<std::uint16_t>(address));
    case KvFormat::bf16: return float_from_bfloat16(read_from<std::uint16_t>(address));
  }
  return 0;
}

float score(const TileTask& task, const float* query, std::size_t position) {
  const std::byte* page = task.pages.keys(position / page_tokens);
  float chain = 0;
  for (std::size_t d = 0; d < task.layout.head_length; ++d) {
    const std::size_t place = d * page_tokens + position % page_tokens;
    chain = fma(query[d], load(task.layout.format, page, place), chain);
  }
  const float scaled = chain * task.scale;
  return task.softcap > 0 ? softcapped(scaled, task.softcap) : scaled;
}

void partition(const TileTask& task, std::size_t q) {
  const Visible visible = task.visible[q];
  const std::size_t count = visible.end - visible.first;
  const PartialView& partial = task.partial[q];
  float weight[attention_partition];
  for (std::size_t i = 0; i < count; ++i) {
    weight[i] = score(task, task.query[q], visible.first + i);
  }
  const float maximum = *std::max_element(weight, weight + count);
  Lanes lane{};
  for (std::size_t i = 0; i < count; ++i) {
    weight[i] = exp_f32(weight[i] - maximum);
    lane[(visible.first + i) % lanes] += weight[i];
  }
  for (std::size_t d = 0; d < task.layout.value_length; ++d) {
    float chain = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t position = visible.first + i;
      const std::byte* page = task.pages.values(position / page_tokens);
      const std::size_t place = position % page_tokens * task.layout.value_length + d;
      chain = fma(weight[i], load(task.layout.format, page, place), chain);
    }
    partial.values[d] = chain;
  }
  partial.maximum() = maximum + 0.0f;
  partial.sum() = tree_sum(lane);
}

void tile(const TileTask& task) {
  for (std::size_t q = 0; q < task.queries; ++q) {
    if (!task.visible[q].empty()) partition(task, q);
  }
}

void merge(const MergeArguments& a) {
  for (std::size_t i = 0; i < a.count; ++i) {
    a.out[i] = fma(a.out[i], a.keep, a.values[i] * a.take);
  }
}

void finish(float* out, std::size_t count, float sum) {
  for (std::size_t i = 0; i < count; ++i) out[i] = out[i] / sum + 0.0f;
}

/// The value itself, or zero and a fault.
float storable(KvFormat format, float value, RoundingFaults& faults) {
  if (!(definition::absolute(value) < definition::infinity)) {
    faults.has_not_finite = true;
    return 0;
  }
  const float rounded = format == KvFormat::f16    ? float_from_half(half_from_float(value))
                        : format == KvFormat::bf16 ? float_from_bfloat16(bfloat16_from_float(value))
                                                   : value;
  if (definition::absolute(rounded) < definition::infinity) return value;
  faults.has_overflow = true;
  return 0;
}

RoundingFaults round(KvFormat format, const float* values, std::size_t count, std::byte* codes) {
  RoundingFaults faults;
  for (std::size_t i = 0; i < count; ++i) {
    const float value = storable(format, values[i], faults);
    if (format == KvFormat::f32) {
      std::memcpy(codes + i * sizeof(value), &value, sizeof(value));
    } else {
      const std::uint16_t code =
          format == KvFormat::f16 ? half_from_float(value) : bfloat16_from_float(value);
      std::memcpy(codes + i * sizeof(code), &code, sizeof(code));
    }
  }
  return faults;
}

constexpr AttentionFunctions functions{
    .tile = tile, .merge = merge, .finish = finish, .round = round};

}  // namespace
}  // namespace scalar

const AttentionFunctions& scalar_attention() { return scalar::functions; }

}  // namespace zhuzi::kernels
