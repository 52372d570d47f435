// Python's `pattern % values`.
#include <charconv>
#include <cmath>

#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_format.h"
#include "text/internal/jinja_format_spec.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

class PercentFormatter {
 public:
  PercentFormatter(Session& session, const Text& pattern, const Value& values)
      : session_(session), pattern_(pattern), values_(values) {}

  Outcome<Value> run() {
    const std::string_view bytes = pattern_.bytes();
    TRY(session_.spend_bytes(bytes.size()));
    while (position_ < bytes.size()) {
      const std::size_t percent = std::min(bytes.find('%', position_), bytes.size());
      out_.append(pattern_, position_, percent);
      position_ = percent;
      if (position_ < bytes.size()) TRY(format_field());
      TRY(session_.check_bytes(out_.size()));
    }
    TRY(check_all_used());
    return Value(out_.take().as_markup(pattern_.is_markup()));
  }

 private:
  [[nodiscard]] const Sequence* tuple() const {
    const Sequence* row = values_.sequence();
    return row != nullptr && row->is_tuple() ? row : nullptr;
  }

  Done check_all_used() const {
    const std::size_t used = next_;
    const bool is_mapping =
        values_.dict() != nullptr || (values_.sequence() != nullptr && tuple() == nullptr);
    const std::size_t given = tuple() != nullptr ? tuple()->items.size() : 1;
    if (is_mapping || used >= given) return {};
    return raise(python::type_error, "not all arguments converted during string formatting");
  }

  Outcome<Value> next_value() {
    const std::size_t index = next_++;
    if (const Sequence* row = tuple(); row != nullptr && index < row->items.size()) {
      return row->items[index];
    }
    if (tuple() == nullptr && index == 0) return values_;
    return raise(python::type_error, "not enough arguments for format string");
  }

  Outcome<char> next_character() {
    if (position_ == pattern_.size()) return raise(python::value_error, "incomplete format");
    return pattern_.bytes()[position_++];
  }

  Outcome<Value> named_value() {
    const std::size_t close = pattern_.bytes().find(')', position_);
    if (close == std::string_view::npos) {
      return raise(python::value_error, "incomplete format key");
    }
    const std::string_view key = pattern_.bytes().substr(position_, close - position_);
    position_ = close + 1;
    if (values_.dict() == nullptr) return raise(python::type_error, "format requires a mapping");
    const Value* value = values_.dict()->find(key);
    if (value == nullptr) return raise("KeyError", "{}", quoted_python(key));
    return *value;
  }

  /// A number, or `*` for the next value.
  Outcome<std::int64_t> number() {
    const std::string_view rest = pattern_.bytes().substr(position_);
    if (rest.starts_with('*')) {
      ++position_;
      const Value value = TRY(next_value());
      if (const auto integer = value.integer()) return *integer;
      return raise(python::type_error, "* wants int");
    }
    std::int64_t value = 0;
    const auto end = std::from_chars(rest.data(), rest.data() + rest.size(), value).ptr;
    position_ += static_cast<std::size_t>(end - rest.data());
    return value;
  }

  Outcome<FormatSpec> spec() {
    FormatSpec spec{.origin = pattern_.origin(), .alignment = '>'};
    bool is_zero = false;
    bool is_left = false;
    for (bool is_flag = true; is_flag && position_ < pattern_.size();) {
      const char c = pattern_.bytes()[position_];
      is_left |= c == '-';
      is_zero |= c == '0';
      spec.is_alternate |= c == '#';
      if (c == '+' || (c == ' ' && spec.sign != '+')) spec.sign = c;
      is_flag = c == '-' || c == '0' || c == '#' || c == '+' || c == ' ';
      if (is_flag) ++position_;
    }
    spec.width = TRY(number());
    if (spec.width < 0) {
      is_left = true;
      spec.width = -std::max(spec.width, -std::int64_t{INT32_MAX});
    }
    if (position_ < pattern_.size() && pattern_.bytes()[position_] == '.') {
      ++position_;
      spec.precision = std::max<std::int64_t>(TRY(number()), 0);
    }
    if (is_left) {
      spec.alignment = '<';
    } else if (is_zero) {
      spec.alignment = '=';
      spec.fill = "0";
    }
    return spec;
  }

  Done format_field() {
    ++position_;
    std::optional<Value> value;
    if (position_ < pattern_.size() && pattern_.bytes()[position_] == '(') {
      ++position_;
      value = TRY(named_value());
    }
    FormatSpec field = TRY(spec());
    field.type = TRY(next_character());
    while (field.type == 'l' || field.type == 'h' || field.type == 'L') {
      field.type = TRY(next_character());
    }
    if (field.type == '%') {
      out_.append(pattern_, position_ - 1, position_);
      return {};
    }
    if (!value) value = TRY(next_value());
    out_.append(TRY(formatted(*value, field)));
    return {};
  }

  Outcome<Text> formatted(const Value& value, FormatSpec spec) {
    switch (spec.type) {
      case 's':
      case 'r':
      case 'a': return formatted_text(value, spec);
      case 'c':
        if (value.string() != nullptr && count_characters(value.string()->bytes()) == 1) {
          return formatted_text(value, spec);
        }
        break;
      case 'd':
      case 'i':
      case 'u': return formatted_decimal(value, spec);
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G': {
        TRY(check_defined(value));
        const auto number = value.number();
        if (!number) {
          return raise(python::type_error, "must be real number, not {}", value.type_name());
        }
        return format_real(session_, *number, spec, value.origin());
      }
      case 'x':
      case 'X':
      case 'o': break;
      default: return raise(python::value_error, "unsupported format character '{}'", spec.type);
    }
    TRY(check_defined(value));
    if (const auto integer = value.integer()) {
      return format_integer(session_, *integer, spec, value.origin());
    }
    return raise(python::type_error, "%{} format: an integer is required, not {}", spec.type,
                 value.type_name());
  }

  Outcome<Text> formatted_text(const Value& value, FormatSpec spec) {
    Text text = spec.type == 'r' || spec.type == 'a' ? TRY(represented(session_, value))
                                                     : TRY(printed(session_, value));
    if (pattern_.is_markup()) text = escaped(text);
    spec.type = 's';
    if (spec.alignment == '=') spec.alignment = '>';
    spec.fill = " ";
    return format_text(session_, text, spec);
  }

  Outcome<Text> formatted_decimal(const Value& value, FormatSpec spec) {
    TRY(check_defined(value));
    spec.type = 'd';
    if (const auto integer = value.integer()) {
      return format_integer(session_, *integer, spec, value.origin());
    }
    constexpr double limit = 9.2e18;
    const double* real = value.real();
    if (real == nullptr) {
      return raise(python::type_error, "%d format: a real number is required, not {}",
                   value.type_name());
    }
    if (!(std::fabs(*real) < limit)) {
      return raise(python::overflow_error, "a float that is no integer of 64 bits");
    }
    return format_integer(session_, static_cast<std::int64_t>(*real), spec, value.origin());
  }

  Session& session_;
  const Text& pattern_;
  const Value& values_;
  TextBuilder out_;
  std::size_t position_ = 0;
  std::size_t next_ = 0;
};

}  // namespace

Outcome<Value> percent_formatted(Session& session, const Text& pattern, const Value& values) {
  return PercentFormatter(session, pattern, values).run();
}

}  // namespace zhuzi::jinja
