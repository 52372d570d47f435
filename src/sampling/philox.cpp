// Philox4x32-10: ten rounds of two 32x32 products, keys raised by fixed steps (Salmon, Moraes,
// Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3. SC 2011). Integers only: the same
// everywhere.
#include "sampling/philox.h"

namespace zhuzi {
namespace {

constexpr std::uint64_t multiplier_0 = 0xD2511F53;
constexpr std::uint64_t multiplier_1 = 0xCD9E8D57;
constexpr PhiloxKey key_step{0x9E3779B9, 0xBB67AE85};
constexpr int rounds = 10;

constexpr std::uint32_t low(std::uint64_t product) { return static_cast<std::uint32_t>(product); }
constexpr std::uint32_t high(std::uint64_t product) {
  return static_cast<std::uint32_t>(product >> 32);
}

}  // namespace

PhiloxCounter philox4x32_10(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t product_0 = multiplier_0 * counter[0];
    const std::uint64_t product_1 = multiplier_1 * counter[2];
    counter = {high(product_1) ^ counter[1] ^ key[0], low(product_1),
               high(product_0) ^ counter[3] ^ key[1], low(product_0)};
    key[0] += key_step[0];
    key[1] += key_step[1];
  }
  return counter;
}

double needle(std::uint64_t seed, std::uint32_t position, std::uint32_t choice,
              std::uint32_t stage) {
  const PhiloxCounter words = philox4x32_10({position, choice, stage, 0}, {low(seed), high(seed)});
  const std::uint64_t bits_53 = (std::uint64_t{words[0]} << 21) | (words[1] >> 11);
  return static_cast<double>(bits_53) * 0x1p-53;
}

}  // namespace zhuzi
