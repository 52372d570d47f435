// The rotary table and the rotation: table in double, walk over rows, scalar reference. The vector
// text is internal/vec_rope.h.
#include "kernels/rope.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "kernels/internal/math_definitions.h"
#include "kernels/internal/simd.h"
#include "kernels/internal/vec_split.h"
#include "kernels/math.h"

namespace zhuzi::kernels {
namespace {

constexpr std::size_t stretch_positions = 256;
constexpr std::size_t pairs_max = 1 << 16;
constexpr double angle_max = 1e9;  ///< What sincos_f64 takes.

/// One head, its pairs' cosines and sines.
using Rotate = void (*)(float* head, const float* cosines, const float* sines, std::size_t pairs);

}  // namespace

namespace scalar {
namespace {

void rotate(float* head, const float* cosines, const float* sines, std::size_t pairs) {
  for (std::size_t i = 0; i < pairs; ++i) {
    const float a = head[i];
    const float b = head[i + pairs];
    head[i] = definition::fma(a, cosines[i], -(b * sines[i]));
    head[i + pairs] = definition::fma(b, cosines[i], a * sines[i]);
  }
}

}  // namespace
}  // namespace scalar

ZHUZI_AVX2_REGION
namespace avx2 {
namespace {

#include "kernels/internal/vec_avx2.h"

#include "kernels/internal/vec_rope.h"

}  // namespace
}  // namespace avx2
ZHUZI_END_REGION

ZHUZI_AVX512_REGION
namespace avx512 {
namespace {

#include "kernels/internal/vec_avx512.h"

#include "kernels/internal/vec_rope.h"

}  // namespace
}  // namespace avx512
ZHUZI_END_REGION

namespace {

constexpr std::array<Rotate, instruction_sets> rotate{scalar::rotate, avx2::rotate, avx512::rotate};

}  // namespace

Result<RopeTable> RopeTable::make(std::vector<double> frequencies, double magnitude,
                                  std::size_t context) {
  if (frequencies.empty() || frequencies.size() > pairs_max) {
    return fail(ErrorCode::unsupported, "rotary embedding over {} pairs; 1 to {} are supported",
                frequencies.size(), pairs_max);
  }
  for (const double frequency : frequencies) {
    if (!(std::fabs(frequency) * static_cast<double>(context) <= angle_max)) {
      return fail(ErrorCode::unsupported,
                  "the rotary frequency {} is too large for a context of {} tokens", frequency,
                  context);
    }
  }
  if (!(std::fabs(magnitude) < angle_max)) {
    return fail(ErrorCode::unsupported, "the rotary magnitude {} is no sensible number", magnitude);
  }
  RopeTable table;
  table.values_ = TRY(Buffer::make(context * 2 * frequencies.size() * sizeof(float)));
  table.frequencies_ = std::move(frequencies);
  table.magnitude_ = magnitude;
  table.context_ = context;
  return table;
}

void RopeTable::prepare(std::size_t end) {
  check(end <= context_, "rope: positions lie in the context");
  while (ready_ < end) {
    const std::size_t stretch_end = std::min(ready_ + stretch_positions, context_);
    for (; ready_ < stretch_end; ++ready_) fill(ready_);
  }
}

void RopeTable::fill(std::size_t position) {
  float* cosines = values_.floats().data() + position * 2 * pairs();
  float* sines = cosines + pairs();
  for (std::size_t i = 0; i < pairs(); ++i) {
    const SinCos value = sincos_f64(static_cast<double>(position) * frequencies_[i]);
    cosines[i] = static_cast<float>(value.cosine * magnitude_);
    sines[i] = static_cast<float>(value.sine * magnitude_);
  }
}

const float* RopeTable::at(std::size_t position) const {
  check(position < ready_, "rope: the position has been prepared");
  return reinterpret_cast<const float*>(values_.data()) + position * 2 * pairs();
}

void apply_rope(const OpContext& context, Rows x, std::size_t head_length,
                std::span<const std::uint32_t> positions, const RopeTable& table) {
  const std::size_t pairs = table.pairs();
  check(head_length >= 2 * pairs && x.columns % head_length == 0, "rope: whole heads");
  check(positions.size() == x.rows, "rope: a position for each row");
  const Rotate function = for_set(rotate, context.set);
  for_rows(context, x.rows, x.columns, [&](std::size_t r) {
    const float* cosines = table.at(positions[r]);
    for (float* head = x.row(r); head < x.row(r) + x.columns; head += head_length) {
      function(head, cosines, cosines + pairs, pairs);
    }
  });
}

}  // namespace zhuzi::kernels
