// One field of a formatted text: see the header.
#include "text/internal/jinja_format_spec.h"

#include <charconv>
#include <cmath>
#include <string>

#include "base/utf8.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_text_operation.h"

namespace zhuzi::jinja {
namespace {

bool is_alignment(char c) { return c == '<' || c == '>' || c == '^' || c == '='; }

std::optional<std::int64_t> eat_number(std::string_view& spec) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(spec.data(), spec.data() + spec.size(), value);
  if (error != std::errc{} || end == spec.data()) return std::nullopt;
  spec.remove_prefix(static_cast<std::size_t>(end - spec.data()));
  return value;
}

bool eat(std::string_view& spec, char c) {
  if (!spec.starts_with(c)) return false;
  spec.remove_prefix(1);
  return true;
}

std::string grouped(const std::string& digits, char separator) {
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += separator;
    text += digits[i];
  }
  return text;
}

/// A number in its parts: the padding of `=` goes between sign and digits.
struct NumberParts {
  std::string sign = {};
  std::string digits = {};
};

Outcome<Text> assembled(Session& session, const NumberParts& parts, const FormatSpec& spec,
                        OriginId origin) {
  const auto size = static_cast<std::int64_t>(parts.sign.size() + parts.digits.size());
  if (spec.alignment == '=' && spec.width > size) {
    const auto missing = static_cast<std::size_t>(spec.width - size);
    TRY(session.spend_bytes(missing));
    std::string text = parts.sign;
    for (std::size_t i = 0; i < missing; ++i) text += spec.fill;
    return Text(text + parts.digits, {.origin = mixed(origin, spec.origin)});
  }
  const Alignment alignment = spec.alignment == '<'   ? Alignment::left
                              : spec.alignment == '^' ? Alignment::center
                                                      : Alignment::right;
  const Text text(parts.sign + parts.digits, {.origin = mixed(origin, spec.origin)});
  return padded(
      session, text,
      {.width = spec.width, .alignment = alignment, .fill = spec.fill, .origin = spec.origin});
}

std::string sign_of(bool is_negative, char wanted) {
  if (is_negative) return "-";
  return wanted == '-' ? "" : std::string(1, wanted);
}

std::string real_digits(double value, char type, int precision) {
  switch (type) {
    case 'e': return fmt::format("{:.{}e}", value, precision);
    case 'E': return fmt::format("{:.{}E}", value, precision);
    case 'g': return fmt::format("{:.{}g}", value, precision);
    case 'G': return fmt::format("{:.{}G}", value, precision);
    case '%': return fmt::format("{:.{}f}%", value * 100, precision);
    default: return fmt::format("{:.{}f}", value, precision);
  }
}

std::unexpected<Fault> unknown_type(const FormatSpec& spec, std::string_view object) {
  return raise(python::value_error, "Unknown format code '{}' for object of type '{}'", spec.type,
               object);
}

Done check_precision(const FormatSpec& spec) {
  if (spec.precision.value_or(0) <= FormatSpec::precision_max) return {};
  return raise(python::value_error, "a precision above {}", FormatSpec::precision_max);
}

}  // namespace

Outcome<FormatSpec> parse_format_spec(std::string_view text) {
  FormatSpec spec;
  std::string_view rest = text;
  const std::size_t first = rest.empty() ? 0 : utf8::first_piece(rest).length;
  if (rest.size() > first && is_alignment(rest[first])) {
    spec.fill = rest.substr(0, first);
    spec.alignment = rest[first];
    rest.remove_prefix(first + 1);
  } else if (!rest.empty() && is_alignment(rest[0])) {
    spec.alignment = rest[0];
    rest.remove_prefix(1);
  }
  if (!rest.empty() && (rest[0] == '+' || rest[0] == '-' || rest[0] == ' ')) {
    spec.sign = rest[0];
    rest.remove_prefix(1);
  }
  spec.is_alternate = eat(rest, '#');
  if (rest.starts_with('0') && spec.alignment == 0) {
    spec.fill = "0";
    spec.alignment = '=';
  }
  spec.width = eat_number(rest).value_or(0);
  if (rest.starts_with(',') || rest.starts_with('_')) {
    spec.grouping = rest[0];
    rest.remove_prefix(1);
  }
  if (eat(rest, '.')) {
    spec.precision = eat_number(rest);
    if (!spec.precision) return raise(python::value_error, "Format specifier missing precision");
  }
  if (rest.size() > 1) return raise(python::value_error, "Invalid format specifier");
  if (!rest.empty()) spec.type = rest[0];
  return spec;
}

