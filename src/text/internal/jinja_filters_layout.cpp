// Filters that lay a text out or encode it: truncate, wordwrap, striptags, urlencode and the like.
// What they make belongs to the origin of what they were given, as a whole.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/utf8.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_iterate.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_text_operation.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

Outcome<Value> wordcount(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "wordcount"));
  const Text text = TRY(printed(session, subject));
  TRY(session.spend(text.size()));
  std::int64_t count = 0;
  std::string_view rest = text.bytes();
  while (!rest.empty()) {
    const std::size_t length = word_length(rest);
    count += length > 0 ? 1 : 0;
    rest.remove_prefix(length > 0 ? length : utf8::first_piece(rest).length);
  }
  return Value(count, text.origin());
}

Outcome<Value> truncate(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [length, killwords, end, leeway] =
      TRY(bind(arguments, "truncate", {"length", "killwords", "end", "leeway"}));
  constexpr std::int64_t default_length = 255;
  constexpr std::int64_t default_leeway = 5;
  const Text ending = end != nullptr ? TRY(printed(session, *end)) : Text("...");
  const bool has_leeway = leeway != nullptr && !leeway->is_none();
  const std::int64_t length_max = TRY(integer_or(length, default_length));
  const std::int64_t excess = has_leeway ? TRY(integer_or(leeway, 0)) : default_leeway;
  const auto ending_length = static_cast<std::int64_t>(count_characters(ending.bytes()));
  if (length_max < ending_length || excess < 0) {
    return raise("AssertionError", "expected length >= {}, got {}", ending_length, length_max);
  }
  const auto given = static_cast<std::int64_t>(TRY(length_of(session, subject)));
  if (given - excess <= length_max) return subject;
  if (subject.string() == nullptr) {
    return raise(python::type_error, "a string to truncate expected, not '{}'",
                 subject.type_name());
  }
  const Text& text = *subject.string();
  std::size_t kept =
      offset_of_character(text.bytes(), static_cast<std::size_t>(length_max - ending_length));
  if (killwords == nullptr || !TRY(integer_or(killwords, 0))) {
    const std::size_t space = text.bytes().substr(0, kept).rfind(' ');
    if (space != std::string_view::npos) kept = space;
  }
  TextBuilder builder;
  builder.append(text, 0, kept);
  builder.append(ending);
  return Value(builder.take().as_markup(text.is_markup()));
}

/// The words of one line in rows of at most `width` characters; longer words are cut.
Done wrap_line(Session& session, const Text& line, std::size_t width, std::vector<Text>& rows) {
  std::string row;
  std::size_t columns = 0;
  const Mark mark{.origin = line.origin()};
  const auto finish = [&] {
    if (!row.empty()) rows.emplace_back(std::exchange(row, {}), mark);
    columns = 0;
  };
  for (const Value& word : TRY(split_words(session, line, -1))) {
    std::string_view rest = word.string()->bytes();
    std::size_t length = count_characters(rest);
    if (columns > 0 && columns + 1 + length > width) finish();
    for (; length > width; length -= width) {
      const std::size_t cut = offset_of_character(rest, width);
      rows.emplace_back(std::string(rest.substr(0, cut)), mark);
      rest.remove_prefix(cut);
    }
    if (columns > 0) row += ' ';
    columns += length + (columns > 0 ? 1 : 0);
    row += rest;
  }
  finish();
  return {};
}

Outcome<Value> wordwrap(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [width, break_long, wrapstring, break_hyphens] = TRY(
      bind(arguments, "wordwrap", {"width", "break_long_words", "wrapstring", "break_on_hyphens"}));
  constexpr std::int64_t default_width = 79;
  const Text text = TRY(printed(session, subject));
  const std::int64_t columns = TRY(integer_or(width, default_width));
  if (columns <= 0) {
    return raise(python::value_error, "invalid width {} (must be > 0)", columns);
  }
  TRY(session.spend(text.size()));
  std::vector<Text> rows;
  for (const Line& line : lines_of(text.bytes())) {
    const std::size_t before = rows.size();
    TRY(wrap_line(session, slice(text, line.begin, line.end), static_cast<std::size_t>(columns),
                  rows));
    if (rows.size() == before) rows.emplace_back();
  }
  const bool has_separator = wrapstring != nullptr && !wrapstring->is_none();
  const Text separator = has_separator ? TRY(printed(session, *wrapstring)) : Text("\n");
  return Value(TRY(joined(session, rows, separator)));
}

std::string without_tags(std::string_view html) {
  std::string text;
  while (!html.empty()) {
    const std::size_t open = html.find('<');
    text += html.substr(0, open);
    if (open == std::string_view::npos) break;
    const bool is_comment = html.substr(open).starts_with("<!--");
    const std::string_view close_mark = is_comment ? "-->" : ">";
    const std::size_t close = html.find(close_mark, open);
    if (close == std::string_view::npos) {
      text += html.substr(open);
      break;
    }
    html.remove_prefix(close + close_mark.size());
  }
  return text;
}

