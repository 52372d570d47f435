// The context: see the header.
#include "text/internal/jinja_context.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "text/internal/jinja_literal.h"
#include "text/internal/jinja_unicode.h"

namespace zhuzi::jinja {
namespace {

/// As Python's json reads it: without fraction and exponent an int, else a float, also an infinite
/// one.
Value number_of(const json::Number& number, OriginId origin) {
  const std::string_view text = number.text;
  if (text.find_first_of(".eE") != std::string_view::npos) {
    const double size = real_literal(text.substr(text.starts_with('-') ? 1 : 0));
    return Value(text.starts_with('-') ? -size : size, origin);
  }
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc{} && end == text.data() + text.size()) return Value(value, origin);
  return Value(std::make_shared<const BigInteger>(BigInteger{.digits = number.text}), origin);
}

}  // namespace

OriginId Origins::add_member(OriginId parent, std::string_view key) {
  places_.push_back({.parent = parent, .key = key});
  return static_cast<OriginId>(places_.size() - 1);
}

OriginId Origins::add_item(OriginId parent, std::size_t index) {
  places_.push_back({.parent = parent, .index = index, .is_item = true});
  return static_cast<OriginId>(places_.size() - 1);
}

std::string Origins::path_of(OriginId origin) const {
  std::vector<const Place*> steps;
  for (OriginId at = origin; at != template_origin;) {
    steps.push_back(&places_[static_cast<std::size_t>(at)]);
    at = steps.back()->parent;
  }
  std::string path;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const Place& place = **step;
    if (place.is_item) {
      path += fmt::format("[{}]", place.index);
    } else if (word_length(place.key) == place.key.size() && is_identifier(place.key)) {
      path += path.empty() ? "" : ".";
      path += place.key;
    } else {
      path += "[" + json::quoted(place.key) + "]";
    }
  }
  return path;
}

Outcome<Value> ContextReader::read_member(std::string_view key, const json::Value& value,
                                          std::span<const std::string> trusted_keys) {
  is_trusted_ = std::ranges::find(trusted_keys, key) != trusted_keys.end();
  return read(value, is_trusted_ ? template_origin : origins_.add_member(template_origin, key));
}

Outcome<Value> ContextReader::read(const json::Value& value, OriginId origin) {
  if (const auto flag = value.boolean()) return Value(*flag, origin);
  if (const json::Number* number = value.number()) return number_of(*number, origin);
  if (const std::string* text = value.string()) return Value(Text(*text, {.origin = origin}));
  if (value.is_null()) return Value(None{}, origin);
  if (depth_ == Extent::depth_max) {
    return raise(python::recursion_error, "the context is nested deeper than {} levels",
                 Extent::depth_max);
  }
  ++depth_;
  auto result = value.array() != nullptr ? read_array(*value.array(), origin)
                                         : read_object(*value.object(), origin);
  --depth_;
  return result;
}

Outcome<Value> ContextReader::read_array(const json::Array& array, OriginId origin) {
  std::vector<Value> items;
  items.reserve(array.size());
  for (const json::Value& item : array) {
    const OriginId place = is_trusted_ ? origin : origins_.add_item(origin, items.size());
    items.push_back(TRY(read(item, place)));
  }
  return make_list(std::move(items), origin);
}

Outcome<Value> ContextReader::read_object(const json::Object& object, OriginId origin) {
  std::vector<Dict::Entry> entries;
  entries.reserve(object.members().size());
  for (const json::Member& member : object.members()) {
    const OriginId place = is_trusted_ ? origin : origins_.add_member(origin, member.key);
    entries.push_back({.key = Value(Text(member.key, {.origin = origin})),
                       .value = TRY(read(member.value, place))});
  }
  return make_dict(std::move(entries), origin);
}

}  // namespace zhuzi::jinja
