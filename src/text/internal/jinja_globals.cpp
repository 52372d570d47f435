// The globals: see the header.
#include "text/internal/jinja_globals.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "text/internal/jinja_attribute.h"
#include "text/internal/jinja_callable.h"
#include "text/internal/jinja_clock.h"
#include "text/internal/jinja_frame.h"
#include "text/internal/jinja_iterate.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

Outcome<Value> range(Session&, const Value&, const Arguments& arguments) {
  const auto& given = arguments.positional;
  if (given.empty() || given.size() > 3 || !arguments.named.empty()) {
    return raise(python::type_error, "range expected 1 to 3 arguments, got {}", given.size());
  }
  std::array<std::int64_t, 3> numbers{};
  OriginId origin = template_origin;
  for (std::size_t i = 0; i < given.size(); ++i) {
    numbers[i] = TRY(integer_or(&given[i], 0));
    origin = mixed(origin, given[i].origin());
  }
  Range made;
  if (given.size() == 1) {
    made.stop = numbers[0];
  } else {
    made.start = numbers[0];
    made.stop = numbers[1];
    made.step = given.size() == 3 ? numbers[2] : 1;
  }
  if (made.step == 0) return raise(python::value_error, "range() arg 3 must not be zero");
  if (made.size() > Session::range_items_max) {
    return raise(python::overflow_error,
                 "Range too big. The sandbox blocks ranges larger than MAX_RANGE ({}).",
                 Session::range_items_max);
  }
  return Value(std::make_shared<const Range>(made), origin);
}

/// What dict(...) and namespace(...) are made of: a mapping or pairs, then named arguments.
Outcome<std::vector<Dict::Entry>> entries_of(Session& session, const Arguments& arguments) {
  std::vector<Dict::Entry> entries;
  if (arguments.positional.size() > 1) {
    return raise(python::type_error, "dict expected at most 1 argument, got {}",
                 arguments.positional.size());
  }
  for (const Value& source : arguments.positional) {
    if (const Dict* dict = source.dict()) {
      TRY(session.spend(dict->entries().size()));
      entries.assign(dict->entries().begin(), dict->entries().end());
      continue;
    }
    for (const Value& pair : TRY(items_of(session, source))) {
      std::vector<Value> both = TRY(items_of(session, pair));
      if (both.size() != 2) {
        return raise(python::value_error,
                     "dictionary update sequence element has length {}; 2 is required",
                     both.size());
      }
      entries.push_back({.key = std::move(both[0]), .value = std::move(both[1])});
    }
  }
  std::ranges::copy(entries_of_named(arguments), std::back_inserter(entries));
  return entries;
}

Outcome<Value> dict(Session& session, const Value&, const Arguments& arguments) {
  return make_dict(TRY(entries_of(session, arguments)));
}

Outcome<Value> name_space(Session& session, const Value&, const Arguments& arguments) {
  constexpr std::uint64_t steps_of_object = 16;
  TRY(session.spend(steps_of_object));
  const std::vector<Dict::Entry> entries = TRY(entries_of(session, arguments));
  Namespace* space = session.frames().make_namespace();
  for (const Dict::Entry& entry : entries) {
    if (entry.key.string() == nullptr) {
      return raise(python::type_error, "the names of a namespace are strings");
    }
    TRY(check_field_name(entry.key.string()->bytes()));
    TRY(session.spend(space->cost()));
    space->set(*entry.key.string(), entry.value);
  }
  return Value(space);
}

Outcome<Value> cycler(Session&, const Value&, const Arguments& arguments) {
  if (arguments.positional.empty()) {
    return raise("RuntimeError", "at least one item has to be provided");
  }
  const Extent extent = extent_around(arguments.positional);
  if (extent.depth > Extent::depth_max) {
    return raise(python::recursion_error, "a cycler of values that are nested too deep");
  }
  return Value(std::make_shared<Cycler>(Cycler{.items = arguments.positional, .extent = extent}));
}

Outcome<Value> joiner(Session& session, const Value&, const Arguments& arguments) {
  const auto [separator] = TRY(bind(arguments, "joiner", {"sep"}));
  // Only its text is ever seen, so nothing nested is kept.
  Value text =
      separator != nullptr ? Value(TRY(printed(session, *separator))) : Value(std::string(", "));
  return Value(std::make_shared<Joiner>(Joiner{.separator = std::move(text)}));
}

Outcome<Value> lipsum(Session&, const Value&, const Arguments&) {
  return raise(python::runtime_error, "lipsum() makes random text, and a render is no chance");
}

Outcome<Value> raise_exception(Session& session, const Value&, const Arguments& arguments) {
  const auto [message] = TRY(bind(arguments, "raise_exception", {"message"}, 1));
  const Text text = TRY(printed(session, *message));
  return raise("TemplateError", "{}", text.bytes());
}

Outcome<Value> strftime_now(Session& session, const Value&, const Arguments& arguments) {
  const auto [format] = TRY(bind(arguments, "strftime_now", {"format"}, 1));
  TRY(check_defined(*format));
  const Text* pattern = format->string();
  if (pattern == nullptr) {
    return raise(python::type_error, "strftime() argument 1 must be str, not {}",
                 format->type_name());
  }
  TRY(session.spend(pattern->size()));
  return Value(Text(formatted_time(session.clock().local_seconds, pattern->bytes()),
                    {.origin = pattern->origin()}));
}

constexpr std::array table{
    NamedFunction{"cycler", cycler},        NamedFunction{"dict", dict},
    NamedFunction{"joiner", joiner},        NamedFunction{"lipsum", lipsum},
    NamedFunction{"namespace", name_space}, NamedFunction{"raise_exception", raise_exception},
    NamedFunction{"range", range},          NamedFunction{"strftime_now", strftime_now}};
static_assert(std::ranges::is_sorted(table, {}, &NamedFunction::name));

}  // namespace

std::optional<Value> find_global(std::string_view name) {
  if (name == "self") {
    // There is no other template to refer to; the name only is defined.
    return Value(std::make_shared<const Opaque>(
        Opaque{.type_name = "TemplateReference", .text = Text("<TemplateReference None>")}));
  }
  const NamedFunction* entry = find_function(table, name);
  if (entry == nullptr) return std::nullopt;
  const bool is_class = name == "range" || name == "dict" || name == "namespace";
  return Value(std::make_shared<const Callable>(
      Callable{.data = Global{.entry = entry, .type_name = is_class ? "type" : "function"}}));
}

}  // namespace zhuzi::jinja
