// The table test: every format x every instruction set x odd shapes, tails and extremes.
//
// A `Case` makes a matrix in the model file's own blocks and rows of activations from a seed. Three
// answers are then compared for every output:
//   defined  the format's formula, computed from the file's blocks without panels
//   (matrix_support.h) oracle   scalar code, one row at a time, one thread fast     each
//   instruction set, all rows in one call, one to five threads
// All three must have the same bits, and lie within the error bound of the same sum in double.
#include "kernels/matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "base/threads.h"
#include "matrix_support.h"

namespace zhuzi::kernels {
namespace {

using namespace testing;

constexpr OpContext oracle_context{.threads = nullptr, .set = InstructionSet::scalar};
constexpr float guard = 12345.0f;

bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

/// Outputs of a product: rows with room for whole panels and 16 more floats that nobody may touch.
struct Outputs {
  Outputs(std::size_t row_count, std::size_t width)
      : rows(row_count),
        columns(width),
        whole(panel_count(width) * panel_rows),
        values(row_count * (whole + 16), guard) {}
  [[nodiscard]] std::size_t stride() const { return whole + 16; }
  Rows view() { return {values.data(), stride(), rows, columns}; }
  Rows view(std::size_t row) { return {values.data() + row * stride(), stride(), 1, columns}; }
  [[nodiscard]] float at(std::size_t r, std::size_t n) const { return values[r * stride() + n]; }

  std::size_t rows;
  std::size_t columns;
  std::size_t whole;
  std::vector<float> values;
};

/// One row of activations of several.
Activations row_of(const Activations& x, std::size_t r) {
  Activations row = x;
  row.data += r * x.row_bytes;
  row.rows = 1;
  return row;
}

class Case {
 public:
  Case(ElementType type, std::size_t rows, std::uint64_t seed)
      : type_(type),
        random_(seed),
        content_(seed % 3 == 0 ? Content::extreme : Content::ordinary),
        outputs_(1 + random_.below(100)),
        columns_(random_columns(seed)),
        file_(type, outputs_ + 4, columns_, content_, random_),
        inputs_(rows, columns_),
        threads_(1 + seed % 5),
        name_(std::string(info(type).name) + ", seed " + std::to_string(seed) + ", M " +
              std::to_string(rows) + ", N " + std::to_string(outputs_) + ", K " +
              std::to_string(columns_)) {
    order_.resize(outputs_);
    std::iota(order_.begin(), order_.end(), 0);
    if (seed % 2 == 1) {
      for (std::uint32_t& row : order_)
        row = static_cast<std::uint32_t>(random_.below(outputs_ + 4));
    }
    for (std::size_t m = 0; m < rows; ++m) fill_row(inputs_.row(m));
  }

  void run() {
    PackSource source = file_.source();
    source.rows = outputs_;
    if (random_.below(2) == 1) source.order = order_;
    const auto file_row = [&](std::size_t n) {
      return file_.row(source.order.empty() ? n : source.order[n]);
    };
    const Panels panels(threaded(InstructionSet::scalar), type_, source);
    ASSERT_TRUE(panels.is_finite()) << name_;
    const Activations x = inputs_.as(oracle_context, *panels.matrix().format);
    Outputs oracle(inputs_.rows, outputs_);
    for (std::size_t m = 0; m < inputs_.rows; ++m) {
      multiply(oracle_context, panels.matrix(), row_of(x, m), oracle.view(m));
      for (std::size_t n = 0; n < outputs_; ++n) {
        compare_with_truth(oracle.at(m, n), file_row(n), row_of(x, m));
      }
      for (std::size_t n = outputs_; n < oracle.whole; ++n) {
        ASSERT_TRUE(same_bits(oracle.at(m, n), 0.0f)) << name_ << ", lanes without a row";
      }
    }
    for (const InstructionSet set : sets()) compare_fast(panels.matrix(), oracle, set);
    compare_rows(panels.matrix(), file_row);
  }

 private:
  [[nodiscard]] std::size_t random_columns(std::uint64_t seed) {
    const std::size_t limit = seed % 5 == 0 ? 1280 : 288;
    const std::size_t block = info(type_).block_elements;
    return block * (1 + random_.below(std::max<std::size_t>(1, limit / block)));
  }

