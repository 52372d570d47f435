// What the tests of the matrix product share: file blocks made from a seed, and the truth about a
// product computed from these blocks alone, without panels.
//
// A block of any quantized format is read into one plain form, `FileGroup`; the formula of NUMERICS
// rule 6 is then written once, for all of them, in floats (bit for bit) and in double.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/matrix.h"
#include "tensor/element.h"
#include "vector_support.h"

namespace zhuzi::kernels::testing {

/// IEEE half as a double, from its definition.
inline double half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 != 0 ? -magnitude : magnitude;
}

inline float half_at(const std::byte* at) {
  std::uint16_t bits;
  std::memcpy(&bits, at, sizeof(bits));
  return static_cast<float>(half_value(bits));
}

inline int byte_at(const std::byte* at) { return std::to_integer<int>(*at); }
inline int signed_byte_at(const std::byte* at) { return static_cast<std::int8_t>(*at); }

/// 32 weights of one row: weight k is d * scales[k / 16] * codes[k] + m.
struct FileGroup {
  std::array<int, 32> codes{};
  std::array<int, 2> scales{1, 1};
  float d = 0;
  float m = 0;
  bool has_minimum = false;
};

inline FileGroup read_nibbles(const std::byte* codes, int offset) {
  FileGroup group;
  for (std::size_t j = 0; j < 16; ++j) {
    group.codes[j] = (byte_at(codes + j) & 15) - offset;
    group.codes[j + 16] = (byte_at(codes + j) >> 4) - offset;
  }
  return group;
}

inline FileGroup read_q6_k(const std::byte* block, std::size_t g) {
  FileGroup group;
  for (std::size_t l = 0; l < 32; ++l) {
    const std::size_t n = g / 4;
    const std::size_t i = g % 4;
    const int low = byte_at(block + 64 * n + 32 * (i % 2) + l) >> (i / 2 * 4) & 15;
    const int high = byte_at(block + 128 + 32 * n + l) >> (2 * i) & 3;
    group.codes[l] = (low | high << 4) - 32;
  }
  for (std::size_t h = 0; h < 2; ++h) group.scales[h] = signed_byte_at(block + 192 + 2 * g + h);
  group.d = half_at(block + 208);
  return group;
}

/// Group `g` of a row of a quantized type.
inline FileGroup read_group(ElementType type, const std::byte* row, std::size_t g) {
  const std::byte* block = row + g * 32 / info(type).block_elements * info(type).block_bytes;
  FileGroup group;
  switch (type) {
    case ElementType::q8_0:
      for (std::size_t k = 0; k < 32; ++k) group.codes[k] = signed_byte_at(block + 2 + k);
      break;
    case ElementType::q4_0: group = read_nibbles(block + 2, 8); break;
    case ElementType::q4_1:
      group = read_nibbles(block + 4, 0);
      group.m = half_at(block + 2);
      group.has_minimum = true;
      break;
    case ElementType::q6_k: return read_q6_k(block, g % 8);
    default: ADD_FAILURE() << "not a quantized type of the table";
  }
  group.d = half_at(block);
  return group;
}

/// Weight k of a row of a float type.
inline float read_float(ElementType type, const std::byte* row, std::size_t k) {
  std::uint32_t bits = 0;
  if (type == ElementType::f16) return half_at(row + 2 * k);
  if (type == ElementType::f32) std::memcpy(&bits, row + 4 * k, 4);
  if (type == ElementType::bf16)
    std::memcpy(reinterpret_cast<std::byte*>(&bits) + 2, row + 2 * k, 2);
  return std::bit_cast<float>(bits);
}

inline bool is_float(ElementType type) { return info(type).block_elements == 1; }

/// The weight itself, as every reader of the format gives it (double holds it exactly, but for the
/// sum with a minimum, which it rounds far below float).
inline double weight_value(ElementType type, const std::byte* row, std::size_t k) {
  if (is_float(type)) return read_float(type, row, k);
  const FileGroup group = read_group(type, row, k / 32);
  return double{group.d} * group.scales[k % 32 / 16] * group.codes[k % 32] + group.m;
}

