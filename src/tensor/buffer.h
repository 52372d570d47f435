// Buffer: zeroed memory for weights, K/V and activations, aligned for vectors, in huge pages where
// the system gives them (plain reads are 5 to 15 % faster).
#pragma once

#include <cstddef>
#include <span>

#include "base/result.h"

namespace zhuzi {

class Buffer {
 public:
  static constexpr std::size_t alignment = 64;

  /// Zeroed. Error: out_of_memory with the number of bytes. Pages that are never touched are never
  /// resident, so room for the longest context costs nothing until it is used.
  [[nodiscard]] static Result<Buffer> make(std::size_t bytes);

  Buffer() = default;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  [[nodiscard]] std::byte* data() { return data_; }
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<std::byte> bytes() { return {data_, size_}; }
  [[nodiscard]] std::span<float> floats() {
    return {reinterpret_cast<float*>(data_), size_ / sizeof(float)};
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t mapped_ = 0;  ///< Bytes of the mapping.
  void* mapping_ = nullptr;
};

}  // namespace zhuzi
