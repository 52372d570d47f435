// Filters on single values: defaults, numbers, attributes.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/utf8.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_iterate.h"
#include "text/internal/jinja_member.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_text_operation.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

Outcome<Value> default_value(Session&, const Value& subject, const Arguments& arguments) {
  const auto [fallback, boolean] = TRY(bind(arguments, "default", {"default_value", "boolean"}));
  const bool takes_false = truth_or(boolean, false);
  if (!subject.is_undefined() && (!takes_false || truth(subject))) return subject;
  return fallback != nullptr ? *fallback : Value(std::string());
}

/// What Python's int() and float() read: without white space around it and underscores between
/// digits, with digits of any script as ASCII. Empty when the underscores are misplaced.
std::string plain_number(const Text& text) {
  const Text bare = stripped(text, Side::both, {});
  std::string plain;
  bool was_digit = false;
  for (CharacterReader reader(bare); !reader.at_end();) {
    const Character character = reader.next();
    const char32_t c = character.code_point;
    if (c == U'_') {
      if (!was_digit || reader.at_end()) return {};
      was_digit = false;
      continue;
    }
    was_digit = is_alphanumeric(c);
    plain += is_decimal(c) ? std::string(1, static_cast<char>('0' + decimal_value(c)))
                           : std::string(character.bytes);
  }
  return plain;
}

enum class Reading : std::uint8_t { done, malformed, too_large };

Reading read_integer(std::string_view text, std::int64_t base, std::int64_t& value) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const auto has_prefix = [&](char lower, char upper) {
    return text.size() > 2 && text[0] == '0' && (text[1] == lower || text[1] == upper);
  };
  std::int64_t prefix = 0;
  if (has_prefix('x', 'X')) prefix = 16;
  if (has_prefix('o', 'O')) prefix = 8;
  if (has_prefix('b', 'B')) prefix = 2;
  if (prefix != 0 && (base == prefix || base == 0)) {
    base = prefix;
    text.remove_prefix(2);
  }
  if (base == 0) base = 10;
  if (base < 2 || base > 36 || text.empty() || text[0] == '-') return Reading::malformed;
  const std::string digits = (is_negative ? "-" : "") + std::string(text);
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, static_cast<int>(base));
  if (result.ptr != end) return Reading::malformed;
  return result.ec == std::errc{} ? Reading::done : Reading::too_large;
}

std::optional<double> read_real(const Text& text) {
  std::string plain = plain_number(text);
  std::string_view rest = plain;
  if (rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty() || rest.starts_with('+')) return std::nullopt;
  double value = 0;
  const auto result = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (result.ptr != rest.data() + rest.size() || rest.ends_with(')')) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    const bool is_small = rest.find("e-") != std::string_view::npos;
    return is_small ? 0
                    : std::copysign(std::numeric_limits<double>::infinity(),
                                    rest.starts_with('-') ? -1.0 : 1.0);
  }
  return value;
}

/// Empty for what has no integer: infinities are an OverflowError, NaN is none.
Outcome<std::optional<Value>> truncated(double real, OriginId origin) {
  if (std::isnan(real)) return std::nullopt;
  constexpr double limit = 9223372036854775808.0;
  if (!(real < limit && real >= -limit)) return integer_overflow();
  return Value(static_cast<std::int64_t>(real), origin);
}

Outcome<Value> integer(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [fallback, base] = TRY(bind(arguments, "int", {"default", "base"}));
  TRY(check_defined(subject));
  std::optional<Value> found;
  if (const auto whole = subject.integer()) return Value(*whole, subject.origin());
  if (const double* real = subject.real()) {
    found = TRY(truncated(*real, subject.origin()));
  } else if (const Text* text = subject.string()) {
    TRY(session.spend(text->size()));
    std::int64_t value = 0;
    const Reading reading = read_integer(plain_number(*text), TRY(integer_or(base, 10)), value);
    if (reading == Reading::too_large) return integer_overflow();
    if (reading == Reading::done) return Value(value, text->origin());
    const auto real_value = read_real(*text);
    if (real_value && std::isfinite(*real_value)) {
      found = TRY(truncated(*real_value, text->origin()));
    }
  }
  if (found) return *std::move(found);
  return fallback != nullptr ? *fallback : Value(std::int64_t{0});
}

Outcome<Value> real(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [fallback] = TRY(bind(arguments, "float", {"default"}));
  TRY(check_defined(subject));
  if (const auto number = subject.number()) return Value(*number, subject.origin());
  if (const Text* text = subject.string()) {
    TRY(session.spend(text->size()));
    if (const auto value = read_real(*text)) return Value(*value, text->origin());
  }
  return fallback != nullptr ? *fallback : Value(0.0);
}

Outcome<Value> absolute(Session&, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "abs"));
  if (const auto whole = subject.integer()) {
    if (*whole == std::numeric_limits<std::int64_t>::min()) return integer_overflow();
    return Value(*whole < 0 ? -*whole : *whole, subject.origin());
  }
  if (const double* value = subject.real()) return Value(std::fabs(*value), subject.origin());
  return raise(python::type_error, "bad operand type for abs(): '{}'", subject.type_name());
}