  OpContext threaded(InstructionSet set) { return {.threads = &threads_, .set = set}; }

  void fill_row(float* row) {
    constexpr std::array extremes{0.0f, -0.0f, 1e-45f, -1e-40f, 1e25f, -1e25f, 1.0f};
    for (std::size_t k = 0; k < columns_; ++k) {
      row[k] = random_.value(3);
      if (content_ == Content::extreme) row[k] = extremes[random_.below(extremes.size())];
    }
    // Whole groups of one kind: all negative zero, all subnormal, all at the largest code.
    for (std::size_t g = 0; g + 32 <= columns_ && content_ == Content::extreme; g += 32) {
      const std::size_t kind = random_.below(6);
      for (std::size_t k = g; k < g + 32 && kind < 3; ++k) {
        row[k] = kind == 0 ? -0.0f : kind == 1 ? 1e-42f : (random_.below(2) == 1 ? 7.5f : -7.5f);
      }
    }
  }

  void compare_with_truth(float value, const std::byte* weights, const Activations& x) {
    const Truth truth =
        x.kind == ActivationKind::float_values
            ? float_truth(type_, weights, reinterpret_cast<const float*>(x.data), columns_)
            : quantized_truth(type_, weights, reinterpret_cast<const ActivationGroup*>(x.data),
                              columns_ / 32);
    ASSERT_TRUE(same_bits(value, truth.defined))
        << name_ << ": " << value << ", defined " << truth.defined;
    ASSERT_LE(std::fabs(double{value} - truth.exact), truth.bound()) << name_;
  }

  void compare_fast(const PanelMatrix& matrix, const Outputs& oracle, InstructionSet set) {
    const Activations x = inputs_.as(threaded(set), *matrix.format);
    Outputs fast(inputs_.rows, outputs_);
    multiply(threaded(set), matrix, x, fast.view());
    for (std::size_t i = 0; i < fast.values.size(); ++i) {
      ASSERT_TRUE(same_bits(fast.values[i], oracle.values[i]))
          << name_ << ", " << name_of(set) << ", row " << i / fast.stride() << ", column "
          << i % fast.stride() << ": " << fast.values[i] << ", scalar " << oracle.values[i];
    }
  }

  /// Every row of the panels gives back the weights of its row in the file.
  template <typename FileRow>
  void compare_rows(const PanelMatrix& matrix, FileRow file_row) {
    std::vector<float> values(columns_);
    for (std::size_t n = 0; n < outputs_; ++n) {
      dequantize_row(matrix, n, values);
      for (std::size_t k = 0; k < columns_; ++k) {
        const double weight = weight_value(type_, file_row(n), k);
        ASSERT_EQ(values[k], static_cast<float>(weight)) << name_ << ", row " << n << ", k " << k;
      }
    }
  }

