// Attributes and subscripts: see the header.
#include "text/internal/jinja_attribute.h"

#include <algorithm>
#include <optional>

#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_member.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

/// How Jinja calls an object in "... has no attribute".
std::string described(const Value& object) {
  if (object.is_none()) return "None";
  const std::string name(object.type_name());
  if (object.name_space() != nullptr) return "jinja2.utils." + name + " object";
  if (object.loop() != nullptr) return "jinja2.runtime." + name + " object";
  return name + " object";
}

Value missing(const Value& object, const Value& name) {
  if (const Text* text = name.string()) {
    return make_undefined("'" + described(object) + "' has no attribute " +
                          quoted_python(text->bytes()));
  }
  const auto integer = name.integer();
  const std::string shown = integer ? fmt::to_string(*integer) : std::string(name.type_name());
  return make_undefined(described(object) + " has no element " + shown);
}

/// Python's index, which may count from the end; empty outside.
std::optional<std::size_t> place_of(std::int64_t index, std::size_t size) {
  const auto count = static_cast<std::int64_t>(size);
  const std::int64_t place = index < 0 ? index + count : index;
  if (place < 0 || place >= count) return std::nullopt;
  return static_cast<std::size_t>(place);
}

Value character_at(const Text& text, std::size_t index) {
  const std::size_t begin = offset_of_character(text.bytes(), index);
  const std::size_t length = offset_of_character(text.bytes().substr(begin), 1);
  return Value(slice(text, begin, begin + length));
}

/// object[index], or nothing where Python raises a TypeError or a LookupError.
Outcome<std::optional<Value>> item(Session& session, const Value& object, const Value& index) {
  if (const Dict* dict = object.dict()) {
    if (!check_key(index)) return std::nullopt;
    const Value* value = dict->find(index);
    return value != nullptr ? std::optional(*value) : std::nullopt;
  }
  const auto integer = index.integer();
  if (!integer) return std::nullopt;
  if (const Sequence* row = object.sequence(); row != nullptr && !row->is_view()) {
    const auto place = place_of(*integer, row->items.size());
    return place ? std::optional(row->items[*place]) : std::nullopt;
  }
  if (const Range* range = object.range()) {
    const auto place = place_of(*integer, range->size());
    return place ? std::optional(Value(range->at(*place), object.origin())) : std::nullopt;
  }
  if (const Text* text = object.string()) {
    TRY(session.spend_bytes(text->size()));
    const auto place = place_of(*integer, count_characters(text->bytes()));
    return place ? std::optional(character_at(*text, *place)) : std::nullopt;
  }
  return std::nullopt;
}

/// A slice with its bounds inside the row, as Python's slice.indices gives it.
struct Bounds {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  std::int64_t step = 1;
  [[nodiscard]] Range range() const { return {.start = start, .stop = stop, .step = step}; }
};

Outcome<std::int64_t> part_or(const Value& part, std::int64_t fallback) {
  if (part.is_none()) return fallback;
  if (const auto integer = part.integer()) return *integer;
  return raise(python::type_error,
               "slice indices must be integers or None or have an __index__ method");
}

Outcome<Bounds> bounds_of(const SliceParts& parts, std::size_t size) {
  const auto count = static_cast<std::int64_t>(size);
  const std::int64_t step = TRY(part_or(parts.step, 1));
  if (step == 0) return raise(python::value_error, "slice step cannot be zero");
  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = step > 0 ? count : count - 1;
  const auto inside = [&](std::int64_t index) {
    return std::clamp(index < 0 ? index + count : index, low, high);
  };
  const std::int64_t first = step > 0 ? low : high;
  const std::int64_t last = step > 0 ? high : low;
  const std::int64_t start = TRY(part_or(parts.start, first));
  const std::int64_t stop = TRY(part_or(parts.stop, last));
  return Bounds{.start = parts.start.is_none() ? first : inside(start),
                .stop = parts.stop.is_none() ? last : inside(stop),
                .step = std::clamp(step, -count - 1, count + 1)};
}

