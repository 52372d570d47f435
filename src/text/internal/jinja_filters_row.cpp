// Filters on rows: ends, sorting, grouping, joining, sums.
#include <algorithm>
#include <array>
#include <set>

#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_iterate.h"
#include "text/internal/jinja_operator.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_row.h"
#include "text/internal/jinja_text_operation.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

Outcome<Value> first(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "first"));
  if (Generator* generator = subject.generator()) {
    auto item = TRY(next_of(session, *generator));
    return item ? *std::move(item) : make_undefined("No first item, sequence was empty.");
  }
  const std::vector<Value> items = TRY(items_of(session, subject));
  return items.empty() ? make_undefined("No first item, sequence was empty.") : items.front();
}

Outcome<Value> last(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "last"));
  if (subject.generator() != nullptr || !is_iterable(subject)) {
    return raise(python::type_error, "'{}' object is not reversible", subject.type_name());
  }
  const std::vector<Value> items = TRY(items_of(session, subject));
  return items.empty() ? make_undefined("No last item, sequence was empty.") : items.back();
}

/// A render is a function of its inputs, so the item is not left to chance: it is the first.
Outcome<Value> random(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "random"));
  const std::vector<Value> items = TRY(items_of(session, subject));
  return items.empty() ? make_undefined("No random item, sequence was empty.") : items.front();
}

Outcome<Value> list(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "list"));
  return make_list(TRY(items_of(session, subject)), subject.origin());
}

Outcome<Value> reverse(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "reverse"));
  if (!is_iterable(subject)) return raise("FilterArgumentError", "argument must be iterable");
  std::vector<Value> items = TRY(items_of(session, subject));
  std::reverse(items.begin(), items.end());
  if (const Text* text = subject.string()) {
    TextBuilder builder;
    for (const Value& item : items) builder.append(*item.string());
    return Value(builder.take().as_markup(text->is_markup()));
  }
  if (subject.generator() != nullptr) return make_list(std::move(items));
  return make_generator(subject.extent(), [items = std::move(items)](Session&) {
    return Outcome<std::vector<Value>>(items);
  });
}

Outcome<Value> join(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [separator, attribute] = TRY(bind(arguments, "join", {"d", "attribute"}));
  const AttributePath path = TRY(AttributePath::from(attribute));
  std::vector<Text> parts;
  for (const Value& item : TRY(items_of(session, subject))) {
    const Value part = TRY(path.of(session, item));
    const Text text = TRY(printed(session, part));
    parts.push_back(session.is_autoescaping() ? escaped(text) : text);
  }
  const Text between = separator != nullptr ? TRY(printed(session, *separator)) : Text();
  Text result = TRY(joined(session, parts, between));
  return Value(std::move(result).as_markup(session.is_autoescaping()));
}

Outcome<std::vector<Value>> sorted(Session& session, std::vector<Keyed> rows, SortRules rules) {
  TRY(sort_by_keys(session, rows, rules));
  std::vector<Value> items;
  items.reserve(rows.size());
  for (Keyed& row : rows) items.push_back(std::move(row.item));
  return items;
}

Outcome<Value> sort(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [is_reverse, case_sensitive, attribute] =
      TRY(bind(arguments, "sort", {"reverse", "case_sensitive", "attribute"}));
  const auto paths = TRY(AttributePath::list_from(attribute));
  std::vector<Keyed> rows;
  for (Value& item : TRY(items_of(session, subject))) {
    Keyed row;
    for (const AttributePath& path : paths) {
      const Value key = TRY(path.of(session, item));
      row.keys.push_back(case_key(key, truth_or(case_sensitive, false)));
    }
    row.item = std::move(item);
    rows.push_back(std::move(row));
  }
  const SortRules rules{.is_reverse = truth_or(is_reverse, false), .as_rows = true};
  return make_list(TRY(sorted(session, std::move(rows), rules)), subject.origin());
}

Outcome<Value> dictsort(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [case_sensitive, by, is_reverse] =
      TRY(bind(arguments, "dictsort", {"case_sensitive", "by", "reverse"}));
  const std::string_view place =
      by == nullptr || by->string() == nullptr ? std::string_view("key") : by->string()->bytes();
  if (place != "key" && place != "value") {
    return raise("FilterArgumentError", "You can only sort by either \"key\" or \"value\"");
  }
  TRY(check_defined(subject));
  const Dict* dict = subject.dict();
  if (dict == nullptr) {
    return raise(python::type_error, "'{}' object has no attribute 'items'", subject.type_name());
  }
  std::vector<Keyed> rows;
  for (const Dict::Entry& entry : dict->entries()) {
    const Value& key = place == "key" ? entry.key : entry.value;
    rows.push_back({.keys = {case_key(key, truth_or(case_sensitive, false))},
                    .item = TRY(make_tuple({entry.key, entry.value}, subject.origin()))});
  }
  const SortRules rules{.is_reverse = truth_or(is_reverse, false)};
  return make_list(TRY(sorted(session, std::move(rows), rules)), subject.origin());
}

