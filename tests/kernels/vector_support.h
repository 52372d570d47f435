// What the tests of norms, rotation, attention and logits share: rows of their own memory with
// rubbish behind each, random numbers from a seed, the instruction sets of this machine, fixtures.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "kernels/isa.h"
#include "kernels/rows.h"

namespace zhuzi::kernels::testing {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// The sets that run here; scalar, the reference, is the first.
inline std::vector<InstructionSet> sets() {
  std::vector<InstructionSet> result;
  std::ranges::copy_if(all_instruction_sets, std::back_inserter(result), is_supported);
  return result;
}

/// splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// From -range to range.
  float value(float range = 1) {
    return static_cast<float>(static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0) * range;
  }
  std::size_t below(std::size_t end) { return bits() % end; }
  std::vector<float> values(std::size_t count, float range = 1) {
    std::vector<float> result(count);
    for (float& x : result) x = value(range);
    return result;
  }

 private:
  std::uint64_t state_;
};

/// Rows whose stride is longer than they are; what lies behind a row is NaN and must stay as it is.
class Table {
 public:
  Table(std::size_t rows, std::size_t columns)
      : rows_(rows),
        columns_(columns),
        stride_(padded(columns) + 16),
        values_(rows * stride_, nan) {}
  Table(Random& random, std::size_t rows, std::size_t columns, float range = 1)
      : Table(rows, columns) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) at(r, c) = random.value(range);
    }
  }
  float& at(std::size_t r, std::size_t c) { return values_[r * stride_ + c]; }
  Rows rows() { return {values_.data(), stride_, rows_, columns_}; }
  /// Some of the rows.
  Rows rows(std::size_t first, std::size_t count) {
    return {values_.data() + first * stride_, stride_, count, columns_};
  }
  std::span<float> row(std::size_t r) { return {values_.data() + r * stride_, columns_}; }
  /// True when all values are the same bits (NaN behind the rows among them).
  bool operator==(const Table& other) const {
    return std::ranges::equal(values_, other.values_, [](float a, float b) {
      return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    });
  }
  bool is_finite() {
    for (std::size_t r = 0; r < rows_; ++r) {
      for (const float x : row(r)) {
        if (!std::isfinite(x)) return false;
      }
    }
    return true;
  }

 private:
  std::size_t rows_;
  std::size_t columns_;
  std::size_t stride_;
  std::vector<float> values_;
};

inline json::Value fixture(const std::string& name) {
  std::ifstream file(std::string(ZHUZI_TEST_DATA "/math/") + name);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  auto value = json::parse(text);
  EXPECT_TRUE(value.has_value()) << name;
  return value ? *std::move(value) : json::Value();
}

/// A number, or one of the strings "nan", "inf", "-inf".
inline double number(const json::Value& value) {
  if (const auto real = value.real()) return *real;
  const std::string text = value.string() != nullptr ? *value.string() : "nan";
  return text == "inf"    ? std::numeric_limits<double>::infinity()
         : text == "-inf" ? -std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
}

inline double number(const json::Value& object, std::string_view key) {
  return number(*object.find(key));
}

inline std::vector<double> numbers(const json::Value& array) {
  std::vector<double> result;
  for (const json::Value& value : *array.array()) result.push_back(number(value));
  return result;
}

inline std::vector<float> floats(const json::Value& array) {
  std::vector<float> result;
  for (const double value : numbers(array)) result.push_back(static_cast<float>(value));
  return result;
}

/// Within `relative` of the expected value, or `absolute` near zero.
inline void expect_near(double actual, double expected, double relative, double absolute) {
  EXPECT_NEAR(actual, expected, absolute + relative * std::fabs(expected));
}

}  // namespace zhuzi::kernels::testing