Outcome<Value> slice_of_text(Session& session, const Text& text, const SliceParts& parts) {
  TRY(session.spend_bytes(text.size()));
  const Bounds bounds = TRY(bounds_of(parts, count_characters(text.bytes())));
  const std::size_t size = bounds.range().size();
  if (bounds.step == 1) {
    const std::size_t begin =
        offset_of_character(text.bytes(), static_cast<std::size_t>(bounds.start));
    const std::size_t length = offset_of_character(text.bytes().substr(begin), size);
    return Value(slice(text, begin, begin + length));
  }
  std::vector<Character> characters;
  TRY(session.spend(text.size()));
  for (CharacterReader reader(text); !reader.at_end();) characters.push_back(reader.next());
  TextBuilder builder;
  for (std::size_t i = 0; i < size; ++i) {
    const Character& one = characters[static_cast<std::size_t>(bounds.range().at(i))];
    builder.append(one.bytes, one.mark);
  }
  return Value(builder.take().as_markup(text.is_markup()));
}

Outcome<std::int64_t> narrowed(Wide value) {
  const auto narrow = static_cast<std::int64_t>(value);
  if (narrow != value) return integer_overflow();
  return narrow;
}

Outcome<Value> slice_of_range(const Value& object, const Range& range, const Bounds& bounds) {
  const auto at = [&](std::int64_t index) {
    return narrowed(range.start + static_cast<Wide>(index) * range.step);
  };
  Range part;
  part.start = TRY(at(bounds.start));
  part.stop = TRY(at(bounds.stop));
  part.step = TRY(narrowed(static_cast<Wide>(range.step) * bounds.step));
  return Value(std::make_shared<const Range>(part), object.origin());
}

}  // namespace

Outcome<Value> attribute(const Value& object, const Value& name) {
  TRY(check_defined(object));
  if (auto found = TRY(member(object, name.string()->bytes()))) return *std::move(found);
  if (const Dict* dict = object.dict()) {
    if (const Value* value = dict->find(name.string()->bytes())) return *value;
  }
  return missing(object, name);
}

Outcome<Value> subscript(Session& session, const Value& object, const Value& index) {
  TRY(check_defined(object));
  if (auto found = TRY(item(session, object, index))) return *std::move(found);
  if (const Text* name = index.string()) {
    if (auto found = TRY(member(object, name->bytes()))) return *std::move(found);
  }
  return missing(object, index);
}

Outcome<Value> slice_value(Session& session, const Value& object, const SliceParts& parts) {
  TRY(check_defined(object));
  if (const Text* text = object.string()) return slice_of_text(session, *text, parts);
  if (const Sequence* row = object.sequence(); row != nullptr && !row->is_view()) {
    const Bounds bounds = TRY(bounds_of(parts, row->items.size()));
    const std::size_t size = bounds.range().size();
    TRY(session.spend(size));
    std::vector<Value> items;
    items.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
      items.push_back(row->items[static_cast<std::size_t>(bounds.range().at(i))]);
    }
    const auto kind = row->is_list() ? Sequence::Kind::list : Sequence::Kind::tuple;
    return make_sequence(kind, std::move(items), object.origin());
  }
  if (const Range* range = object.range()) {
    return slice_of_range(object, *range, TRY(bounds_of(parts, range->size())));
  }
  if (object.dict() != nullptr) return raise(python::type_error, "unhashable type: 'slice'");
  return raise(python::type_error, "'{}' object is not subscriptable", object.type_name());
}

Done check_field_name(std::string_view name) {
  if (!name.starts_with('_')) return {};
  return raise(python::security_error,
               "Chat templates cannot store underscore-prefixed attributes on a namespace, but got "
               "{}. Please rename the attribute.",
               quoted_python(name));
}

}  // namespace zhuzi::jinja
