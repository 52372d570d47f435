// Safetensors files for tests: a header of one's own choice in front of some bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zhuzi::testing {

struct SafetensorsText {
  std::string_view header;
  std::size_t data_bytes = 0;                       ///< That many zeros follow.
  std::optional<std::uint64_t> header_length = {};  ///< What the file says, if not the truth.
};

/// The bytes of the file, as a string.
inline std::string safetensors_file(const SafetensorsText& text) {
  const std::uint64_t length = text.header_length.value_or(text.header.size());
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof(length));
  bytes += text.header;
  bytes.append(text.data_bytes, '\0');
  return bytes;
}

}  // namespace zhuzi::testing