/// One output, in two ways.
struct Truth {
  float defined = 0;     ///< The format's formula, bit for bit.
  double exact = 0;      ///< The same sum in double.
  double magnitude = 0;  ///< Sum of |terms|: the scale of the rounding errors.
  std::size_t roundings = 0;

  void add(float factor, float value, double exact_term) {
    defined = std::fma(factor, value, defined);
    exact += exact_term;
    magnitude += std::fabs(exact_term);
    roundings += 3;
  }
  /// Each rounding errs by half a unit of what has been summed, or by half a subnormal; a factor
  /// that became subnormal is multiplied by a sum of at most 2^24.
  [[nodiscard]] double bound() const {
    return static_cast<double>(roundings) * (magnitude * 0x1p-24 + 0x1p-150 * 0x1p24);
  }
};

inline Truth quantized_truth(ElementType type, const std::byte* weights, const ActivationGroup* row,
                             std::size_t groups) {
  Truth truth;
  for (std::size_t g = 0; g < groups; ++g) {
    const FileGroup group = read_group(type, weights, g);
    std::int32_t sum = 0;
    std::int32_t code_sum = 0;
    for (std::size_t k = 0; k < 32; ++k) {
      sum += group.scales[k / 16] * group.codes[k] * row[g].codes[k];
      code_sum += row[g].codes[k];
    }
    truth.add(static_cast<float>(sum), group.d * row[g].scale,
              static_cast<double>(sum) * group.d * row[g].scale);
    if (!group.has_minimum) continue;
    truth.add(group.m, row[g].scale * static_cast<float>(code_sum),
              static_cast<double>(code_sum) * group.m * row[g].scale);
  }
  return truth;
}

/// Over the columns and then over zeros up to a whole group, as the panels are filled.
inline Truth float_truth(ElementType type, const std::byte* weights, const float* row,
                         std::size_t columns) {
  Truth truth;
  for (std::size_t k = 0; k < columns; ++k) {
    const float weight = read_float(type, weights, k);
    truth.add(weight, row[k], double{weight} * row[k]);
  }
  if (columns % group_length != 0) truth.add(0.0f, 0.0f, 0.0);
  return truth;
}

// ------------------------------------------------------------------------------------- matrices

enum class Content : std::uint8_t { ordinary, extreme };

inline std::uint16_t random_half(Random& random, Content content) {
  // Zero, negative zero, smallest subnormal, a subnormal, largest finite, its negative, one.
  constexpr std::array<std::uint16_t, 7> extremes{0x0000, 0x8000, 0x0001, 0x83ff,
                                                  0x7bff, 0xfbff, 0x3c00};
  if (content == Content::extreme) return extremes[random.below(extremes.size())];
  const std::size_t sign_and_fraction = random.below(0x10000) & 0x83ff;
  return static_cast<std::uint16_t>(sign_and_fraction | (6 + random.below(8)) << 10);
}

inline float random_float(Random& random, Content content) {
  constexpr std::array extremes{0.0f, -0.0f, 1e-45f, -1e-40f, 0x1p-126f, 1e6f, -1e6f, 1.0f};
  return content == Content::extreme ? extremes[random.below(extremes.size())] : random.value();
}

inline std::byte random_byte(Random& random, Content content) {
  constexpr std::array extremes{0x80, 0x7f, 0xff, 0x00};  // -128, 127, all nibbles 15, all 0.
  const std::size_t any = random.below(256);
  return static_cast<std::byte>(content == Content::extreme ? extremes[any % 4]
                                                            : static_cast<int>(any));
}

template <typename Value>
void put(std::byte* at, Value value) {
  std::memcpy(at, &value, sizeof(value));
}

