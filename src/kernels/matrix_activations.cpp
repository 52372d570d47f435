// Activations as the formats read them: quantized to int8 groups (NUMERICS, rule 6), or the floats
// themselves.
//
// Invariant: a row's groups are a function of that row alone, and every step below is one IEEE
// operation on one value or exact integer work, so the vectors that the compiler makes of it for
// each instruction set cannot change a bit.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "base/threads.h"
#include "kernels/internal/simd.h"
#include "kernels/matrix.h"

namespace zhuzi::kernels {
namespace {

constexpr std::uint32_t infinity_bits = 0x7f800000;
constexpr float smallest_normal = 0x1p-126f;

/// Rounds |value| < 2^22 half to even: adding 1.5 * 2^23 leaves no room for a fraction.
[[gnu::always_inline]] inline float round_half_even(float value) {
  constexpr float shift = 0x1.8p23f;
  return (value + shift) - shift;
}

/// The bits of max|x|. Bit patterns of non-negative floats are ordered like the floats, and NaN
/// sorts above infinity, so one maximum finds the scale and everything that is not finite.
[[gnu::always_inline]] inline std::uint32_t maximum_magnitude_bits(const float* values) {
  std::int32_t maximum = 0;
  for (std::size_t i = 0; i < group_length; ++i) {
    const auto bits = std::bit_cast<std::int32_t>(values[i]) & 0x7fffffff;
    maximum = std::max(maximum, bits);
  }
  return static_cast<std::uint32_t>(maximum);
}

[[gnu::always_inline]] inline void quantize_group(const float* values, float maximum,
                                                  ActivationGroup& group) {
  const float scale = maximum / 127.0f;
  const bool counts_as_zero = scale < smallest_normal;
  const float inverse = counts_as_zero ? 0.0f : 127.0f / maximum;
  std::int32_t codes[group_length];
  for (std::size_t i = 0; i < group_length; ++i) {
    codes[i] = static_cast<std::int32_t>(round_half_even(values[i] * inverse));
  }
  std::int32_t sums[2] = {0, 0};
  for (std::size_t i = 0; i < 16; ++i) {
    sums[0] += codes[i];
    sums[1] += codes[i + 16];
  }
  for (std::size_t i = 0; i < group_length; ++i) {
    group.codes[i] = static_cast<std::int8_t>(codes[i]);
  }
  group.scale = counts_as_zero ? 0.0f : scale;
  group.scaled_sum = group.scale * static_cast<float>(sums[0] + sums[1]);
  group.half_sums[0] = static_cast<std::int16_t>(sums[0]);
  group.half_sums[1] = static_cast<std::int16_t>(sums[1]);
}

/// One text, compiled once for each instruction set below. False when a value is not finite.
[[gnu::always_inline]] inline bool quantize_groups(const float* values, std::size_t groups,
                                                   ActivationGroup* row) {
  for (std::size_t g = 0; g < groups; ++g, values += group_length) {
    const std::uint32_t bits = maximum_magnitude_bits(values);
    if (bits >= infinity_bits) return false;
    quantize_group(values, std::bit_cast<float>(bits), row[g]);
  }
  return true;
}

bool quantize_scalar(const float* values, std::size_t groups, ActivationGroup* row) {
  return quantize_groups(values, groups, row);
}
ZHUZI_AVX2_REGION
bool quantize_avx2(const float* values, std::size_t groups, ActivationGroup* row) {
  return quantize_groups(values, groups, row);
}
ZHUZI_END_REGION
ZHUZI_AVX512_REGION
bool quantize_avx512(const float* values, std::size_t groups, ActivationGroup* row) {
  return quantize_groups(values, groups, row);
}
ZHUZI_END_REGION

using QuantizeFunction = bool (*)(const float*, std::size_t, ActivationGroup*);
constexpr std::array<QuantizeFunction, instruction_sets> quantize_functions{
    quantize_scalar, quantize_avx2, quantize_avx512};

}  // namespace

std::size_t quantized_bytes(std::size_t rows, std::size_t columns) {
  return rows * (columns / group_length) * sizeof(ActivationGroup);
}

Activations quantize_rows(const OpContext& context, ConstRows x, std::span<std::byte> storage,
                          std::span<RowFault> faults) {
  check(x.columns % group_length == 0 && x.columns > 0, "columns are a multiple of 32");
  check(faults.size() == x.rows, "a fault for each row");
  const std::size_t row_bytes = quantized_bytes(1, x.columns);
  check(storage.size() >= x.rows * row_bytes, "room for the groups of all rows");
  const QuantizeFunction quantize = quantize_functions[static_cast<std::size_t>(context.set)];
  const auto quantize_row = [&](std::size_t r) {
    std::byte* groups = storage.data() + r * row_bytes;
    if (quantize(x.row(r), x.columns / group_length, reinterpret_cast<ActivationGroup*>(groups))) {
      return;
    }
    std::memset(groups, 0, row_bytes);
    if (faults[r] == RowFault::none) faults[r] = RowFault::not_finite;
  };
  // About 5 microseconds of work for each part: a value costs a third of a nanosecond.
  constexpr std::size_t part_values = 16 * 1024;
  const std::size_t each = std::max<std::size_t>(1, part_values / x.columns);
  const std::size_t parts = (x.rows + each - 1) / each;
  const auto quantize_part = [&](std::size_t part, std::size_t) {
    const std::size_t last = std::min(x.rows, (part + 1) * each);
    for (std::size_t r = part * each; r < last; ++r) quantize_row(r);
  };
  if (context.threads != nullptr) {
    context.threads->run(parts, quantize_part);
  } else {
    for (std::size_t part = 0; part < parts; ++part) quantize_part(part, 0);
  }
  return {.kind = ActivationKind::int8_groups,
          .data = storage.data(),
          .row_bytes = row_bytes,
          .rows = x.rows,
          .columns = x.columns};
}

Activations float_rows(ConstRows x) {
  check(x.stride >= padded(x.columns), "rows are padded to whole groups");
  return {.kind = ActivationKind::float_values,
          .data = reinterpret_cast<const std::byte*>(x.data),
          .row_bytes = x.stride * sizeof(float),
          .rows = x.rows,
          .columns = x.columns};
}

}  // namespace zhuzi::kernels
