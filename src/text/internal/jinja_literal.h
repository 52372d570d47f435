// Literals of the template's source: numbers and strings as Python spells them.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace zhuzi::jinja {

/// `1_000`, `0x1f`, `0b101`, `0o17`; empty above 64 bits.
[[nodiscard]] std::optional<std::int64_t> integer_literal(std::string_view digits);
[[nodiscard]] double real_literal(std::string_view digits);

/// A string token without its quotes and with its escapes read. The error is Python's words. A lone
/// surrogate, which UTF-8 does not have, becomes U+FFFD.
[[nodiscard]] std::expected<std::string, std::string> unescaped_literal(std::string_view quoted);

}  // namespace zhuzi::jinja
