// What filters on rows share: see the header.
#include "text/internal/jinja_row.h"

#include <algorithm>
#include <charconv>

#include "text/internal/jinja_attribute.h"
#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_text_operation.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Outcome<bool> comes_first(Session& session, const Keyed& a, const Keyed& b, bool as_rows) {
  for (std::size_t i = 0; i < a.keys.size(); ++i) {
    const Value& left = a.keys[i];
    const Value& right = b.keys[i];
    TRY(session.spend(std::min(left.extent().weight, right.extent().weight)));
    if (!as_rows || !equal(left, right)) return less(left, right);
  }
  return false;
}

}  // namespace

void AttributePath::add_steps(std::string_view text) {
  for (const std::string_view part : parts_of(text, '.')) {
    std::int64_t index = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_index =
        !part.empty() && part[0] != '-' && error == std::errc{} && end == part.data() + part.size();
    steps_.push_back(is_index ? Value(index) : Value(std::string(part)));
  }
}

Outcome<AttributePath> AttributePath::from(const Value* attribute) {
  AttributePath path;
  if (attribute == nullptr || attribute->is_none()) return path;
  TRY(check_defined(*attribute));
  if (const Text* text = attribute->string()) {
    path.add_steps(text->bytes());
  } else {
    path.steps_.push_back(*attribute);
  }
  return path;
}

Outcome<std::vector<AttributePath>> AttributePath::list_from(const Value* attribute) {
  std::vector<AttributePath> paths;
  if (attribute == nullptr || attribute->string() == nullptr) {
    paths.push_back(TRY(from(attribute)));
    return paths;
  }
  for (const std::string_view part : parts_of(attribute->string()->bytes(), ',')) {
    paths.emplace_back().add_steps(part);
  }
  return paths;
}

Outcome<Value> AttributePath::of(Session& session, const Value& item, const Value* fallback) const {
  Value value = item;
  for (const Value& step : steps_) {
    TRY(session.spend(1));
    value = TRY(subscript(session, value, step));
    if (value.is_undefined() && fallback != nullptr) value = *fallback;
  }
  return value;
}

Value case_key(const Value& value, bool is_case_sensitive) {
  const Text* text = value.string();
  if (text == nullptr || is_case_sensitive) return value;
  return Value(in_case(*text, Case::lower));
}

/// Merging from the bottom up: an error ends it at once.
Done sort_by_keys(Session& session, std::vector<Keyed>& rows, SortRules rules) {
  std::vector<Keyed> merged(rows.size());
  for (std::size_t width = 1; width < rows.size(); width *= 2) {
    for (std::size_t begin = 0; begin < rows.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, rows.size());
      const std::size_t end = std::min(begin + 2 * width, rows.size());
      std::size_t left = begin;
      std::size_t right = middle;
      for (std::size_t place = begin; place < end; ++place) {
        bool takes_right = left == middle;
        if (left < middle && right < end) {
          const Keyed& first = rules.is_reverse ? rows[left] : rows[right];
          const Keyed& second = rules.is_reverse ? rows[right] : rows[left];
          takes_right = TRY(comes_first(session, first, second, rules.as_rows));
        }
        merged[place] = std::move(rows[takes_right ? right++ : left++]);
      }
    }
    std::swap(rows, merged);
  }
  return {};
}

}  // namespace zhuzi::jinja