/// One block of the file's format with finite numbers.
inline void fill_block(ElementType type, std::byte* block, Content content, Random& random) {
  for (std::size_t i = 0; i < info(type).block_bytes; ++i) block[i] = random_byte(random, content);
  const float value = random_float(random, content);
  switch (type) {
    case ElementType::f32: return put(block, value);
    case ElementType::f16: return put(block, random_half(random, content));
    case ElementType::bf16:
      return put(block, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
    case ElementType::q4_1: put(block + 2, random_half(random, content)); [[fallthrough]];
    case ElementType::q8_0:
    case ElementType::q4_0: return put(block, random_half(random, content));
    case ElementType::q6_k: return put(block + 208, random_half(random, content));
    default: ADD_FAILURE() << "not a type of the table";
  }
}

/// A matrix in the file's blocks, at an odd address, rows a few bytes apart.
class FileMatrix {
 public:
  FileMatrix(ElementType type, std::size_t rows, std::size_t columns, Content content,
             Random& random)
      : type_(type), rows_(rows), columns_(columns) {
    const std::size_t blocks = columns / info(type).block_elements;
    row_bytes_ = blocks * info(type).block_bytes + 3;
    bytes_.resize(1 + rows * row_bytes_);
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t b = 0; b < blocks; ++b) {
        fill_block(type, row(r) + b * info(type).block_bytes, content, random);
      }
    }
  }
  [[nodiscard]] std::byte* row(std::size_t r) { return bytes_.data() + 1 + r * row_bytes_; }
  [[nodiscard]] const std::byte* row(std::size_t r) const {
    return bytes_.data() + 1 + r * row_bytes_;
  }
  [[nodiscard]] PackSource source() const {
    return {
        .data = row(0), .row_bytes = row_bytes_, .rows = rows_, .columns = columns_, .order = {}};
  }

 private:
  ElementType type_;
  std::size_t rows_;
  std::size_t columns_;
  std::size_t row_bytes_ = 0;
  std::vector<std::byte> bytes_;
};

/// The panels of a matrix, aligned; filled with rubbish before packing.
class Panels {
 public:
  Panels(const OpContext& context, ElementType type, const PackSource& source)
      : format_(format_for(type)), rows_(source.rows), columns_(source.columns) {
    lines_.resize(panel_count(rows_) * panel_bytes(*format_, columns_) / sizeof(Line),
                  Line{.bytes = {std::byte{0xa5}}});
    is_finite_ = pack(context, *format_, source,
                      {lines_.front().bytes.data(), lines_.size() * sizeof(Line)});
  }
  [[nodiscard]] bool is_finite() const { return is_finite_; }
  [[nodiscard]] PanelMatrix matrix() const {
    return {format_, lines_.front().bytes.data(), rows_, columns_};
  }

 private:
  struct alignas(64) Line {
    std::array<std::byte, 64> bytes;
  };
  const Format* format_;
  std::size_t rows_;
  std::size_t columns_;
  bool is_finite_ = false;
  std::vector<Line> lines_;
};

/// Rows of floats with zeros up to a whole group, and these rows as the format reads them.
struct Inputs {
  Inputs(std::size_t row_count, std::size_t width)
      : rows(row_count),
        columns(width),
        stride(padded(width) + 32),
        values(row_count * stride),
        storage(quantized_bytes(row_count, padded(width))),
        faults(row_count) {}
  float* row(std::size_t r) { return values.data() + r * stride; }
  [[nodiscard]] ConstRows view() const { return {values.data(), stride, rows, columns}; }
  Activations as(const OpContext& context, const Format& format) {
    if (activation_kind(format) == ActivationKind::float_values) return float_rows(view());
    return quantize_rows(context, view(), storage, faults);
  }

  std::size_t rows;
  std::size_t columns;
  std::size_t stride;
  std::vector<float> values;
  std::vector<std::byte> storage;
  std::vector<RowFault> faults;
};

}  // namespace zhuzi::kernels::testing
