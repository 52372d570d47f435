// Rotary position embedding (Su et al. 2021): tables in double, rounded once; rotation by halves.
//
// The binder has undone every other pairing by permuting rows of Wq and Wk, so here pair i of a
// head is always (x[i], x[i + dims/2]).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "kernels/isa.h"
#include "kernels/rows.h"
#include "tensor/buffer.h"

namespace zhuzi::kernels {

/// cos and sin of position * frequency, each times `magnitude`, for all positions of the context.
/// Filled in stretches of 256 positions when they are first needed: a value is a function of its
/// position alone, so when it is computed changes nothing. Owned by the engine thread.
class RopeTable {
 public:
  /// `frequencies`: dims/2 inverse frequencies in double, scaling already applied; `magnitude`:
  /// YaRN's factor, 1 elsewhere. Address space for the whole context is reserved here, memory is
  /// used as positions are. Error: unsupported, for numbers that no model has; out_of_memory.
  [[nodiscard]] static Result<RopeTable> make(std::vector<double> frequencies, double magnitude,
                                              std::size_t context);

  /// Makes positions 0 .. end-1 ready. No allocation.
  void prepare(std::size_t end);
  [[nodiscard]] std::size_t pairs() const { return frequencies_.size(); }
  /// pairs() cosines, then pairs() sines.
  [[nodiscard]] const float* at(std::size_t position) const;

 private:
  void fill(std::size_t position);

  std::vector<double> frequencies_;
  double magnitude_ = 1;
  std::size_t context_ = 0;
  std::size_t ready_ = 0;
  Buffer values_;
};

/// Rotates the first 2 * table.pairs() values of every head of x in place; the rest of a head
/// passes through. a' = fma(a, c, -(b * s)), b' = fma(b, c, a * s). Positions have been prepared.
void apply_rope(const OpContext& context, Rows x, std::size_t head_length,
                std::span<const std::uint32_t> positions, const RopeTable& table);

}  // namespace zhuzi::kernels
