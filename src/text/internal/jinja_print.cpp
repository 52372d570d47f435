// Printing: see the header.
#include "text/internal/jinja_print.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "text/internal/jinja_callable.h"
#include "text/internal/jinja_unicode.h"

namespace zhuzi::jinja {
namespace {

std::string escape_of(char32_t c, char quote) {
  switch (c) {
    case U'\\': return "\\\\";
    case U'\n': return "\\n";
    case U'\r': return "\\r";
    case U'\t': return "\\t";
    default: break;
  }
  if (c == static_cast<unsigned char>(quote)) return {'\\', quote};
  const auto code = static_cast<std::uint32_t>(c);
  if (is_printable(c)) return {};
  if (c < 0x100) return fmt::format("\\x{:02x}", code);
  return c < 0x10000 ? fmt::format("\\u{:04x}", code) : fmt::format("\\U{:08x}", code);
}

void append_quoted(TextBuilder& out, const Text& text) {
  const std::string_view bytes = text.bytes();
  const bool takes_double =
      bytes.find('\'') != std::string_view::npos && bytes.find('"') == std::string_view::npos;
  const char quote = takes_double ? '"' : '\'';
  const Mark mark{.origin = text.origin()};
  out.append({&quote, 1}, mark);
  for (CharacterReader reader(text); !reader.at_end();) {
    const Character character = reader.next();
    const std::string escape = escape_of(character.code_point, quote);
    out.append(escape.empty() ? character.bytes : std::string_view(escape), character.mark);
  }
  out.append({&quote, 1}, mark);
}

/// Writes one value after another. Trees are bounded, but namespaces can hold each other, so depth
/// and work are counted here too.
class Printer {
 public:
  Printer(Session& session, TextBuilder& out) : session_(session), out_(out) {}

  Done represent(const Value& value) {
    if (depth_ > Extent::depth_max) {
      return raise(python::recursion_error, "maximum recursion depth exceeded");
    }
    TRY(session_.spend(1));
    TRY(session_.check_bytes(out_.size()));
    ++depth_;
    Done done = std::visit([&](const auto& data) { return write(value, data); }, value.data());
    --depth_;
    return done;
  }

 private:
  Done put(const Value& value, std::string_view text) {
    out_.append(text, {.origin = value.origin()});
    return {};
  }

  Done write(const Value& value, None) { return put(value, "None"); }
  Done write(const Value& value, bool data) { return put(value, data ? "True" : "False"); }
  Done write(const Value& value, std::int64_t data) { return put(value, fmt::to_string(data)); }
  Done write(const Value& value, double data) { return put(value, python_real(data)); }
  Done write(const Value& value, const std::shared_ptr<const BigInteger>& data) {
    return put(value, data->digits);
  }
  Done write(const Value& value, const std::shared_ptr<const Text>& text) {
    if (!text->is_markup()) {
      append_quoted(out_, *text);
      return {};
    }
    TRY(put(value, "Markup("));
    append_quoted(out_, *text);
    return put(value, ")");
  }
  Done write(const Value& value, const std::shared_ptr<const Undefined>&) {
    return put(value, "Undefined");
  }
  Done write(const Value& value, const std::shared_ptr<const Sequence>& row) {
    const bool is_single = row->is_tuple() && row->items.size() == 1;
    if (row->is_view()) out_.append(value.type_name(), {.origin = value.origin()});
    if (row->is_view()) out_.append("(", {.origin = value.origin()});
    TRY(put(value, row->is_tuple() ? "(" : "["));
    bool is_first = true;
    for (const Value& item : row->items) {
      if (!std::exchange(is_first, false)) TRY(put(value, ", "));
      TRY(represent(item));
    }
    TRY(put(value, row->is_tuple() ? (is_single ? ",)" : ")") : "]"));
    return row->is_view() ? put(value, ")") : Done();
  }
  Done write(const Value& value, const std::shared_ptr<const Dict>& dict) {
    TRY(put(value, "{"));
    bool is_first = true;
    for (const Dict::Entry& entry : dict->entries()) {
      if (!std::exchange(is_first, false)) TRY(put(value, ", "));
      TRY(represent(entry.key));
      TRY(put(value, ": "));
      TRY(represent(entry.value));
    }
    return put(value, "}");
  }
  Done write(const Value& value, const std::shared_ptr<const Range>& range) {
    const std::string step = range->step == 1 ? "" : fmt::format(", {}", range->step);
    return put(value, fmt::format("range({}, {}{})", range->start, range->stop, step));
  }
  Done write(const Value& value, const std::shared_ptr<const Callable>& callable) {
    if (const auto* macro = std::get_if<Macro>(&callable->data)) {
      const std::string name = macro->name.empty() ? "anonymous" : quoted_python(macro->name);
      return put(value, "<Macro " + name + ">");
    }
    return put(value, fmt::format("<{}>", value.type_name()));
  }
  Done write(const Value&, const std::shared_ptr<const Opaque>& opaque) {
    out_.append(opaque->text);
    return {};
  }
  Done write(const Value& value, const std::shared_ptr<Generator>&) {
    return put(value, "<generator object>");
  }
  Done write(const Value& value, const std::shared_ptr<Cycler>&) { return put(value, "<Cycler>"); }
  Done write(const Value& value, const std::shared_ptr<Joiner>&) { return put(value, "<Joiner>"); }
  Done write(const Value& value, Namespace* space) {
    TRY(put(value, "<Namespace {"));
    bool is_first = true;
    for (const auto& [name, field] : space->fields) {
      if (!std::exchange(is_first, false)) TRY(put(value, ", "));
      append_quoted(out_, name);
      TRY(put(value, ": "));
      TRY(represent(field));
    }
    return put(value, "}>");
  }
  Done write(const Value& value, Loop* loop) {
    return put(value, fmt::format("<LoopContext {}/{}>", loop->index + 1, loop->count));
  }

