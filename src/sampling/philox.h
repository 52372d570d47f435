// Philox4x32-10 (Salmon et al. 2011): random numbers as a function of a counter. A draw depends on
// seed, position, choice and stage alone: never on what else the server does.
#pragma once

#include <array>
#include <cstdint>

namespace zhuzi {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;
[[nodiscard]] PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key);

/// The needle of NUMERICS rule 8: key = seed (low, high), counter = (position, choice, stage, 0),
/// u = ((word0 << 21) | (word1 >> 11)) * 2^-53, in [0, 1). `position` is the absolute index of the
/// token being drawn.
[[nodiscard]] double needle(std::uint64_t seed, std::uint32_t position, std::uint32_t choice,
                            std::uint32_t stage = 0);

}  // namespace zhuzi