  ElementType type_;
  Random random_;
  Content content_;
  std::size_t outputs_;
  std::size_t columns_;
  FileMatrix file_;
  Inputs inputs_;
  ThreadPool threads_;
  std::string name_;
  std::vector<std::uint32_t> order_;
};

std::string name_of_type(const ::testing::TestParamInfo<ElementType>& type) {
  return std::string(info(type.param).name);
}

class MatrixTable : public ::testing::TestWithParam<ElementType> {};
INSTANTIATE_TEST_SUITE_P(AllFormats, MatrixTable,
                         ::testing::ValuesIn(computable_types().begin(), computable_types().end()),
                         name_of_type);

TEST_P(MatrixTable, gives_the_defined_bits_for_every_set_shape_and_number_of_threads) {
  std::uint64_t seed = 1;
  for (int repetition = 0; repetition < 4; ++repetition) {
    for (std::size_t rows = 1; rows <= 40; ++rows) {
      Case(GetParam(), rows, seed++).run();
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(MatrixTable, is_entered_under_its_type) {
  const Format* format = format_for(GetParam());
  ASSERT_NE(format, nullptr);
  EXPECT_EQ(name_of(*format), info(GetParam()).name);
  EXPECT_EQ(activation_kind(*format),
            is_float(GetParam()) ? ActivationKind::float_values : ActivationKind::int8_groups);
  EXPECT_EQ(panel_bytes(*format, 256) % 64, 0u);
}

// The same rows alone and among others, above and below every border between ways of computing.
TEST_P(MatrixTable, J4_large_activations_give_the_same_finite_bits_in_every_batch) {
  Random random(4);
  constexpr std::size_t columns = 512;
  constexpr std::size_t outputs = 70;
  FileMatrix file(GetParam(), outputs, columns, Content::ordinary, random);
  ThreadPool threads(2);
  for (const InstructionSet set : sets()) {
    const OpContext context{.threads = &threads, .set = set};
    const Panels panels(context, GetParam(), file.source());
    Inputs inputs(65, columns);
    for (std::size_t m = 0; m < 65; ++m) {
      for (std::size_t k = 0; k < columns; ++k) inputs.row(m)[k] = random.value(8e4f);
    }
    const Activations all = inputs.as(context, *panels.matrix().format);
    std::vector<Outputs> batches;
    for (const std::size_t rows : {1, 63, 64, 65}) {
      Activations some = all;
      some.rows = rows;
      multiply(context, panels.matrix(), some, batches.emplace_back(rows, outputs).view());
    }
    for (const Outputs& batch : batches) {
      for (std::size_t i = 0; i < batch.values.size(); ++i) {
        ASSERT_TRUE(std::isfinite(batch.values[i]));
        ASSERT_TRUE(same_bits(batch.values[i], batches.back().values[i])) << batch.rows << " rows";
      }
    }
  }
}

/// What int8 activations may cost: half a step for each product, and the roundings.
double quantization_bound(ElementType type, const std::byte* weights, const Inputs& inputs,
                          std::size_t m) {
  double bound = 0;
  for (std::size_t g = 0; g < inputs.columns; g += 32) {
    const float* x = inputs.values.data() + m * inputs.stride + g;
    double maximum = 0;
    double sum = 0;
    for (std::size_t k = 0; k < std::min<std::size_t>(32, inputs.columns - g); ++k) {
      maximum = std::max(maximum, std::fabs(double{x[k]}));
      sum += std::fabs(weight_value(type, weights, g + k));
    }
    bound += sum * maximum * (is_float(type) ? 0 : 0.501 / 127);
    bound += sum * maximum * 0x1p-24 * static_cast<double>(inputs.columns + 8);
  }
  return bound;
}

TEST_P(MatrixTable, I10_products_of_every_width_lie_within_the_formats_error_of_f32) {
  Random random(10);
  for (const std::size_t columns : {32, 64, 96, 224, 256, 288}) {
    if (columns % info(GetParam()).block_elements != 0) continue;
    constexpr std::size_t outputs = 33;
    FileMatrix file(GetParam(), outputs, columns, Content::ordinary, random);
    Inputs inputs(9, columns);
    for (std::size_t m = 0; m < inputs.rows; ++m) {
      for (std::size_t k = 0; k < columns; ++k) inputs.row(m)[k] = random.value(2);
    }
    for (const std::size_t count : {1, 2, 3, 4, 7}) {
      ThreadPool threads(count);
      const OpContext context{.threads = &threads, .set = best_supported()};
      const Panels panels(context, GetParam(), file.source());
      Outputs y(inputs.rows, outputs);
      multiply(context, panels.matrix(), inputs.as(context, *panels.matrix().format), y.view());
      for (std::size_t m = 0; m < inputs.rows; ++m) {
        for (std::size_t n = 0; n < outputs; ++n) {
          double exact = 0;
          for (std::size_t k = 0; k < columns; ++k) {
            exact += weight_value(GetParam(), file.row(n), k) * inputs.row(m)[k];
          }
          ASSERT_LE(std::fabs(y.at(m, n) - exact),
                    quantization_bound(GetParam(), file.row(n), inputs, m))
              << columns << " columns, " << count << " threads";
        }
      }
    }
  }
}

TEST_P(MatrixTable, refuses_a_scale_or_weight_that_is_not_finite_wherever_it_stands) {
  Random random(5);
  const std::size_t columns = std::max<std::size_t>(96, info(GetParam()).block_elements);
  const std::size_t block_bytes = info(GetParam()).block_bytes;
  for (const std::size_t row : {0, 15, 16, 20}) {
    for (std::size_t b = 0; b < columns / info(GetParam()).block_elements; ++b) {
      FileMatrix file(GetParam(), 21, columns, Content::ordinary, random);
      std::byte* block = file.row(row) + b * block_bytes;
      constexpr std::uint16_t half_nan = 0x7e01;
      switch (GetParam()) {
        case ElementType::f32: put(block, std::numeric_limits<float>::infinity()); break;
        case ElementType::bf16: put(block, std::uint16_t{0xff80}); break;
        case ElementType::q4_1: put(block + (b % 2 == 0 ? 0 : 2), half_nan); break;
        case ElementType::q6_k: put(block + 208, half_nan); break;
        default: put(block, half_nan);
      }
      EXPECT_FALSE(Panels(oracle_context, GetParam(), file.source()).is_finite());
    }
  }
}

TEST(Matrix, has_no_format_for_a_type_that_it_cannot_compute_with) {
  EXPECT_EQ(format_for(ElementType::i32), nullptr);
  EXPECT_EQ(format_for(ElementType::iq1_s), nullptr);
}

TEST(Matrix, a_filled_column_turns_a_chain_of_negative_zero_into_positive_zero) {
  // The product underflows to -0. With 32 columns nothing follows; with 31 a zero column does.
  for (const std::size_t columns : {31, 32}) {
    std::vector<float> weights(columns, 0.0f);
    weights.back() = -1e-30f;
    Inputs inputs(1, columns);
    inputs.row(0)[columns - 1] = 1e-30f;
    for (float* x = inputs.row(0); x < inputs.row(0) + columns - 1; ++x) *x = 1.0f;
    const PackSource source{.data = reinterpret_cast<const std::byte*>(weights.data()),
                            .row_bytes = columns * sizeof(float),
                            .rows = 1,
                            .columns = columns,
                            .order = {}};
    for (const InstructionSet set : sets()) {
      const OpContext context{.threads = nullptr, .set = set};
      const Panels panels(context, ElementType::f32, source);
      Outputs y(1, 1);
      multiply(context, panels.matrix(), float_rows(inputs.view()), y.view());
      EXPECT_TRUE(same_bits(y.at(0, 0), columns == 31 ? 0.0f : -0.0f)) << columns;
    }
  }
}

TEST(Matrix, no_rows_of_activations_are_no_work) {
  Random random(1);
  FileMatrix file(ElementType::q8_0, 16, 32, Content::ordinary, random);
  const Panels panels(oracle_context, ElementType::q8_0, file.source());
  Inputs inputs(0, 32);
  Outputs y(0, 16);
  multiply(oracle_context, panels.matrix(), inputs.as(oracle_context, *panels.matrix().format),
           y.view());
}

TEST(MatrixDeathTest, refuses_columns_that_do_not_fill_a_block) {
  std::vector<std::byte> bytes(1024);
  const auto pack_columns = [&](ElementType type, std::size_t columns) {
    const PackSource source{
        .data = bytes.data(), .row_bytes = 0, .rows = 1, .columns = columns, .order = {}};
    return pack(oracle_context, *format_for(type), source, {bytes.data(), 0});
  };
  EXPECT_DEATH((void)pack_columns(ElementType::q6_k, 896), "whole number of the format's blocks");
  EXPECT_DEATH((void)pack_columns(ElementType::q8_0, 48), "whole number of the format's blocks");
  EXPECT_DEATH((void)pack_columns(ElementType::q4_0, 1), "whole number of the format's blocks");
}

TEST(InstructionSets, that_are_missing_here_are_named) {
  for (const InstructionSet set : all_instruction_sets) {
    if (is_supported(set)) continue;
    std::printf("skipped: this machine has no %s\n", std::string(name_of(set)).c_str());
    EXPECT_NE(set, InstructionSet::avx2) << "the tests need at least AVX2";
  }
}

}  // namespace
}  // namespace zhuzi::kernels
