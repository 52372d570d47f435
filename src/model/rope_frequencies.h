// Rotary frequencies: what a spec says about positions, as numbers that a table is filled from.
//
// Place in the journey: forward makes its table of cosines and sines from these at load. Computed
// in double by our own functions (base/math64.h), so they are the same bits on every machine.
#pragma once

#include <vector>

#include "model/spec.h"

namespace zhuzi {

struct RopeFrequencies {
  std::vector<double> inverse_frequencies;  ///< Radians per position, one for each pair of dims.
  double magnitude = 1;                     ///< Multiplies cos and sin.
};

/// For a rope that `validate` has passed.
[[nodiscard]] RopeFrequencies rope_frequencies(const Rope& rope);

}  // namespace zhuzi
