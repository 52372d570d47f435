// GgufWriter: GGUF files for tests, byte for byte as told, so that hostile ones are one line each.
//
// Without further words the file is right: counts, alignment, offsets and padding are filled in.
// What a test sets in `wrong` is written as it is.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tensor/element.h"

namespace zhuzi::testing {

using Bytes = std::vector<std::byte>;

template <typename T>
void append(Bytes& out, T value) {
  const auto raw = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  out.insert(out.end(), raw.begin(), raw.end());
}

inline void append_bytes(Bytes& out, std::string_view text) {
  const auto raw = std::as_bytes(std::span(text));
  out.insert(out.end(), raw.begin(), raw.end());
}

inline void append_text(Bytes& out, std::string_view text) {
  append(out, std::uint64_t{text.size()});
  append_bytes(out, text);
}

/// The number that GGUF gives to a C++ type.
template <typename T>
constexpr std::uint32_t gguf_type_of() {
  if constexpr (std::is_same_v<T, bool>) return 7;
  if constexpr (std::is_same_v<T, float>) return 6;
  if constexpr (std::is_same_v<T, double>) return 12;
  constexpr std::uint32_t sign = std::is_signed_v<T> ? 1 : 0;
  if constexpr (sizeof(T) == 8) return 10 + sign;
  return (sizeof(T) == 1 ? 0U : sizeof(T) == 2 ? 2U : 4U) + sign;
}
inline constexpr std::uint32_t gguf_string = 8;
inline constexpr std::uint32_t gguf_array = 9;

/// Extents as GGUF stores them: the length of a row first.
struct WrittenTensor {
  std::string name = {};
  std::vector<std::uint64_t> extents = {};
  std::uint32_t type = 0;
  Bytes data = {};
  std::optional<std::uint64_t> offset = {};  ///< Where it should lie, if not behind the last one.
};

class GgufWriter {
 public:
  struct Wrong {
    std::string magic = "GGUF";
    std::uint32_t version = 3;
    std::optional<std::uint64_t> tensors;  ///< The counts that the header announces.
    std::optional<std::uint64_t> pairs;
  };
  Wrong wrong;
  std::size_t alignment = 32;  ///< Of the bytes written; the key is the test's own business.

  template <typename T>
    requires std::is_arithmetic_v<T>
  GgufWriter& add(std::string_view key, T value) {
    Bytes raw;
    append(raw, value);
    return add_raw(key, gguf_type_of<T>(), raw);
  }
  GgufWriter& add(std::string_view key, std::string_view value) {
    Bytes raw;
    append_text(raw, value);
    return add_raw(key, gguf_string, raw);
  }
  GgufWriter& add(std::string_view key, const char* value) {
    return add(key, std::string_view(value));
  }
  template <typename T>
  GgufWriter& add_array(std::string_view key, const std::vector<T>& values) {
    Bytes raw;
    append(raw, gguf_type_of<T>());
    append(raw, std::uint64_t{values.size()});
    for (const T value : values) append(raw, value);
    return add_raw(key, gguf_array, raw);
  }
  GgufWriter& add_texts(std::string_view key, const std::vector<std::string>& values) {
    Bytes raw;
    append(raw, gguf_string);
    append(raw, std::uint64_t{values.size()});
    for (const std::string& value : values) append_text(raw, value);
    return add_raw(key, gguf_array, raw);
  }
  /// A pair with any type number and any bytes behind it.
  GgufWriter& add_raw(std::string_view key, std::uint32_t type, const Bytes& value) {
    append_text(pairs_, key);
    append(pairs_, type);
    pairs_.insert(pairs_.end(), value.begin(), value.end());
    ++pair_count_;
    return *this;
  }

  GgufWriter& add_tensor(WrittenTensor tensor) {
    tensors_.push_back(std::move(tensor));
    return *this;
  }
  /// A tensor of zeros of the size that its type and extents ask for.
  GgufWriter& add_zeros(std::string name, std::vector<std::uint64_t> extents,
                        ElementType type = ElementType::f32) {
    std::uint64_t elements = 1;
    for (const std::uint64_t extent : extents) elements *= extent;
    const ElementInfo& row = info(type);
    Bytes data(static_cast<std::size_t>(elements) / row.block_elements * row.block_bytes);
    return add_tensor({.name = std::move(name),
                       .extents = std::move(extents),
                       .type = row.gguf_number,
                       .data = std::move(data)});
  }

  [[nodiscard]] Bytes bytes() const {
    Bytes out;
    append_bytes(out, wrong.magic);
    append(out, wrong.version);
    append(out, wrong.tensors.value_or(tensors_.size()));
    append(out, wrong.pairs.value_or(pair_count_));
    out.insert(out.end(), pairs_.begin(), pairs_.end());
    Bytes data = {};
    for (const WrittenTensor& tensor : tensors_) {
      append_text(out, tensor.name);
      append(out, static_cast<std::uint32_t>(tensor.extents.size()));
      for (const std::uint64_t extent : tensor.extents) append(out, extent);
      append(out, tensor.type);
      append(out, tensor.offset.value_or(data.size()));
      data.insert(data.end(), tensor.data.begin(), tensor.data.end());
      data.resize(padded(data.size()));
    }
    out.resize(padded(out.size()));
    out.insert(out.end(), data.begin(), data.end());
    return out;
  }

 private:
  [[nodiscard]] std::size_t padded(std::size_t size) const {
    return (size + alignment - 1) / alignment * alignment;
  }

  Bytes pairs_;
  std::uint64_t pair_count_ = 0;
  std::vector<WrittenTensor> tensors_;
};

}  // namespace zhuzi::testing
