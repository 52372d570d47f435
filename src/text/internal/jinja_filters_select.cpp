// Filters that choose and map items, and cut rows into pieces.
#include <algorithm>
#include <array>
#include <utility>

#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_iterate.h"
#include "text/internal/jinja_row.h"
#include "text/internal/jinja_tests.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

using Items = Outcome<std::vector<Value>>;

constexpr std::string_view argument_error = "FilterArgumentError";

/// The arguments behind the first `count` positional ones.
Arguments without_first(const Arguments& arguments, std::size_t count) {
  Arguments rest{.named = arguments.named};
  rest.positional.assign(arguments.positional.begin() + static_cast<std::ptrdiff_t>(count),
                         arguments.positional.end());
  return rest;
}

Outcome<std::string_view> name_at(const Arguments& arguments, std::size_t index) {
  const Text* text = arguments.positional[index].string();
  if (text == nullptr) return raise(python::type_error, "a name expected");
  return text->bytes();
}

Items map_attribute(Session& session, const Value& subject, const Arguments& arguments) {
  for (const auto& [name, value] : arguments.named) {
    if (name.bytes() != "attribute" && name.bytes() != "default") {
      return raise(argument_error, "Unexpected keyword argument '{}'", name.bytes());
    }
  }
  const AttributePath path = TRY(AttributePath::from(find_named(arguments, "attribute")));
  const Value* fallback = find_named(arguments, "default");
  if (fallback != nullptr && fallback->is_none()) fallback = nullptr;
  std::vector<Value> results;
  for (const Value& item : TRY(items_of(session, subject))) {
    results.push_back(TRY(path.of(session, item, fallback)));
  }
  return results;
}

Items map(Session& session, const Value& subject, const Arguments& arguments) {
  if (!truth(subject)) return std::vector<Value>();
  if (arguments.positional.empty() && find_named(arguments, "attribute") != nullptr) {
    return map_attribute(session, subject, arguments);
  }
  if (arguments.positional.empty()) {
    return raise(argument_error, "map requires a filter argument");
  }
  const std::string_view name = TRY(name_at(arguments, 0));
  const NamedFunction* filter = find_filter(name);
  if (filter == nullptr) return raise(python::runtime_error, "No filter named '{}'.", name);
  const Arguments rest = without_first(arguments, 1);
  std::vector<Value> results;
  for (const Value& item : TRY(items_of(session, subject))) {
    results.push_back(TRY(filter->function(session, item, rest)));
  }
  return results;
}

struct Selection {
  bool keeps = true;          ///< The truth of what stays.
  bool by_attribute = false;  ///< The first argument is an attribute.
};

Items selected(Session& session, const Value& subject, const Arguments& arguments,
               Selection selection) {
  if (!truth(subject)) return std::vector<Value>();
  AttributePath path;
  const std::size_t test_at = selection.by_attribute ? 1 : 0;
  if (selection.by_attribute) {
    if (arguments.positional.empty()) {
      return raise(argument_error, "Missing parameter for attribute name");
    }
    path = TRY(AttributePath::from(&arguments.positional[0]));
  }
  const NamedFunction* test = nullptr;
  Arguments rest;
  if (arguments.positional.size() > test_at) {
    const std::string_view name = TRY(name_at(arguments, test_at));
    test = find_test(name);
    if (test == nullptr) return raise(python::runtime_error, "No test named '{}'.", name);
    rest = without_first(arguments, test_at + 1);
  }
  std::vector<Value> kept;
  for (Value& item : TRY(items_of(session, subject))) {
    const Value looked_at = TRY(path.of(session, item));
    const bool holds =
        truth(test == nullptr ? looked_at : TRY(test->function(session, looked_at, rest)));
    if (holds == selection.keeps) kept.push_back(std::move(item));
  }
  return kept;
}

template <bool keeps, bool by_attribute>
Items select(Session& session, const Value& subject, const Arguments& arguments) {
  return selected(session, subject, arguments, {.keeps = keeps, .by_attribute = by_attribute});
}

Items items(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "items"));
  if (subject.is_undefined()) return std::vector<Value>();
  if (subject.dict() == nullptr) {
    return raise(python::type_error, "Can only get item pairs from a mapping.");
  }
  const Value view = TRY(view_of(session, Sequence::Kind::items, subject));
  return view.sequence()->items;
}

Items batch(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [count, fill] = TRY(bind(arguments, "batch", {"linecount", "fill_with"}, 1));
  const std::int64_t size = TRY(integer_or(count, 0));
  std::vector<Value> batches;
  std::vector<Value> current;
  for (Value& item : TRY(items_of(session, subject))) {
    if (static_cast<std::int64_t>(current.size()) == size) {
      batches.push_back(TRY(make_list(std::exchange(current, {}))));
    }
    current.push_back(std::move(item));
  }
  if (!current.empty()) {
    const bool fills = fill != nullptr && !fill->is_none();
    while (fills && static_cast<std::int64_t>(current.size()) < size) {
      TRY(session.spend(1));
      current.push_back(*fill);
    }
    batches.push_back(TRY(make_list(std::move(current))));
  }
  return batches;
}

Items cut(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [count, fill] = TRY(bind(arguments, "slice", {"slices", "fill_with"}, 1));
  const std::int64_t slices = TRY(integer_or(count, 0));
  const std::vector<Value> all = TRY(items_of(session, subject));
  if (slices == 0) {
    return raise(python::zero_division_error, "integer division or modulo by zero");
  }
  const auto total = static_cast<std::int64_t>(all.size());
  const std::int64_t size = slices < 0 ? 0 : total / slices;
  const std::int64_t longer = slices < 0 ? 0 : total % slices;
  std::vector<Value> rows;
  auto place = all.begin();
  for (std::int64_t i = 0; i < slices; ++i) {
    TRY(session.spend(1));
    const auto end = place + size + (i < longer ? 1 : 0);
    std::vector<Value> row(place, end);
    place = end;
    if (fill != nullptr && !fill->is_none() && i >= longer) row.push_back(*fill);
    rows.push_back(TRY(make_list(std::move(row))));
  }
  return rows;
}

/// Puts the work off until the first item is asked for.
template <Items (*produce)(Session&, const Value&, const Arguments&)>
Outcome<Value> later(Session&, const Value& subject, const Arguments& arguments) {
  std::vector<Value> held = arguments.positional;
  for (const NamedArgument& argument : arguments.named) held.push_back(argument.value);
  held.push_back(subject);
  return make_generator(extent_around(held),
                        [=](Session& session) { return produce(session, subject, arguments); });
}

constexpr std::array table{NamedFunction{"batch", later<batch>},
                           NamedFunction{"items", later<items>},
                           NamedFunction{"map", later<map>},
                           NamedFunction{"reject", later<select<false, false>>},
                           NamedFunction{"rejectattr", later<select<false, true>>},
                           NamedFunction{"select", later<select<true, false>>},
                           NamedFunction{"selectattr", later<select<true, true>>},
                           NamedFunction{"slice", later<cut>}};
static_assert(std::ranges::is_sorted(table, {}, &NamedFunction::name));

}  // namespace

std::span<const NamedFunction> select_filters() { return table; }

}  // namespace zhuzi::jinja
