#include "tensor/element.h"

#include <array>

#include "base/check.h"

namespace zhuzi {
namespace {

using enum ElementType;

// In the order of the enumeration, so that a type is its own index.
constexpr std::array table{
    ElementInfo{f32, "F32", 0, 1, 4},
    ElementInfo{f16, "F16", 1, 1, 2},
    ElementInfo{bf16, "BF16", 30, 1, 2},
    ElementInfo{f64, "F64", 28, 1, 8},
    ElementInfo{i8, "I8", 24, 1, 1},
    ElementInfo{i16, "I16", 25, 1, 2},
    ElementInfo{i32, "I32", 26, 1, 4},
    ElementInfo{i64, "I64", 27, 1, 8},
    ElementInfo{q4_0, "Q4_0", 2, 32, 18},
    ElementInfo{q4_1, "Q4_1", 3, 32, 20},
    ElementInfo{q5_0, "Q5_0", 6, 32, 22},
    ElementInfo{q5_1, "Q5_1", 7, 32, 24},
    ElementInfo{q8_0, "Q8_0", 8, 32, 34},
    ElementInfo{q8_1, "Q8_1", 9, 32, 36},
    ElementInfo{q2_k, "Q2_K", 10, 256, 84},
    ElementInfo{q3_k, "Q3_K", 11, 256, 110},
    ElementInfo{q4_k, "Q4_K", 12, 256, 144},
    ElementInfo{q5_k, "Q5_K", 13, 256, 176},
    ElementInfo{q6_k, "Q6_K", 14, 256, 210},
    ElementInfo{q8_k, "Q8_K", 15, 256, 292},
    ElementInfo{iq1_s, "IQ1_S", 19, 256, 50},
    ElementInfo{iq1_m, "IQ1_M", 29, 256, 56},
    ElementInfo{iq2_xxs, "IQ2_XXS", 16, 256, 66},
    ElementInfo{iq2_xs, "IQ2_XS", 17, 256, 74},
    ElementInfo{iq2_s, "IQ2_S", 22, 256, 82},
    ElementInfo{iq3_xxs, "IQ3_XXS", 18, 256, 98},
    ElementInfo{iq3_s, "IQ3_S", 21, 256, 110},
    ElementInfo{iq4_nl, "IQ4_NL", 20, 32, 18},
    ElementInfo{iq4_xs, "IQ4_XS", 23, 256, 136},
    ElementInfo{tq1_0, "TQ1_0", 34, 256, 54},
    ElementInfo{tq2_0, "TQ2_0", 35, 256, 66},
    ElementInfo{mxfp4, "MXFP4", 39, 32, 17},
    ElementInfo{nvfp4, "NVFP4", 40, 64, 36},
};

consteval bool in_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].type) != i) return false;
  }
  return true;
}
static_assert(in_order());

}  // namespace

const ElementInfo& info(ElementType type) {
  const auto position = static_cast<std::size_t>(type);
  check(position < table.size(), "an element type is in the table");
  return table[position];
}

std::span<const ElementInfo> element_types() { return table; }

std::optional<ElementType> element_type_from_gguf(std::uint32_t number) {
  for (const ElementInfo& row : table) {
    if (row.gguf_number == number) return row.type;
  }
  return std::nullopt;
}

}  // namespace zhuzi