Outcome<Text> format_text(Session& session, const Text& text, const FormatSpec& spec) {
  if (spec.type != 0 && spec.type != 's') return unknown_type(spec, "str");
  Text cut = text;
  if (spec.precision) {
    const auto kept = static_cast<std::size_t>(std::max<std::int64_t>(*spec.precision, 0));
    cut = slice(text, 0, offset_of_character(text.bytes(), kept));
  }
  const Alignment alignment = spec.alignment == '>'   ? Alignment::right
                              : spec.alignment == '^' ? Alignment::center
                                                      : Alignment::left;
  return padded(
      session, cut,
      {.width = spec.width, .alignment = alignment, .fill = spec.fill, .origin = spec.origin});
}

Outcome<Text> format_integer(Session& session, std::int64_t value, const FormatSpec& spec,
                             OriginId origin) {
  const bool is_negative = value < 0;
  const std::uint64_t size =
      is_negative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  NumberParts parts{.sign = sign_of(is_negative, spec.sign)};
  switch (spec.type) {
    case 0:
    case 'd':
    case 'n': parts.digits = fmt::to_string(size); break;
    case 'x': parts.digits = fmt::format("{:x}", size); break;
    case 'X': parts.digits = fmt::format("{:X}", size); break;
    case 'o': parts.digits = fmt::format("{:o}", size); break;
    case 'b': parts.digits = fmt::format("{:b}", size); break;
    case 'c': {
      if (value < 0 || value > 0x10FFFF) {
        return raise(python::overflow_error, "%c arg not in range(0x110000)");
      }
      utf8::append(parts.digits, static_cast<char32_t>(value));
      parts.sign.clear();
      break;
    }
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case '%': return format_real(session, static_cast<double>(value), spec, origin);
    default: return unknown_type(spec, "int");
  }
  if (spec.is_alternate &&
      (spec.type == 'x' || spec.type == 'X' || spec.type == 'o' || spec.type == 'b')) {
    parts.sign += {'0', spec.type};
  }
  if (spec.precision && static_cast<std::size_t>(*spec.precision) > parts.digits.size()) {
    TRY(check_precision(spec));
    const auto wanted = static_cast<std::size_t>(*spec.precision);
    parts.digits.insert(0, wanted - parts.digits.size(), '0');
  }
  if (spec.grouping != 0) parts.digits = grouped(parts.digits, spec.grouping);
  return assembled(session, parts, spec, origin);
}

Outcome<Text> format_real(Session& session, double value, const FormatSpec& spec, OriginId origin) {
  TRY(check_precision(spec));
  constexpr std::int64_t default_precision = 6;
  NumberParts parts{.sign = sign_of(std::signbit(value), spec.sign)};
  const double size = std::fabs(value);
  const auto precision = static_cast<int>(spec.precision.value_or(default_precision));
  switch (spec.type) {
    case 0:
      parts.digits = spec.precision ? real_digits(size, 'g', precision) : python_real(size);
      break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case '%': parts.digits = real_digits(size, spec.type, precision); break;
    default: return unknown_type(spec, "float");
  }
  if (spec.grouping != 0) {
    const std::size_t point = std::min(parts.digits.find('.'), parts.digits.size());
    parts.digits =
        grouped(parts.digits.substr(0, point), spec.grouping) + parts.digits.substr(point);
  }
  return assembled(session, parts, spec, origin);
}

}  // namespace zhuzi::jinja