constexpr std::int64_t round_precision_max = 400;

/// To the nearest, ties to the even digit, of the value as it is in binary.
double rounded(double value, std::int64_t precision) {
  if (!std::isfinite(value)) return value;
  if (precision >= 0) {
    const std::string digits = fmt::format("{:.{}f}", value, precision);
    double result = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), result);
    return result;
  }
  const double scale = std::pow(10.0, static_cast<double>(-precision));
  return std::nearbyint(value / scale) * scale;
}

Outcome<std::int64_t> rounded(std::int64_t value, std::int64_t precision) {
  constexpr std::int64_t digits_max = 18;
  if (precision >= 0) return value;
  if (-precision > digits_max) return 0;
  std::int64_t scale = 1;
  for (std::int64_t i = 0; i < -precision; ++i) scale *= 10;
  const std::int64_t rest = ((value % scale) + scale) % scale;
  std::int64_t low = 0;
  std::int64_t result = 0;
  if (__builtin_sub_overflow(value, rest, &low)) return integer_overflow();
  const bool goes_up = rest > scale / 2 || (rest == scale / 2 && (low / scale) % 2 != 0);
  if (__builtin_add_overflow(low, goes_up ? scale : 0, &result)) return integer_overflow();
  return result;
}

Outcome<Value> round(Session&, const Value& subject, const Arguments& arguments) {
  const auto [precision, method] = TRY(bind(arguments, "round", {"precision", "method"}));
  const std::string_view way = method == nullptr || method->string() == nullptr
                                   ? std::string_view("common")
                                   : method->string()->bytes();
  if (way != "common" && way != "ceil" && way != "floor") {
    return raise("FilterArgumentError", "method must be common, ceil or floor");
  }
  const std::int64_t digits = TRY(integer_or(precision, 0));
  const auto number = subject.number();
  if (!number) {
    return raise(python::type_error, "type {} doesn't define __round__ method",
                 subject.type_name());
  }
  if (digits > round_precision_max || digits < -round_precision_max) {
    return raise(python::value_error, "a precision beyond {}", round_precision_max);
  }
  if (way == "common") {
    if (const auto whole = subject.integer()) {
      return Value(TRY(rounded(*whole, digits)), subject.origin());
    }
    return Value(rounded(*number, digits), subject.origin());
  }
  const double scale = std::pow(10.0, static_cast<double>(digits));
  const double scaled = way == "ceil" ? std::ceil(*number * scale) : std::floor(*number * scale);
  return Value(scaled / scale, subject.origin());
}

Outcome<Value> filesizeformat(Session&, const Value& subject, const Arguments& arguments) {
  const auto [binary] = TRY(bind(arguments, "filesizeformat", {"binary"}));
  static constexpr std::string_view decimal_units[] = {"kB", "MB", "GB", "TB",
                                                       "PB", "EB", "ZB", "YB"};
  static constexpr std::string_view binary_units[] = {"KiB", "MiB", "GiB", "TiB",
                                                      "PiB", "EiB", "ZiB", "YiB"};
  TRY(check_defined(subject));
  std::optional<double> bytes = subject.number();
  if (const Text* text = subject.string()) bytes = read_real(*text);
  if (!bytes) {
    return raise(python::type_error, "a number of bytes expected, not '{}'", subject.type_name());
  }
  const bool is_binary = truth_or(binary, false);
  const double base = is_binary ? 1024 : 1000;
  const Mark mark{.origin = subject.origin()};
  if (*bytes == 1) return Value(Text("1 Byte", mark));
  if (*bytes < base) return Value(Text(fmt::format("{:.0f} Bytes", std::trunc(*bytes)), mark));
  double shown = *bytes / base;
  std::size_t unit = 0;
  for (; shown >= base && unit + 1 < std::size(decimal_units); ++unit) shown /= base;
  return Value(Text(
      fmt::format("{:.1f} {}", shown, is_binary ? binary_units[unit] : decimal_units[unit]), mark));
}

Outcome<Value> attr(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [name] = TRY(bind(arguments, "attr", {"name"}, 1));
  TRY(check_defined(subject));
  const Text text = TRY(printed(session, *name));
  if (auto found = TRY(member(subject, text.bytes()))) return *std::move(found);
  return make_undefined(fmt::format("'{} object' has no attribute {}", subject.type_name(),
                                    quoted_python(text.bytes())));
}

Outcome<Value> length(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "length"));
  return Value(static_cast<std::int64_t>(TRY(length_of(session, subject))), subject.origin());
}

constexpr std::array table{NamedFunction{"abs", absolute},
                           NamedFunction{"attr", attr},
                           NamedFunction{"count", length},
                           NamedFunction{"d", default_value},
                           NamedFunction{"default", default_value},
                           NamedFunction{"filesizeformat", filesizeformat},
                           NamedFunction{"float", real},
                           NamedFunction{"int", integer},
                           NamedFunction{"length", length},
                           NamedFunction{"round", round}};
static_assert(std::ranges::is_sorted(table, {}, &NamedFunction::name));

}  // namespace

std::span<const NamedFunction> value_filters() { return table; }

}  // namespace zhuzi::jinja
