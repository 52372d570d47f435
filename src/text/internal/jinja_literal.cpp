// Literals: see the header.
#include "text/internal/jinja_literal.h"

#include <charconv>
#include <limits>

#include "base/utf8.h"

namespace zhuzi::jinja {
namespace {

std::string without_underscores(std::string_view digits) {
  std::string text;
  for (const char c : digits) {
    if (c != '_') text += c;
  }
  return text;
}

/// Reads the escape behind a backslash; false when it is cut short.
class EscapeReader {
 public:
  EscapeReader(std::string_view source, std::string& text) : source_(source), text_(text) {}

  /// Returns the number of bytes read behind the backslash, or an error.
  std::expected<std::size_t, std::string> read(std::size_t at) {
    const char kind = source_[at];
    switch (kind) {
      case '\n': return 1;
      case '\\':
      case '\'':
      case '"': text_ += kind; return 1;
      case 'a': text_ += '\a'; return 1;
      case 'b': text_ += '\b'; return 1;
      case 'f': text_ += '\f'; return 1;
      case 'n': text_ += '\n'; return 1;
      case 'r': text_ += '\r'; return 1;
      case 't': text_ += '\t'; return 1;
      case 'v': text_ += '\v'; return 1;
      case 'x': return read_hex(at + 1, 2, "truncated \\xXX escape");
      case 'u': return read_hex(at + 1, 4, "truncated \\uXXXX escape");
      case 'U': return read_hex(at + 1, 8, "truncated \\UXXXXXXXX escape");
      case 'N': return std::unexpected("malformed \\N character escape");
      default: break;
    }
    if (kind >= '0' && kind <= '7') return read_octal(at);
    text_ += '\\';
    return 0;
  }

 private:
  void add(char32_t code_point) {
    const bool is_surrogate = code_point >= 0xD800 && code_point < 0xE000;
    if (is_surrogate) {
      text_ += utf8::replacement;
    } else {
      utf8::append(text_, code_point);
    }
  }

  std::expected<std::size_t, std::string> read_hex(std::size_t at, std::size_t count,
                                                   std::string_view message) {
    const std::string_view digits = source_.substr(at, count);
    std::uint32_t code_point = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code_point, 16);
    if (digits.size() < count || error != std::errc{} || end != digits.data() + count) {
      return std::unexpected(std::string(message));
    }
    if (code_point > 0x10FFFF) return std::unexpected("illegal Unicode character");
    add(code_point);
    return 1 + count;
  }

  std::size_t read_octal(std::size_t at) {
    char32_t code_point = 0;
    std::size_t count = 0;
    while (count < 3 && at + count < source_.size() && source_[at + count] >= '0' &&
           source_[at + count] <= '7') {
      code_point = code_point * 8 + static_cast<char32_t>(source_[at + count] - '0');
      ++count;
    }
    add(code_point);
    return count;
  }

  std::string_view source_;
  std::string& text_;
};

}  // namespace

std::optional<std::int64_t> integer_literal(std::string_view digits) {
  const std::string text = without_underscores(digits);
  std::string_view rest = text;
  int base = 10;
  if (rest.size() > 1 && rest[0] == '0') {
    const char mark = rest[1];
    base = mark == 'x' || mark == 'X' ? 16 : (mark == 'o' || mark == 'O' ? 8 : base);
    base = mark == 'b' || mark == 'B' ? 2 : base;
    if (base != 10) rest.remove_prefix(2);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  if (error != std::errc{} || end != rest.data() + rest.size()) return std::nullopt;
  return value;
}

double real_literal(std::string_view digits) {
  const std::string text = without_underscores(digits);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc::result_out_of_range) return value;
  // Too small or too large for a double, and from_chars does not say which.
  const bool is_small = text.find("e-") != std::string::npos ||
                        text.find("E-") != std::string::npos || text.starts_with("0.");
  return is_small ? 0 : std::numeric_limits<double>::infinity();
}

std::expected<std::string, std::string> unescaped_literal(std::string_view quoted) {
  const std::string_view source = quoted.substr(1, quoted.size() - 2);
  std::string text;
  text.reserve(source.size());
  EscapeReader escapes(source, text);
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\\') {
      text += source[i];
      continue;
    }
    auto length = escapes.read(i + 1);
    if (!length) return std::unexpected(std::move(length.error()));
    i += *length;
  }
  return text;
}

}  // namespace zhuzi::jinja