  Session& session_;
  TextBuilder& out_;
  std::size_t depth_ = 0;
};

/// Digits and exponent of the shortest form: 1.5e-07 is "15" and -7.
struct Decimal {
  std::string digits;
  int exponent = 0;
};

Decimal shortest(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t mark = text.find('e');
  Decimal decimal;
  for (const char c : text.substr(0, mark)) {
    if (c != '.') decimal.digits += c;
  }
  const std::size_t sign = text[mark + 1] == '+' ? mark + 2 : mark + 1;
  std::from_chars(text.data() + sign, text.data() + text.size(), decimal.exponent);
  return decimal;
}

}  // namespace

Outcome<Text> printed(Session& session, const Value& value) {
  if (const Text* text = value.string()) return *text;
  if (value.is_undefined()) return Text();
  return represented(session, value);
}

Outcome<Text> represented(Session& session, const Value& value) {
  TRY(session.spend(value.extent().weight));
  TextBuilder out;
  TRY(Printer(session, out).represent(value));
  TRY(session.spend_bytes(out.size()));
  return out.take();
}

std::string python_real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const std::string sign = std::signbit(value) ? "-" : "";
  const auto [digits, exponent] = shortest(std::fabs(value));
  const auto count = static_cast<int>(digits.size());
  constexpr int exponent_min = -4;
  constexpr int exponent_end = 16;
  if (exponent < exponent_min || exponent >= exponent_end) {
    const std::string fraction = count > 1 ? "." + digits.substr(1) : "";
    return fmt::format("{}{}{}e{}{:02}", sign, digits[0], fraction, exponent < 0 ? '-' : '+',
                       std::abs(exponent));
  }
  if (exponent < 0) {
    return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) {
    return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  }
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string quoted_python(std::string_view utf8) {
  TextBuilder out;
  append_quoted(out, Text(std::string(utf8)));
  return std::string(out.take().bytes());
}

Text escaped(const Text& text) { return text.is_markup() ? text : escaped_again(text); }

Text escaped_again(const Text& text) {
  TextBuilder out;
  for (CharacterReader reader(text); !reader.at_end();) {
    const Character character = reader.next();
    switch (character.code_point) {
      case U'&': out.append("&amp;", character.mark); break;
      case U'<': out.append("&lt;", character.mark); break;
      case U'>': out.append("&gt;", character.mark); break;
      case U'"': out.append("&#34;", character.mark); break;
      case U'\'': out.append("&#39;", character.mark); break;
      default: out.append(character.bytes, character.mark);
    }
  }
  return out.take().as_markup(true);
}

}  // namespace zhuzi::jinja
