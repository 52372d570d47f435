// Operations over a row of logits: the partitions, their merging, and the scalar reference of what
// happens inside one. The vector text is internal/vec_vocabulary.h.
#include "kernels/vocabulary.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "kernels/internal/math_definitions.h"
#include "kernels/internal/simd.h"
#include "kernels/internal/vec_scalar.h"
#include "kernels/internal/vec_split.h"
#include "kernels/internal/vec_vocabulary_functions.h"
#include "kernels/math.h"

namespace zhuzi::kernels {
namespace scalar {
namespace {

float maximum(const float* values, std::size_t count) {
  return *std::max_element(values, values + count) + 0.0f;
}

bool is_valid(const float* values, std::size_t count) {
  bool has_finite = false;
  for (std::size_t i = 0; i < count; ++i) {
    if (!(values[i] < definition::infinity)) return false;
    has_finite = has_finite || values[i] > -definition::infinity;
  }
  return has_finite;
}

float width(const WidthArguments& a, std::size_t i) {
  return definition::exp_f32((a.values[i] - a.maximum) / a.temperature);
}

float width_sum(const WidthArguments& a) {
  Lanes lane{};
  for (std::size_t i = 0; i < a.count; ++i) lane[i % lanes] += width(a, i);
  return tree_sum(lane);
}

void widths(const WidthArguments& a, float* out) {
  for (std::size_t i = 0; i < a.count; ++i) out[i] = width(a, i);
}

constexpr VocabularyFunctions functions{
    .maximum = maximum, .is_valid = is_valid, .width_sum = width_sum, .widths = widths};

}  // namespace
}  // namespace scalar

ZHUZI_AVX2_REGION
namespace avx2 {
namespace {

#include "kernels/internal/vec_avx2.h"

#include "kernels/internal/math_vectors.h"

#include "kernels/internal/vec_vocabulary.h"

}  // namespace
}  // namespace avx2
ZHUZI_END_REGION

ZHUZI_AVX512_REGION
namespace avx512 {
namespace {

#include "kernels/internal/vec_avx512.h"

#include "kernels/internal/math_vectors.h"

#include "kernels/internal/vec_vocabulary.h"

}  // namespace
}  // namespace avx512
ZHUZI_END_REGION

namespace {

constexpr std::array<VocabularyFunctions, instruction_sets> vocabulary_functions{
    scalar::functions, avx2::functions, avx512::functions};

/// Calls `function(index of the first value, values of the partition)` in ascending order.
template <typename Function>
void for_partitions(std::span<const float> values, Function&& function) {
  for (std::size_t first = 0; first < values.size(); first += vocabulary_partition) {
    const std::size_t count = std::min(vocabulary_partition, values.size() - first);
    function(first, values.subspan(first, count));
  }
}

/// M' = max(M, m); total = fma(total, exp((M - M') / T), t * exp((m - M') / T)).
void merge(ExponentialSum& sum, const ExponentialSum& part, float temperature) {
  const float maximum = std::max(sum.maximum, part.maximum);
  const float keep = exp_f32((sum.maximum - maximum) / temperature);
  const float take = exp_f32((part.maximum - maximum) / temperature);
  sum = {.maximum = maximum, .total = definition::fma(sum.total, keep, part.total * take)};
}

}  // namespace

// The maximum of a partition first; only inside the best partition is its place looked for.
Best argmax(const OpContext& context, std::span<const float> values) {
  check(!values.empty(), "argmax: at least one value");
  const auto maximum = for_set(vocabulary_functions, context.set).maximum;
  Best best{.index = 0, .value = -definition::infinity};
  for_partitions(values, [&](std::size_t first, std::span<const float> partition) {
    const float value = maximum(partition.data(), partition.size());
    if (value > best.value) best = {.index = first, .value = value};
  });
  while (values[best.index] != best.value && best.index + 1 < values.size()) ++best.index;
  best.value = values[best.index];
  return best;
}

bool is_valid_logits(const OpContext& context, std::span<const float> values) {
  return for_set(vocabulary_functions, context.set).is_valid(values.data(), values.size());
}

ExponentialSum exponential_sum(const OpContext& context, std::span<const float> values,
                               float temperature) {
  const VocabularyFunctions& functions = for_set(vocabulary_functions, context.set);
  ExponentialSum sum{.maximum = -definition::infinity, .total = 0};
  for_partitions(values, [&](std::size_t, std::span<const float> partition) {
    const float maximum = functions.maximum(partition.data(), partition.size());
    if (maximum == -definition::infinity) return;
    const ExponentialSum part{.maximum = maximum,
                              .total = functions.width_sum({.values = partition.data(),
                                                            .count = partition.size(),
                                                            .maximum = maximum,
                                                            .temperature = temperature})};
    if (sum.maximum == -definition::infinity) {
      sum = part;
    } else {
      merge(sum, part, temperature);
    }
  });
  return sum;
}

void exponential_widths(const OpContext& context, std::span<const float> values, float maximum,
                        float temperature, std::span<float> widths) {
  check(widths.size() == values.size(), "exponential_widths: equal lengths");
  for_set(vocabulary_functions, context.set)
      .widths({.values = values.data(),
               .count = values.size(),
               .maximum = maximum,
               .temperature = temperature},
              widths.data());
}

}  // namespace zhuzi::kernels
