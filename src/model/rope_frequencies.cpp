// Each scaling is one overload that changes the plain frequencies theta^(-2i/dims) in place.
#include "model/rope_frequencies.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <variant>

#include "base/math64.h"

namespace zhuzi {
namespace {

constexpr double turn = 2 * std::numbers::pi;

void scale(const NoScaling&, const Rope&, RopeFrequencies&) {}

void scale(const LinearScaling& linear, const Rope&, RopeFrequencies& result) {
  for (double& frequency : result.inverse_frequencies) frequency /= linear.factor;
}

void scale(const Llama3Scaling& blended, const Rope&, RopeFrequencies& result) {
  const double low = blended.low_frequency_factor;
  const double high = blended.high_frequency_factor;
  for (double& frequency : result.inverse_frequencies) {
    const double turns = blended.original_context * frequency / turn;
    // 0: long waves, stretched by the factor; 1: short waves, as they are.
    const double kept = std::clamp((turns - low) / (high - low), 0.0, 1.0);
    frequency = (1 - kept) * (frequency / blended.factor) + kept * frequency;
  }
}

/// The dim (not rounded) whose pair turns `turns` times in the original context.
double dim_of_turns(double turns, const YarnScaling& yarn, const Rope& rope) {
  return static_cast<double>(rope.dims) * math64::log(yarn.original_context / (turns * turn)) /
         (2 * math64::log(rope.theta));
}

void scale(const YarnScaling& yarn, const Rope& rope, RopeFrequencies& result) {
  double first = dim_of_turns(yarn.beta_fast, yarn, rope);
  double last = dim_of_turns(yarn.beta_slow, yarn, rope);
  if (yarn.truncate) {
    first = std::floor(first);
    last = std::ceil(last);
  }
  first = std::max(first, 0.0);
  last = std::min(last, static_cast<double>(rope.dims - 1));
  // A ramp without width is a step: the published code widens it by this much.
  if (first == last) last += 0.001;
  for (std::size_t i = 0; i < result.inverse_frequencies.size(); ++i) {
    double& frequency = result.inverse_frequencies[i];
    const double ramp = std::clamp((static_cast<double>(i) - first) / (last - first), 0.0, 1.0);
    const double kept = 1 - ramp;
    frequency = (frequency / yarn.factor) * (1 - kept) + frequency * kept;
  }
  result.magnitude = yarn.attention_factor;
}

void scale(const FrequencyDivisors& own, const Rope&, RopeFrequencies& result) {
  for (std::size_t i = 0; i < result.inverse_frequencies.size(); ++i) {
    result.inverse_frequencies[i] /= static_cast<double>(own.divisors[i]);
  }
}

}  // namespace

RopeFrequencies rope_frequencies(const Rope& rope) {
  RopeFrequencies result;
  for (std::size_t dim = 0; dim < rope.dims; dim += 2) {
    const double exponent = static_cast<double>(dim) / static_cast<double>(rope.dims);
    result.inverse_frequencies.push_back(math64::pow(rope.theta, -exponent));
  }
  std::visit([&](const auto& scaling) { scale(scaling, rope, result); }, rope.scaling);
  return result;
}

}  // namespace zhuzi
