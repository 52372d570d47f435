// Operations over a row of logits: the maximum, and the sum of exponentials, in an order that can
// be fused with the last product (NUMERICS, rule 2).
#pragma once

#include <cstddef>
#include <span>

#include "kernels/isa.h"

namespace zhuzi::kernels {

inline constexpr std::size_t vocabulary_partition = 1024;

struct Best {
  std::size_t index = 0;  ///< Ties go to the lower index; -0 equals +0.
  float value = 0;
};
/// The largest of a non-empty row without NaN.
[[nodiscard]] Best argmax(const OpContext& context, std::span<const float> values);

/// True when no value is NaN or +inf and at least one is finite (-inf is a masked token).
[[nodiscard]] bool is_valid_logits(const OpContext& context, std::span<const float> values);

/// total = sum of exp((x - maximum) / temperature) over valid logits: partitions of 1,024 ids, each
/// with its own maximum m and 16 lanes inside; the first is taken as it is, the others are merged
/// in ascending order: M' = max(M, m), total = fma(total, exp((M - M') / T), t * exp((m - M') /
/// T)). Partitions of only -inf are skipped; where all are, maximum is -inf and total 0. T > 0.
struct ExponentialSum {
  float maximum = 0;
  float total = 0;
};
[[nodiscard]] ExponentialSum exponential_sum(const OpContext& context,
                                             std::span<const float> values, float temperature);

/// widths[i] = exp((values[i] - maximum) / temperature).
void exponential_widths(const OpContext& context, std::span<const float> values, float maximum,
                        float temperature, std::span<float> widths);

}  // namespace zhuzi::kernels
