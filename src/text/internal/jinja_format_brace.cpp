// Python's `pattern.format(...)`.
#include <charconv>

#include "text/internal/jinja_attribute.h"
#include "text/internal/jinja_format.h"
#include "text/internal/jinja_format_spec.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

constexpr std::size_t npos = std::string_view::npos;

std::optional<std::int64_t> as_index(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class BraceFormatter {
 public:
  BraceFormatter(Session& session, const Text& pattern, const Arguments& arguments)
      : session_(session), pattern_(pattern), arguments_(arguments) {}

  Outcome<Value> run() {
    TRY(session_.spend_bytes(pattern_.size()));
    TRY(expand(pattern_, false));
    return Value(out_.take().as_markup(pattern_.is_markup()));
  }

 private:
  /// Appends the expansion of `text`; inside a spec there are no further specs.
  Done expand(const Text& text, bool is_spec) {
    const std::string_view bytes = text.bytes();
    std::size_t position = 0;
    while (position < bytes.size()) {
      const std::size_t brace = std::min(bytes.find_first_of("{}", position), bytes.size());
      out_.append(text, position, brace);
      position = brace;
      if (position == bytes.size()) break;
      const bool is_doubled = position + 1 < bytes.size() && bytes[position + 1] == bytes[position];
      if (is_doubled) {
        out_.append(text, position, position + 1);
        position += 2;
        continue;
      }
      if (bytes[position] == '}') {
        return raise(python::value_error, "Single '}}' encountered in format string");
      }
      const std::size_t close = closing_brace(bytes, position);
      if (close == npos) {
        return raise(python::value_error, "expected '}}' before end of string");
      }
      TRY(format_field(bytes.substr(position + 1, close - position - 1), is_spec));
      TRY(session_.check_bytes(out_.size()));
      position = close + 1;
    }
    return {};
  }

  static std::size_t closing_brace(std::string_view bytes, std::size_t open) {
    std::size_t depth = 0;
    for (std::size_t at = open; at < bytes.size(); ++at) {
      if (bytes[at] == '{') ++depth;
      if (bytes[at] == '}' && --depth == 0) return at;
    }
    return npos;
  }

  Done format_field(std::string_view field, bool is_spec) {
    TRY(session_.spend(1));
    const std::size_t name_end = std::min(field.find_first_of("!:"), field.size());
    const Value value = TRY(value_of(field.substr(0, name_end)));
    std::string_view rest = field.substr(name_end);
    char conversion = 0;
    if (rest.starts_with('!') && rest.size() > 1) {
      conversion = rest[1];
      rest.remove_prefix(2);
    }
    Text spec_text;
    if (rest.starts_with(':')) {
      if (is_spec) return raise(python::value_error, "Max string recursion exceeded");
      TextBuilder outer = std::exchange(out_, TextBuilder());
      Done done = expand(Text(std::string(rest.substr(1))), true);
      spec_text = std::exchange(out_, std::move(outer)).take();
      TRY(std::move(done));
    }
    FormatSpec spec = TRY(parse_format_spec(spec_text.bytes()));
    spec.origin = mixed(pattern_.origin(), spec_text.origin());
    out_.append(TRY(formatted(value, conversion, spec)));
    return {};
  }

  Outcome<Text> formatted(const Value& value, char conversion, const FormatSpec& spec) {
    if (conversion == 'r' || conversion == 'a') {
      return finished(TRY(represented(session_, value)), spec);
    }
    if (conversion != 's') {
      if (const auto integer = value.integer(); integer && !is_plain_bool(value, spec)) {
        return format_integer(session_, *integer, spec, value.origin());
      }
      if (const double* real = value.real()) {
        return format_real(session_, *real, spec, value.origin());
      }
    }
    return finished(TRY(printed(session_, value)), spec);
  }

  static bool is_plain_bool(const Value& value, const FormatSpec& spec) {
    return value.boolean() != nullptr && spec.type == 0;
  }

  Outcome<Text> finished(const Text& text, const FormatSpec& spec) {
    return format_text(session_, pattern_.is_markup() ? escaped(text) : text, spec);
  }

  /// `0.name[key]`: an argument and what hangs on it.
  Outcome<Value> value_of(std::string_view path) {
    const std::size_t head_end = std::min(path.find_first_of(".["), path.size());
    Value value = TRY(argument(path.substr(0, head_end)));
    std::string_view rest = path.substr(head_end);
    while (!rest.empty()) {
      const bool is_item = rest[0] == '[';
      rest.remove_prefix(1);
      const std::size_t end =
          std::min(is_item ? rest.find(']') : rest.find_first_of(".["), rest.size());
      const std::string_view key = rest.substr(0, end);
      if (key.empty()) return raise(python::value_error, "Empty attribute in format string");
      const auto index = as_index(key);
      const Value name(std::string{key});
      value = is_item ? TRY(subscript(session_, value, index ? Value(*index) : name))
                      : TRY(attribute(value, name));
      rest.remove_prefix(std::min(end + (is_item ? 1 : 0), rest.size()));
    }
    return value;
  }

  Outcome<Value> argument(std::string_view name) {
    std::optional<std::int64_t> index = as_index(name);
    if (name.empty()) index = next_++;
    if (index) {
      const auto place = static_cast<std::size_t>(*index);
      if (*index >= 0 && place < arguments_.positional.size()) return arguments_.positional[place];
      return raise(python::index_error,
                   "Replacement index {} out of range for positional args tuple", *index);
    }
    if (const Value* value = find_named(arguments_, name)) return *value;
    return raise("KeyError", "{}", quoted_python(name));
  }

  Session& session_;
  const Text& pattern_;
  const Arguments& arguments_;
  TextBuilder out_;
  std::int64_t next_ = 0;
};

}  // namespace

Outcome<Value> brace_formatted(Session& session, const Text& pattern, const Arguments& arguments) {
  return BraceFormatter(session, pattern, arguments).run();
}

}  // namespace zhuzi::jinja
