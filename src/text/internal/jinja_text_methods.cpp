// The methods of strings, without those that ask what the characters are.
#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "text/internal/jinja_attribute.h"
#include "text/internal/jinja_format.h"
#include "text/internal/jinja_iterate.h"
#include "text/internal/jinja_member.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_text_operation.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

Outcome<const Text*> text_argument(const Value& value) {
  TRY(check_defined(value));
  if (const Text* text = value.string()) return text;
  return raise(python::type_error, "must be str, not {}", value.type_name());
}

template <Text (*change)(const Text&)>
Outcome<Value> changed(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "str"));
  TRY(session.spend(subject.string()->size()));
  return Value(change(*subject.string()));
}

Text upper(const Text& text) { return in_case(text, Case::upper); }
Text lower(const Text& text) { return in_case(text, Case::lower); }
Text casefold(const Text& text) { return in_case(text, Case::folded); }

template <Side side>
Outcome<Value> strip(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [chars] = TRY(bind(arguments, "strip", {"chars"}));
  TRY(session.spend_bytes(subject.string()->size()));
  if (chars == nullptr || chars->is_none()) return Value(stripped(*subject.string(), side, {}));
  const Text* listed = TRY(text_argument(*chars));
  return Value(stripped(*subject.string(), side, listed->bytes()));
}

template <bool from_right>
Outcome<Value> split_text(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [separator, maxsplit] = TRY(bind(arguments, "split", {"sep", "maxsplit"}));
  const Text& text = *subject.string();
  const std::int64_t splits_max = TRY(integer_or(maxsplit, -1));
  if (separator == nullptr || separator->is_none()) {
    return make_list(TRY(from_right ? split_words_from_right(session, text, splits_max)
                                    : split_words(session, text, splits_max)));
  }
  const std::string_view mark = TRY(text_argument(*separator))->bytes();
  if (mark.empty()) return raise(python::value_error, "empty separator");
  return make_list(TRY(from_right ? split_from_right(session, text, mark, splits_max)
                                  : split(session, text, mark, splits_max)));
}

template <bool from_right>
Outcome<Value> partition(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [separator] = TRY(bind(arguments, "partition", {"sep"}, 1));
  const Text& text = *subject.string();
  const Text& mark = *TRY(text_argument(*separator));
  if (mark.empty()) return raise(python::value_error, "empty separator");
  TRY(session.spend_bytes(text.size()));
  TRY(session.spend(text.size() / Session::bytes_per_step * mark.size()));
  const std::size_t found =
      from_right ? text.bytes().rfind(mark.bytes()) : find_bytes(text.bytes(), mark.bytes());
  if (found == std::string_view::npos) {
    const Value nothing{std::string()};
    return from_right ? make_tuple({nothing, nothing, subject})
                      : make_tuple({subject, nothing, nothing});
  }
  return make_tuple({Value(slice(text, 0, found)), *separator,
                     Value(slice(text, found + mark.size(), text.size()))});
}

Outcome<Value> splitlines(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [keepends] = TRY(bind(arguments, "splitlines", {"keepends"}));
  const Text& text = *subject.string();
  TRY(session.spend(text.size()));
  std::vector<Value> parts;
  for (const Line& line : lines_of(text.bytes())) {
    parts.emplace_back(slice(text, line.begin, truth_or(keepends, false) ? line.next : line.end));
  }
  return make_list(std::move(parts));
}

Outcome<Value> replace(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [from, to, count] = TRY(bind(arguments, "replace", {"old", "new", "count"}, 2));
  const Text& old_text = *TRY(text_argument(*from));
  const Text& new_text = *TRY(text_argument(*to));
  const bool is_markup = subject.string()->is_markup();
  const std::int64_t count_max = TRY(integer_or(count, -1));
  return Value(TRY(replaced(session, *subject.string(), is_markup ? escaped(old_text) : old_text,
                            is_markup ? escaped(new_text) : new_text, count_max)));
}

Outcome<Value> join(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [row] = TRY(bind(arguments, "join", {"iterable"}, 1));
  std::vector<Text> parts;
  const bool is_markup = subject.string()->is_markup();
  for (const Value& item : TRY(items_of(session, *row))) {
    if (item.string() == nullptr) {
      return raise(python::type_error, "sequence item {}: expected str instance, {} found",
                   parts.size(), item.type_name());
    }
    parts.push_back(is_markup ? escaped(*item.string()) : *item.string());
  }
  return Value(TRY(joined(session, parts, *subject.string())).as_markup(is_markup));
}

template <bool at_end>
Outcome<Value> has_affix(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [affix, start, stop] =
      TRY(bind(arguments, "startswith", {"prefix", "start", "end"}, 1));
  const Value part = TRY(slice_value(
      session, subject,
      {.start = start != nullptr ? *start : Value(), .stop = stop != nullptr ? *stop : Value()}));
  const std::string_view text = part.string()->bytes();
  const Sequence* row = affix->sequence();
  const bool is_tuple = row != nullptr && row->is_tuple();
  const std::vector<Value> wanted = is_tuple ? row->items : std::vector<Value>{*affix};
  TRY(session.spend(wanted.size()));
  for (const Value& one : wanted) {
    const std::string_view bytes = TRY(text_argument(one))->bytes();
    if (at_end ? text.ends_with(bytes) : text.starts_with(bytes)) return Value(true);
  }
  return Value(false);
}