Outcome<std::vector<Value>> unique_items(Session& session, const Value& subject,
                                         const AttributePath& path, bool is_case_sensitive) {
  const auto before = [](const Value& a, const Value& b) { return order_of_keys(a, b) < 0; };
  std::set<Value, decltype(before)> seen(before);
  std::vector<Value> kept;
  for (Value& item : TRY(items_of(session, subject))) {
    Value key = case_key(TRY(path.of(session, item)), is_case_sensitive);
    TRY(check_key(key));
    if (seen.insert(std::move(key)).second) kept.push_back(std::move(item));
  }
  return kept;
}

Outcome<Value> unique(Session&, const Value& subject, const Arguments& arguments) {
  const auto [case_sensitive, attribute] =
      TRY(bind(arguments, "unique", {"case_sensitive", "attribute"}));
  AttributePath path = TRY(AttributePath::from(attribute));
  const bool is_case_sensitive = truth_or(case_sensitive, false);
  return make_generator(subject.extent(), [=, path = std::move(path)](Session& session) {
    return unique_items(session, subject, path, is_case_sensitive);
  });
}

Outcome<Value> groupby(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [attribute, fallback, case_sensitive] =
      TRY(bind(arguments, "groupby", {"attribute", "default", "case_sensitive"}, 1));
  const AttributePath path = TRY(AttributePath::from(attribute));
  const bool has_fallback = fallback != nullptr && !fallback->is_none();
  std::vector<Keyed> rows;
  for (Value& item : TRY(items_of(session, subject))) {
    const Value key = TRY(path.of(session, item, has_fallback ? fallback : nullptr));
    // Grouped by the key without case, named by the key of the first member.
    rows.push_back({.keys = {case_key(key, truth_or(case_sensitive, false))},
                    .item = TRY(make_tuple({key, std::move(item)}))});
  }
  TRY(sort_by_keys(session, rows, {}));
  std::vector<Value> groups;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    std::vector<Value> members;
    do {
      members.push_back(rows[end++].item.sequence()->items[1]);
    } while (end < rows.size() && equal(rows[end].keys[0], rows[begin].keys[0]));
    std::vector<Value> group = {rows[begin].item.sequence()->items[0],
                                TRY(make_list(std::move(members)))};
    groups.push_back(TRY(make_sequence(Sequence::Kind::group, std::move(group))));
  }
  return make_list(std::move(groups));
}

Outcome<Value> extreme(Session& session, const Value& subject, const Arguments& arguments,
                       bool is_maximum) {
  const auto [case_sensitive, attribute] =
      TRY(bind(arguments, is_maximum ? "max" : "min", {"case_sensitive", "attribute"}));
  const AttributePath path = TRY(AttributePath::from(attribute));
  std::optional<Keyed> best;
  for (Value& item : TRY(items_of(session, subject))) {
    Value key = case_key(TRY(path.of(session, item)), truth_or(case_sensitive, false));
    const bool is_better =
        !best || TRY(is_maximum ? less(best->keys[0], key) : less(key, best->keys[0]));
    if (is_better) best = Keyed{.keys = {std::move(key)}, .item = std::move(item)};
  }
  return best ? std::move(best->item) : make_undefined("No aggregated item, sequence was empty.");
}

Outcome<Value> minimum(Session& session, const Value& subject, const Arguments& arguments) {
  return extreme(session, subject, arguments, false);
}
Outcome<Value> maximum(Session& session, const Value& subject, const Arguments& arguments) {
  return extreme(session, subject, arguments, true);
}

Outcome<Value> sum(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [attribute, start] = TRY(bind(arguments, "sum", {"attribute", "start"}));
  const AttributePath path = TRY(AttributePath::from(attribute));
  Value total = start != nullptr ? *start : Value(std::int64_t{0});
  if (total.string() != nullptr) {
    return raise(python::type_error, "sum() can't sum strings [use ''.join(seq) instead]");
  }
  for (const Value& item : TRY(items_of(session, subject))) {
    const Value part = TRY(path.of(session, item));
    total = TRY(operate(session, Operation::add, total, part));
  }
  return total;
}

constexpr std::array table{NamedFunction{"dictsort", dictsort}, NamedFunction{"first", first},
                           NamedFunction{"groupby", groupby},   NamedFunction{"join", join},
                           NamedFunction{"last", last},         NamedFunction{"list", list},
                           NamedFunction{"max", maximum},       NamedFunction{"min", minimum},
                           NamedFunction{"random", random},     NamedFunction{"reverse", reverse},
                           NamedFunction{"sort", sort},         NamedFunction{"sum", sum},
                           NamedFunction{"unique", unique}};
static_assert(std::ranges::is_sorted(table, {}, &NamedFunction::name));

}  // namespace

std::span<const NamedFunction> row_filters() { return table; }

}  // namespace zhuzi::jinja
