// Filters that change a text: case, trimming, replacing, indenting, escaping.
#include <algorithm>
#include <array>

#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_format.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_text_operation.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

/// A filter without arguments that makes a text of a text.
template <Text (*change)(const Text&)>
Outcome<Value> changed(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "filter"));
  const Text text = TRY(printed(session, subject));
  TRY(session.spend(text.size()));
  return Value(change(text));
}

Text upper(const Text& text) { return in_case(text, Case::upper); }
Text lower(const Text& text) { return in_case(text, Case::lower); }

/// Unlike title() of Python: words begin behind white space and -({[< only.
Text title(const Text& text) {
  const auto begins_word = [](char32_t c) {
    return is_space(c) || c == U'-' || c == U'(' || c == U'{' || c == U'[' || c == U'<';
  };
  std::vector<std::size_t> begins;
  bool was_between = false;
  for (CharacterReader reader(text); !reader.at_end();) {
    const Character character = reader.next();
    const bool is_between = begins_word(character.code_point);
    if (begins.empty() || is_between != was_between) begins.push_back(character.offset);
    was_between = is_between;
  }
  begins.push_back(text.size());
  TextBuilder builder;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const std::size_t first_end =
        begins[i] + offset_of_character(text.bytes().substr(begins[i]), 1);
    builder.append(upper(slice(text, begins[i], first_end)));
    builder.append(lower(slice(text, first_end, begins[i + 1])));
  }
  return builder.take();
}

Outcome<Value> trim(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [chars] = TRY(bind(arguments, "trim", {"chars"}));
  const Text text = TRY(printed(session, subject));
  TRY(session.spend_bytes(text.size()));
  if (chars == nullptr || chars->is_none()) return Value(stripped(text, Side::both, {}));
  if (chars->string() == nullptr) {
    return raise(python::type_error, "strip arg must be None or str");
  }
  return Value(stripped(text, Side::both, chars->string()->bytes()));
}

Outcome<Value> replace(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [from, to, count] = TRY(bind(arguments, "replace", {"old", "new", "count"}, 2));
  const Text text = TRY(printed(session, subject));
  const Text old_text = TRY(printed(session, *from));
  const Text new_text = TRY(printed(session, *to));
  const bool is_all = count == nullptr || count->is_none();
  const std::int64_t count_max = is_all ? -1 : TRY(integer_or(count, -1));
  Text result = TRY(replaced(session, text, old_text, new_text, count_max));
  return Value(std::move(result).as_markup(false));
}

Outcome<Value> indent(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [width, first, blank] = TRY(bind(arguments, "indent", {"width", "first", "blank"}));
  TRY(check_defined(subject));
  const Text* text = subject.string();
  if (text == nullptr) {
    return raise(python::type_error, "unsupported operand type(s) for +=: '{}' and 'str'",
                 subject.type_name());
  }
  constexpr std::int64_t default_width = 4;
  Text margin;
  if (width != nullptr && width->string() != nullptr) {
    margin = *width->string();
  } else {
    const std::int64_t columns = TRY(integer_or(width, default_width));
    margin = TRY(padded(session, Text(), {.width = columns}));
  }
  const bool fills_blank = truth_or(blank, false);
  std::vector<Line> lines = lines_of(text->bytes());
  const bool ends_open = lines.empty() || lines.back().end != lines.back().next;
  if (ends_open && !text->bytes().ends_with('\r')) {
    lines.push_back({.begin = text->size(), .end = text->size(), .next = text->size()});
  }
  TRY(session.spend(lines.size()));
  TextBuilder builder;
  MarkCursor marks(*text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const bool is_blank = line.begin == line.end;
    const bool is_indented = i == 0 ? truth_or(first, false) : (fills_blank || !is_blank);
    if (is_indented) builder.append(margin);
    builder.append(*text, line.begin, line.end);
    if (i + 1 < lines.size()) builder.append("\n", marks.at(line.end));
    TRY(session.spend_bytes(margin.size()));
    TRY(session.check_bytes(builder.size()));
  }
  return Value(builder.take().as_markup(text->is_markup()));
}

Outcome<Value> center(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [width] = TRY(bind(arguments, "center", {"width"}));
  constexpr std::int64_t default_width = 80;
  const Text text = TRY(printed(session, subject));
  const std::int64_t columns = TRY(integer_or(width, default_width));
  return Value(TRY(padded(session, text, {.width = columns, .alignment = Alignment::center})));
}

Outcome<Value> string(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "string"));
  return Value(TRY(printed(session, subject)));
}

Outcome<Value> safe(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "safe"));
  return Value(TRY(printed(session, subject)).as_markup(true));
}

Outcome<Value> format(Session& session, const Value& subject, const Arguments& arguments) {
  const Text pattern = TRY(printed(session, subject));
  if (!arguments.positional.empty() && !arguments.named.empty()) {
    return raise("FilterArgumentError",
                 "can't handle positional and keyword arguments at the same time");
  }
  if (arguments.named.empty()) {
    return percent_formatted(session, pattern, TRY(make_tuple(arguments.positional)));
  }
  return percent_formatted(session, pattern, TRY(make_dict(entries_of_named(arguments))));
}

constexpr std::array table{NamedFunction{"capitalize", changed<capitalized>},
                           NamedFunction{"center", center},
                           NamedFunction{"e", changed<escaped>},
                           NamedFunction{"escape", changed<escaped>},
                           NamedFunction{"forceescape", changed<escaped_again>},
                           NamedFunction{"format", format},
                           NamedFunction{"indent", indent},
                           NamedFunction{"lower", changed<lower>},
                           NamedFunction{"replace", replace},
                           NamedFunction{"safe", safe},
                           NamedFunction{"string", string},
                           NamedFunction{"title", changed<title>},
                           NamedFunction{"trim", trim},
                           NamedFunction{"upper", changed<upper>}};
static_assert(std::ranges::is_sorted(table, {}, &NamedFunction::name));

}  // namespace

std::span<const NamedFunction> text_filters() { return table; }

}  // namespace zhuzi::jinja