template <bool at_end>
Outcome<Value> remove_affix(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [affix] = TRY(bind(arguments, "removeprefix", {"affix"}, 1));
  const Text& text = *subject.string();
  const std::string_view bytes = TRY(text_argument(*affix))->bytes();
  TRY(session.spend_bytes(text.size()));
  const bool has_it = at_end ? text.bytes().ends_with(bytes) : text.bytes().starts_with(bytes);
  if (!has_it || bytes.empty()) return subject;
  return Value(at_end ? slice(text, 0, text.size() - bytes.size())
                      : slice(text, bytes.size(), text.size()));
}

/// A part of the subject to look in, and where it begins, in characters.
struct Search {
  Value part = {};
  std::string_view needle = {};
  std::int64_t offset = 0;
};

Outcome<Search> search_of(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [needle, start, stop] = TRY(bind(arguments, "find", {"sub", "start", "end"}, 1));
  Search search{.needle = TRY(text_argument(*needle))->bytes()};
  const Value first = start != nullptr ? *start : Value();
  search.part = TRY(
      slice_value(session, subject, {.start = first, .stop = stop != nullptr ? *stop : Value()}));
  const auto length = static_cast<std::int64_t>(TRY(length_of(session, subject)));
  const std::int64_t begin = first.integer().value_or(0);
  search.offset = begin < 0 ? std::max<std::int64_t>(begin + length, 0) : begin;
  TRY(session.spend(subject.string()->size() / Session::bytes_per_step *
                    (1 + search.needle.size())));
  return search;
}

template <bool from_right, bool must_exist>
Outcome<Value> find(Session& session, const Value& subject, const Arguments& arguments) {
  const Search search = TRY(search_of(session, subject, arguments));
  const std::string_view text = search.part.string()->bytes();
  const std::size_t found =
      from_right ? text.rfind(search.needle) : find_bytes(text, search.needle);
  if (found != std::string_view::npos) {
    const auto characters = static_cast<std::int64_t>(count_characters(text.substr(0, found)));
    return Value(search.offset + characters, subject.origin());
  }
  if (must_exist) return raise(python::value_error, "substring not found");
  return Value(std::int64_t{-1});
}

Outcome<Value> count(Session& session, const Value& subject, const Arguments& arguments) {
  const Search search = TRY(search_of(session, subject, arguments));
  const std::string_view text = search.part.string()->bytes();
  if (search.needle.empty()) {
    return Value(static_cast<std::int64_t>(count_characters(text) + 1), subject.origin());
  }
  std::int64_t total = 0;
  for (std::size_t at = find_bytes(text, search.needle); at != std::string_view::npos; ++total) {
    at = find_bytes(text, search.needle, at + search.needle.size());
  }
  return Value(total, subject.origin());
}

template <Alignment alignment>
Outcome<Value> pad(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [width, fill] = TRY(bind(arguments, "ljust", {"width", "fillchar"}, 1));
  Padding padding{.width = TRY(integer_or(width, 0)), .alignment = alignment};
  if (fill != nullptr) {
    padding.fill = TRY(text_argument(*fill))->bytes();
    padding.origin = fill->origin();
  }
  if (count_characters(padding.fill) != 1) {
    return raise(python::type_error, "The fill character must be exactly one character long");
  }
  return Value(TRY(padded(session, *subject.string(), padding)));
}

Outcome<Value> zfill(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [width] = TRY(bind(arguments, "zfill", {"width"}, 1));
  const Text& text = *subject.string();
  const std::size_t sign = text.bytes().starts_with('-') || text.bytes().starts_with('+') ? 1 : 0;
  const std::int64_t digits = TRY(integer_or(width, 0)) - static_cast<std::int64_t>(sign);
  TextBuilder builder;
  builder.append(text, 0, sign);
  builder.append(TRY(padded(session, slice(text, sign, text.size()),
                            {.width = digits, .alignment = Alignment::right, .fill = "0"})));
  return Value(builder.take().as_markup(text.is_markup()));
}

Outcome<Value> expandtabs(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [tabsize] = TRY(bind(arguments, "expandtabs", {"tabsize"}));
  constexpr std::int64_t default_size = 8;
  const std::int64_t size = TRY(integer_or(tabsize, default_size));
  TextBuilder builder;
  std::int64_t column = 0;
  TRY(session.spend(subject.string()->size()));
  for (CharacterReader reader(*subject.string()); !reader.at_end();) {
    const Character character = reader.next();
    if (character.code_point != U'\t') {
      builder.append(character.bytes, character.mark);
      const bool is_line_end = character.code_point == U'\n' || character.code_point == U'\r';
      column = is_line_end ? 0 : column + 1;
      continue;
    }
    const std::int64_t spaces = size > 0 ? size - column % size : 0;
    TRY(session.spend_bytes(static_cast<std::size_t>(spaces)));
    TRY(session.check_bytes(builder.size() + static_cast<std::size_t>(spaces)));
    builder.append(std::string(static_cast<std::size_t>(spaces), ' '), character.mark);
    column += spaces;
  }
  return Value(builder.take().as_markup(subject.string()->is_markup()));
}

