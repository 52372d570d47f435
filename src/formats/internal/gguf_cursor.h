// GgufCursor: a place in a GGUF file, and the pair or tensor that is being read there.
//
// Place in the journey: gguf.cpp and gguf_value.cpp read through it. Every failure names its
// subject, so nobody has to pass names along.
//
// Invariant: nothing is handed out, counted or allocated that the bytes left do not hold.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/result.h"

namespace zhuzi {

static_assert(std::endian::native == std::endian::little, "GGUF is read in place");

class GgufCursor {
 public:
  explicit GgufCursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - position_; }

  /// From now on failures are about this: `pair 3`, and once its name is known, `pair "a.b"`.
  void begin(std::string_view kind, std::size_t number) {
    kind_ = kind;
    number_ = number;
    name_ = {};
  }
  void call(std::string_view name) { name_ = name; }

  template <typename... Arguments>
  [[nodiscard]] std::unexpected<Error> fail(ErrorCode code, fmt::format_string<Arguments...> text,
                                            Arguments&&... arguments) const {
    const std::string message = fmt::format(text, std::forward<Arguments>(arguments)...);
    if (name_.empty()) return zhuzi::fail(code, "{} {}: {}", kind_, number_, message);
    return zhuzi::fail(code, "{} {}: {}", kind_, json::excerpt(name_), message);
  }
  template <typename... Arguments>
  [[nodiscard]] std::unexpected<Error> corrupt(fmt::format_string<Arguments...> text,
                                               Arguments&&... arguments) const {
    return fail(ErrorCode::corrupt_file, text, std::forward<Arguments>(arguments)...);
  }

  /// Error unless `count` things of at least `width` bytes each fit what is left.
  [[nodiscard]] Result<void> expect(std::uint64_t count, std::size_t width) const {
    if (count <= left() / width) return {};
    return corrupt("it asks for {} x {} bytes, and {} are left in the file", count, width, left());
  }

  /// The next `count` times `width` bytes.
  [[nodiscard]] Result<std::span<const std::byte>> take(std::uint64_t count, std::size_t width) {
    TRY(expect(count, width));
    const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(count) * width);
    position_ += taken.size();
    return taken;
  }

  template <typename T>
  [[nodiscard]] Result<T> number() {
    const auto taken = TRY(take(1, sizeof(T)));
    T value{};
    std::memcpy(&value, taken.data(), sizeof(T));
    return value;
  }

  /// A string as GGUF writes it: its length as u64, then its bytes.
  [[nodiscard]] Result<std::string_view> text() {
    const auto length = TRY(number<std::uint64_t>());
    const auto taken = TRY(take(length, 1));
    return std::string_view(reinterpret_cast<const char*>(taken.data()), taken.size());
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  std::string_view kind_ = "header";
  std::size_t number_ = 0;
  std::string_view name_;
};

}  // namespace zhuzi
