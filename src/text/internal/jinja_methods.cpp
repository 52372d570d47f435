// The methods of dicts, lists, tuples, cyclers and loops. None of them changes a list or a dict.
#include <algorithm>
#include <array>

#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_frame.h"
#include "text/internal/jinja_iterate.h"
#include "text/internal/jinja_member.h"

namespace zhuzi::jinja {
namespace {

Outcome<Value> get(Session&, const Value& subject, const Arguments& arguments) {
  const auto [key, fallback] = TRY(bind(arguments, "get", {"key", "default"}, 1));
  TRY(check_key(*key));
  if (const Value* value = subject.dict()->find(*key)) return *value;
  return fallback != nullptr ? *fallback : Value();
}

template <Sequence::Kind kind>
Outcome<Value> view(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "dict"));
  return view_of(session, kind, subject);
}

/// Values never change, so a copy is the value itself.
Outcome<Value> copy(Session&, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "copy"));
  return subject;
}

Outcome<Value> fromkeys(Session& session, const Value&, const Arguments& arguments) {
  const auto [keys, value] = TRY(bind(arguments, "fromkeys", {"iterable", "value"}, 1));
  std::vector<Dict::Entry> entries;
  for (Value& key : TRY(items_of(session, *keys))) {
    entries.push_back({.key = std::move(key), .value = value != nullptr ? *value : Value()});
  }
  return make_dict(std::move(entries));
}

Outcome<Value> index(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [wanted] = TRY(bind(arguments, "index", {"value"}, 1));
  TRY(session.spend(subject.extent().weight));
  const std::vector<Value> items = TRY(items_of(session, subject));
  const auto found =
      std::ranges::find_if(items, [&](const Value& item) { return equal(item, *wanted); });
  if (found == items.end()) {
    return raise(python::value_error, "the value is not in the {}", subject.type_name());
  }
  return Value(static_cast<std::int64_t>(found - items.begin()), subject.origin());
}

Outcome<Value> count(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [wanted] = TRY(bind(arguments, "count", {"value"}, 1));
  TRY(session.spend(subject.extent().weight));
  const std::vector<Value> items = TRY(items_of(session, subject));
  const auto total =
      std::ranges::count_if(items, [&](const Value& item) { return equal(item, *wanted); });
  return Value(static_cast<std::int64_t>(total), subject.origin());
}

Outcome<Value> next(Session&, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "next"));
  Cycler& cycler = *subject.cycler();
  const std::size_t place = cycler.position;
  cycler.position = (place + 1) % cycler.items.size();
  return cycler.items[place];
}

Outcome<Value> reset(Session&, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "reset"));
  subject.cycler()->position = 0;
  return Value();
}

Outcome<Value> cycle(Session&, const Value& subject, const Arguments& arguments) {
  if (arguments.positional.empty()) return raise(python::type_error, "no items for cycling given");
  return arguments.positional[subject.loop()->index % arguments.positional.size()];
}

Outcome<Value> changed(Session& session, const Value& subject, const Arguments& arguments) {
  Loop& loop = *subject.loop();
  const auto& values = arguments.positional;
  for (const Value& value : values) TRY(session.spend(value.extent().weight));
  const bool is_same_row = loop.has_changed && std::ranges::equal(values, loop.last_changed, equal);
  loop.last_changed = values;
  loop.has_changed = true;
  return Value(!is_same_row);
}

constexpr std::array dict_table{NamedFunction{"copy", copy}, NamedFunction{"get", get},
                                NamedFunction{"items", view<Sequence::Kind::items>},
                                NamedFunction{"keys", view<Sequence::Kind::keys>},
                                NamedFunction{"values", view<Sequence::Kind::values>}};
static_assert(std::ranges::is_sorted(dict_table, {}, &NamedFunction::name));
constexpr std::array list_table{NamedFunction{"copy", copy}, NamedFunction{"count", count},
                                NamedFunction{"index", index}};
static_assert(std::ranges::is_sorted(list_table, {}, &NamedFunction::name));
constexpr std::array tuple_table{NamedFunction{"count", count}, NamedFunction{"index", index}};
static_assert(std::ranges::is_sorted(tuple_table, {}, &NamedFunction::name));
constexpr std::array cycler_table{NamedFunction{"next", next}, NamedFunction{"reset", reset}};
static_assert(std::ranges::is_sorted(cycler_table, {}, &NamedFunction::name));
constexpr std::array loop_table{NamedFunction{"changed", changed}, NamedFunction{"cycle", cycle}};
static_assert(std::ranges::is_sorted(loop_table, {}, &NamedFunction::name));
constexpr std::array dict_class_table{NamedFunction{"fromkeys", fromkeys}};
static_assert(std::ranges::is_sorted(dict_class_table, {}, &NamedFunction::name));

}  // namespace

std::span<const NamedFunction> dict_methods() { return dict_table; }
std::span<const NamedFunction> list_methods() { return list_table; }
std::span<const NamedFunction> tuple_methods() { return tuple_table; }
std::span<const NamedFunction> cycler_methods() { return cycler_table; }
std::span<const NamedFunction> loop_methods() { return loop_table; }
std::span<const NamedFunction> dict_class_methods() { return dict_class_table; }

}  // namespace zhuzi::jinja
