// Element formats: the name, block length and block bytes of every way a file stores numbers.
//
// Place in the journey: formats read tensors of these types; kernels compute with some of them. One
// table row for each; numbers are GGUF's (ggml_type in the format's specification).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace zhuzi {

enum class ElementType : std::uint8_t {
  f32,
  f16,
  bf16,
  f64,
  i8,
  i16,
  i32,
  i64,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  q8_1,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  q6_k,
  q8_k,
  iq1_s,
  iq1_m,
  iq2_xxs,
  iq2_xs,
  iq2_s,
  iq3_xxs,
  iq3_s,
  iq4_nl,
  iq4_xs,
  tq1_0,
  tq2_0,
  mxfp4,
  nvfp4,
};

struct ElementInfo {
  ElementType type;
  std::string_view name;       ///< As the field writes it: F32, Q4_1, BF16.
  std::uint32_t gguf_number;   ///< ggml_type.
  std::size_t block_elements;  ///< Elements of one block; 1 for plain numbers.
  std::size_t block_bytes;
};

[[nodiscard]] const ElementInfo& info(ElementType type);
[[nodiscard]] std::span<const ElementInfo> element_types();
[[nodiscard]] std::optional<ElementType> element_type_from_gguf(std::uint32_t number);

}  // namespace zhuzi
