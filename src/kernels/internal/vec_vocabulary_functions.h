// What vocabulary.cpp needs of each instruction set.
#pragma once

#include <cstddef>

namespace zhuzi::kernels {

/// exp((x - maximum) / temperature) of each value.
struct WidthArguments {
  const float* values;
  std::size_t count;
  float maximum;
  float temperature;
};

struct VocabularyFunctions {
  /// The largest of the values; -0 comes back as +0, because lanes would disagree.
  float (*maximum)(const float* values, std::size_t count);
  bool (*is_valid)(const float* values, std::size_t count);
  /// Value i goes into lane i mod 16, ascending; tree 8-4-2-1.
  float (*width_sum)(const WidthArguments&);
  void (*widths)(const WidthArguments&, float* out);
};

}  // namespace zhuzi::kernels