std::string without_entities(std::string text) {
  static constexpr std::pair<std::string_view, std::string_view> entities[] = {
      {"&lt;", "<"},  {"&gt;", ">"},        {"&#34;", "\""}, {"&quot;", "\""},
      {"&#39;", "'"}, {"&nbsp;", "\u00A0"}, {"&amp;", "&"}};
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = std::string_view(text).substr(i);
    const auto* const found = std::ranges::find_if(
        entities, [&](const auto& entity) { return rest.starts_with(entity.first); });
    const bool is_entity = found != std::end(entities);
    plain += is_entity ? found->second : rest.substr(0, 1);
    i += is_entity ? found->first.size() : 1;
  }
  return plain;
}

Outcome<Value> striptags(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "striptags"));
  const Text text = TRY(printed(session, subject));
  TRY(session.spend(text.size()));
  const Text bare(without_tags(text.bytes()), {.origin = text.origin()});
  std::string line;
  for (const Value& word : TRY(split_words(session, bare, -1))) {
    if (!line.empty()) line += ' ';
    line += word.string()->bytes();
  }
  return Value(Text(without_entities(std::move(line)), {.origin = text.origin()}));
}

enum class Quoting : std::uint8_t { path, query };

Text url_quoted(const Text& text, Quoting quoting) {
  std::string quoted;
  for (const char c : text.bytes()) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-' || c == '~' ||
                          (c == '/' && quoting == Quoting::path);
    if (is_plain) {
      quoted += c;
    } else if (c == ' ' && quoting == Quoting::query) {
      quoted += '+';
    } else {
      quoted += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return Text(std::move(quoted), {.origin = text.origin()});
}

Outcome<Value> urlencode(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "urlencode"));
  if (subject.string() != nullptr || !is_iterable(subject)) {
    const Text text = TRY(printed(session, subject));
    TRY(session.spend(text.size()));
    return Value(url_quoted(text, Quoting::path));
  }
  const bool is_dict = subject.dict() != nullptr;
  const Value pairs = is_dict ? TRY(view_of(session, Sequence::Kind::items, subject)) : subject;
  std::vector<Text> parts;
  for (const Value& pair : TRY(items_of(session, pairs))) {
    const std::vector<Value> both = TRY(items_of(session, pair));
    if (both.size() != 2) return raise(python::value_error, "pairs of a key and a value expected");
    TextBuilder builder;
    builder.append(url_quoted(TRY(printed(session, both[0])), Quoting::query));
    builder.append("=", {});
    builder.append(url_quoted(TRY(printed(session, both[1])), Quoting::query));
    parts.push_back(builder.take());
  }
  return Value(TRY(joined(session, parts, Text("&"))));
}

Outcome<Value> xmlattr(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [autospace] = TRY(bind(arguments, "xmlattr", {"autospace"}));
  TRY(check_defined(subject));
  if (subject.dict() == nullptr) {
    return raise(python::type_error, "'{}' object has no attribute 'items'", subject.type_name());
  }
  TextBuilder builder;
  for (const Dict::Entry& entry : subject.dict()->entries()) {
    if (entry.value.is_none() || entry.value.is_undefined()) continue;
    const Text key = TRY(printed(session, entry.key));
    if (key.bytes().find_first_of(" \t\n\r\f/>=") != std::string_view::npos) {
      return raise(python::value_error, "Invalid character in attribute name: {}",
                   quoted_python(key.bytes()));
    }
    const bool has_space =
        builder.size() > 0 || autospace == nullptr || TRY(integer_or(autospace, 1));
    if (has_space) builder.append(" ", {});
    builder.append(escaped(key));
    builder.append("=\"", {});
    builder.append(escaped(TRY(printed(session, entry.value))));
    builder.append("\"", {});
    TRY(session.spend(1));
    TRY(session.check_bytes(builder.size()));
  }
  return Value(builder.take().as_markup(session.is_autoescaping()));
}

Outcome<Value> pprint(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "pprint"));
  return Value(TRY(represented(session, subject)));
}

constexpr std::array table{
    NamedFunction{"pprint", pprint},       NamedFunction{"striptags", striptags},
    NamedFunction{"truncate", truncate},   NamedFunction{"urlencode", urlencode},
    NamedFunction{"wordcount", wordcount}, NamedFunction{"wordwrap", wordwrap},
    NamedFunction{"xmlattr", xmlattr}};
static_assert(std::ranges::is_sorted(table, {}, &NamedFunction::name));

}  // namespace

std::span<const NamedFunction> layout_filters() { return table; }

}  // namespace zhuzi::jinja
