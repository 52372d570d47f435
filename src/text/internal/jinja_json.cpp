// The filter tojson: Python's json.dumps without HTML escapes, keys in their order.
//
// Marks: a string keeps its own (its quotes and escapes have its origin), brackets and keys have
// the origin of what they belong to.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_iterate.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_row.h"

namespace zhuzi::jinja {
namespace {

struct JsonStyle {
  OriginId origin = template_origin;  ///< Of the indent and the separators.
  bool escapes_non_ascii = false;
  bool has_lines = false;
  bool sorts_keys = false;
  std::string indent = {};
  std::string item_separator = ", ";
  std::string key_separator = ": ";
};

std::string escape_of(char32_t c, bool escapes_non_ascii) {
  switch (c) {
    case U'"': return "\\\"";
    case U'\\': return "\\\\";
    case U'\n': return "\\n";
    case U'\r': return "\\r";
    case U'\t': return "\\t";
    case U'\f': return "\\f";
    case U'\b': return "\\b";
    default: break;
  }
  auto code = static_cast<std::uint32_t>(c);
  if (code >= 0x20 && (code < 0x7F || !escapes_non_ascii)) return {};
  if (code < 0x10000) return code == 0x7F ? std::string() : fmt::format("\\u{:04x}", code);
  code -= 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF));
}

class JsonWriter {
 public:
  JsonWriter(Session& session, const JsonStyle& style) : session_(session), style_(style) {}

  Done write(const Value& value) {
    TRY(session_.spend(1));
    TRY(session_.check_bytes(out_.size()));
    if (const Text* text = value.string()) {
      write_string(*text);
      return {};
    }
    if (const Sequence* row = value.sequence(); row != nullptr && !row->is_view()) {
      return write_row(value, *row);
    }
    if (const Dict* dict = value.dict()) return write_dict(value, *dict);
    const std::string scalar = scalar_text(value);
    if (!scalar.empty()) {
      put(value, scalar);
      return {};
    }
    return raise(python::type_error, "Object of type {} is not JSON serializable",
                 value.type_name());
  }

  [[nodiscard]] Text take() { return out_.take(); }

 private:
  void put(const Value& value, std::string_view text) {
    out_.append(text, {.origin = mixed(value.origin(), style_.origin)});
  }

  void write_string(const Text& text) {
    const Mark mark{.origin = text.origin()};
    out_.append("\"", mark);
    for (CharacterReader reader(text); !reader.at_end();) {
      const Character character = reader.next();
      const std::string escape = escape_of(character.code_point, style_.escapes_non_ascii);
      out_.append(escape.empty() ? character.bytes : std::string_view(escape), character.mark);
    }
    out_.append("\"", mark);
  }

  /// Empty for what is no scalar of JSON.
  static std::string scalar_text(const Value& value) {
    if (value.is_none()) return "null";
    if (const bool* flag = value.boolean()) return *flag ? "true" : "false";
    if (const auto integer = value.integer()) return fmt::to_string(*integer);
    if (const BigInteger* big = value.big_integer()) return big->digits;
    const double* real = value.real();
    if (real == nullptr) return {};
    if (std::isnan(*real)) return "NaN";
    if (std::isinf(*real)) return *real < 0 ? "-Infinity" : "Infinity";
    return python_real(*real);
  }

  void new_line(const Value& value) {
    if (!style_.has_lines) return;
    put(value, "\n");
    for (std::size_t i = 0; i < depth_; ++i) put(value, style_.indent);
  }

  Done write_row(const Value& value, const Sequence& row) {
    if (row.items.empty()) {
      put(value, "[]");
      return {};
    }
    put(value, "[");
    ++depth_;
    bool is_first = true;
    for (const Value& item : row.items) {
      if (!std::exchange(is_first, false)) put(value, style_.item_separator);
      new_line(value);
      TRY(write(item));
    }
    --depth_;
    new_line(value);
    put(value, "]");
    return {};
  }

  Done write_key(const Value& value, const Value& key) {
    if (const Text* text = key.string()) {
      write_string(*text);
    } else {
      const std::string scalar = scalar_text(key);
      if (scalar.empty()) {
        return raise(python::type_error, "keys must be str, int, float, bool or None, not {}",
                     key.type_name());
      }
      put(value, "\"" + scalar + "\"");
    }
    put(value, style_.key_separator);
    return {};
  }

  Outcome<std::vector<Keyed>> sorted_entries(const Dict& dict) {
    std::vector<Keyed> rows;
    for (const Dict::Entry& entry : dict.entries()) {
      rows.push_back({.keys = {entry.key}, .item = entry.value});
    }
    TRY(sort_by_keys(session_, rows, {}));
    return rows;
  }

  Done write_dict(const Value& value, const Dict& dict) {
    if (dict.entries().empty()) {
      put(value, "{}");
      return {};
    }
    put(value, "{");
    ++depth_;
    bool is_first = true;
    const auto write_entry = [&](const Value& key, const Value& item) -> Done {
      if (!std::exchange(is_first, false)) put(value, style_.item_separator);
      new_line(value);
      TRY(write_key(value, key));
      return write(item);
    };
    if (style_.sorts_keys) {
      for (const Keyed& row : TRY(sorted_entries(dict))) {
        TRY(write_entry(row.keys[0], row.item));
      }
    } else {
      for (const Dict::Entry& entry : dict.entries()) TRY(write_entry(entry.key, entry.value));
    }
    --depth_;
    new_line(value);
    put(value, "}");
    return {};
  }

  Session& session_;
  const JsonStyle& style_;
  TextBuilder out_;
  std::size_t depth_ = 0;
};

Done set_indent(JsonStyle& style, const Value* indent) {
  if (indent == nullptr || indent->is_none()) return {};
  constexpr std::int64_t indent_max = 100;
  style.has_lines = true;
  style.item_separator = ",";
  if (const Text* text = indent->string()) {
    style.indent = text->bytes();
    style.origin = indent->origin();
    return {};
  }
  const std::int64_t width = TRY(integer_or(indent, 0));
  if (width > indent_max) return raise(python::value_error, "an indent above {}", indent_max);
  style.indent.assign(static_cast<std::size_t>(std::max<std::int64_t>(width, 0)), ' ');
  return {};
}

Done set_separators(Session& session, JsonStyle& style, const Value* separators) {
  if (separators == nullptr || separators->is_none()) return {};
  const std::vector<Value> both = TRY(items_of(session, *separators));
  if (both.size() != 2 || both[0].string() == nullptr || both[1].string() == nullptr) {
    return raise(python::value_error, "two separators expected");
  }
  style.item_separator = both[0].string()->bytes();
  style.key_separator = both[1].string()->bytes();
  style.origin = mixed(style.origin, mixed(both[0].origin(), both[1].origin()));
  return {};
}

Outcome<Value> tojson(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [ensure_ascii, indent, separators, sort_keys] =
      TRY(bind(arguments, "tojson", {"ensure_ascii", "indent", "separators", "sort_keys"}));
  JsonStyle style{.escapes_non_ascii = truth_or(ensure_ascii, false),
                  .sorts_keys = truth_or(sort_keys, false)};
  TRY(set_indent(style, indent));
  TRY(set_separators(session, style, separators));
  TRY(session.spend(subject.extent().weight));
  JsonWriter writer(session, style);
  TRY(writer.write(subject));
  return Value(writer.take());
}

constexpr std::array table{NamedFunction{"tojson", tojson}};
static_assert(std::ranges::is_sorted(table, {}, &NamedFunction::name));

}  // namespace

std::span<const NamedFunction> json_filters() { return table; }

}  // namespace zhuzi::jinja
