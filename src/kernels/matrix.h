// The matrix product: weights in panels, activations in rows, one answer.
//
// Place in the journey: the binder's tensors are repacked once at load; in a step, forward
// quantizes the rows of activations and multiplies. Nothing here allocates or locks.
//
// A weight matrix W[N x K] is cut into panels of 16 output rows. A SIMD lane is an output row:
//
//            K ->
//        +--------------------------+           panel 0       panel 1       ...
//   N  0 | row 0                    |        [group 0]..[K/32-1] [group 0]..[K/32-1]
//   |    | ...                      | panel 0    |
//   v 15 | row 15                   |            v  each group holds, for all 16 lanes, 32 weights
//        +--------------------------+
//     16 | row 16                   |        A last panel with fewer than 16 rows, and for float
//        | ...                      |        formats a last group with fewer than 32 columns, is
//                                            filled with zero weights.
//
// Invariant (NUMERICS, rule 1): an output is one chain of fma over the groups in ascending order, a
// function of one weight row and one activation row alone; hence the same bits for every tile size,
// panel split, thread count and instruction set.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/isa.h"
#include "kernels/rows.h"
#include "tensor/element.h"

namespace zhuzi::kernels {

inline constexpr std::size_t panel_rows = 16;
inline constexpr std::size_t group_length = 32;

/// 32 activations as int8, with everything a weight format may ask about them. A row of K values is
/// K/32 of these; 44 = 4 * 11 bytes, so rows of a power-of-two K do not share cache sets.
///
///   byte 0                              32       36           40            44
///        [32 int8 codes, -127 .. 127]   [scale]  [scaled_sum]  [half_sums]
struct ActivationGroup {
  std::int8_t codes[group_length];
  float scale;                ///< max|x| / 127; x is about scale * code.
  float scaled_sum;           ///< scale * float(sum of codes): factor of a format's minimum term.
  std::int16_t half_sums[2];  ///< Sums of codes 0..15 and 16..31: what an offset of the weights (a
                              ///< code stored as q + 128) or a scale for every 16 weights asks for.
};
static_assert(sizeof(ActivationGroup) == 44 && alignof(ActivationGroup) == 4);

/// How a weight format wants its activations.
enum class ActivationKind : std::uint8_t { int8_groups, float_values };

/// A format's table entry; private to kernels (internal/format.h).
struct Format;

/// The format that computes with tensors of this type; nullptr where there is none.
[[nodiscard]] const Format* format_for(ElementType type);
[[nodiscard]] std::span<const ElementType> computable_types();
[[nodiscard]] ActivationKind activation_kind(const Format& format);
[[nodiscard]] std::string_view name_of(const Format& format);

/// W[rows x columns] in panels; borrowed memory, aligned to 64 bytes.
struct PanelMatrix {
  const Format* format = nullptr;
  const std::byte* panels = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
};
[[nodiscard]] constexpr std::size_t panel_count(std::size_t rows) {
  return (rows + panel_rows - 1) / panel_rows;
}
/// Bytes of one panel: a multiple of 64.
[[nodiscard]] std::size_t panel_bytes(const Format& format, std::size_t columns);

/// Rows of a model file's blocks, each found by a function of its number: the binder has permuted
/// or cut rows without moving them.
struct PackSource {
  const std::byte* data = nullptr;
  std::size_t row_bytes = 0;  ///< Bytes of one row in the file.
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::span<const std::uint32_t> order;  ///< Where not empty: output row i is file row order[i].
};
/// Repacks into panel_count(rows) * panel_bytes bytes, in parallel. Returns false when a scale or a
/// float weight is not finite.
[[nodiscard]] bool pack(const OpContext& context, const Format& format, const PackSource& source,
                        std::span<std::byte> panels);

/// Activations as a format reads them. int8_groups: `data` is rows of ActivationGroup, K/32 each.
/// float_values: `data` is rows of floats, zero beyond K up to padded(K).
struct Activations {
  ActivationKind kind = ActivationKind::float_values;
  const std::byte* data = nullptr;
  std::size_t row_bytes = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
};

/// Bytes of `rows` rows of K values as int8 groups.
[[nodiscard]] std::size_t quantized_bytes(std::size_t rows, std::size_t columns);

/// Rows of x in int8 groups (NUMERICS, rule 6), written to `storage` of quantized_bytes. Columns
/// are a multiple of 32. A row with a value that is not finite raises its fault and gets zero
/// codes.
[[nodiscard]] Activations quantize_rows(const OpContext& context, ConstRows x,
                                        std::span<std::byte> storage, std::span<RowFault> faults);
/// The floats themselves, for float formats. Rows have stride >= padded(columns), zero behind.
[[nodiscard]] Activations float_rows(ConstRows x);

/// y[m][n] = sum over k of x[m][k] * W[n][k]. y has room for panel_count * 16 columns in its
/// stride; the columns beyond N become zero. `x.kind` is the format's activation kind.
void multiply(const OpContext& context, const PanelMatrix& weights, const Activations& x, Rows y);

/// Row `row` of W as floats (embedding lookup in a matrix that is also the head): w = the format's
/// own dequantization, each operation rounded once, the same bits on every instruction set.
void dequantize_row(const PanelMatrix& weights, std::size_t row, std::span<float> values);

}  // namespace zhuzi::kernels