Outcome<Value> format(Session& session, const Value& subject, const Arguments& arguments) {
  return brace_formatted(session, *subject.string(), arguments);
}

/// Bytes can only be printed.
Outcome<Value> encode(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(bind(arguments, "encode", {"encoding", "errors"}));
  const Text& text = *subject.string();
  TRY(session.spend_bytes(text.size()));
  const bool takes_double = text.bytes().find('\'') != std::string_view::npos &&
                            text.bytes().find('"') == std::string_view::npos;
  const char quote = takes_double ? '"' : '\'';
  std::string shown = {'b', quote};
  for (const char c : text.bytes()) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\' || c == quote) {
      shown += {'\\', c};
    } else if (c == '\n' || c == '\r' || c == '\t') {
      shown += {'\\', c == '\n' ? 'n' : (c == '\r' ? 'r' : 't')};
    } else {
      shown += byte >= 0x20 && byte < 0x7F ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
    }
  }
  shown += quote;
  return Value(std::make_shared<const Opaque>(
      Opaque{.type_name = "bytes", .text = Text(std::move(shown), {.origin = text.origin()})}));
}

/// The table is a dict from code points to texts, code points, or none for nothing.
Outcome<Value> translate(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [table] = TRY(bind(arguments, "translate", {"table"}, 1));
  if (table->dict() == nullptr) {
    return raise(python::type_error, "'{}' object is no table", table->type_name());
  }
  TextBuilder builder;
  TRY(session.spend(subject.string()->size()));
  for (CharacterReader reader(*subject.string()); !reader.at_end();) {
    const Character character = reader.next();
    const Value code(static_cast<std::int64_t>(character.code_point));
    const Value* target = table->dict()->find(code);
    if (target == nullptr) {
      builder.append(character.bytes, character.mark);
    } else if (const Text* text = target->string()) {
      TRY(session.spend_bytes(text->size()));
      TRY(session.check_bytes(builder.size() + text->size()));
      builder.append(*text);
    } else if (const auto point = target->integer()) {
      std::string bytes;
      const bool is_character =
          *point >= 0 && *point <= 0x10FFFF && (*point < 0xD800 || *point >= 0xE000);
      if (!is_character) return raise(python::value_error, "no character {}", *point);
      utf8::append(bytes, static_cast<char32_t>(*point));
      builder.append(bytes, character.mark);
    } else if (!target->is_none()) {
      return raise(python::type_error, "character mapping must return integer, None or str");
    }
  }
  return Value(builder.take());
}

constexpr std::array table{NamedFunction{"capitalize", changed<capitalized>},
                           NamedFunction{"casefold", changed<casefold>},
                           NamedFunction{"center", pad<Alignment::center>},
                           NamedFunction{"count", count},
                           NamedFunction{"encode", encode},
                           NamedFunction{"endswith", has_affix<true>},
                           NamedFunction{"expandtabs", expandtabs},
                           NamedFunction{"find", find<false, false>},
                           NamedFunction{"format", format},
                           NamedFunction{"index", find<false, true>},
                           NamedFunction{"join", join},
                           NamedFunction{"ljust", pad<Alignment::left>},
                           NamedFunction{"lower", changed<lower>},
                           NamedFunction{"lstrip", strip<Side::left>},
                           NamedFunction{"partition", partition<false>},
                           NamedFunction{"removeprefix", remove_affix<false>},
                           NamedFunction{"removesuffix", remove_affix<true>},
                           NamedFunction{"replace", replace},
                           NamedFunction{"rfind", find<true, false>},
                           NamedFunction{"rindex", find<true, true>},
                           NamedFunction{"rjust", pad<Alignment::right>},
                           NamedFunction{"rpartition", partition<true>},
                           NamedFunction{"rsplit", split_text<true>},
                           NamedFunction{"rstrip", strip<Side::right>},
                           NamedFunction{"split", split_text<false>},
                           NamedFunction{"splitlines", splitlines},
                           NamedFunction{"startswith", has_affix<false>},
                           NamedFunction{"strip", strip<Side::both>},
                           NamedFunction{"swapcase", changed<swapped_case>},
                           NamedFunction{"title", changed<titled>},
                           NamedFunction{"translate", translate},
                           NamedFunction{"upper", changed<upper>},
                           NamedFunction{"zfill", zfill}};
static_assert(std::ranges::is_sorted(table, {}, &NamedFunction::name));

}  // namespace

std::span<const NamedFunction> text_methods() { return table; }

}  // namespace zhuzi::jinja
