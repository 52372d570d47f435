// Value: see the header. Here are the constructors that keep trees shallow, and the dict.
#include "text/internal/jinja_value.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "text/internal/jinja_callable.h"
#include "text/internal/jinja_compare.h"

namespace zhuzi::jinja {
namespace {

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b
             ? std::numeric_limits<std::uint64_t>::max()
             : a + b;
}

void include(Extent& around, const Value& value) {
  const Extent inner = value.extent();
  around.depth = std::max(around.depth, inner.depth + 1);
  around.weight = saturating_sum(around.weight, inner.weight);
}

Done check_depth(const Extent& extent) {
  if (extent.depth <= Extent::depth_max) return {};
  return raise(python::recursion_error, "a value is nested deeper than {} levels",
               Extent::depth_max);
}

/// Bytes that a walk over a string counts as one node.
constexpr std::size_t bytes_per_weight = 64;

}  // namespace

std::optional<std::int64_t> Value::integer() const {
  if (const auto* value = std::get_if<std::int64_t>(&data_)) return *value;
  if (const bool* value = boolean()) return *value ? 1 : 0;
  return std::nullopt;
}

std::optional<double> Value::number() const {
  if (const double* value = real()) return *value;
  if (const auto value = integer()) return static_cast<double>(*value);
  return std::nullopt;
}

OriginId Value::origin() const {
  const Text* text = string();
  return text != nullptr ? text->origin() : origin_;
}

Extent Value::extent() const {
  if (const Text* text = string()) return {.weight = 1 + text->size() / bytes_per_weight};
  if (const Sequence* row = sequence()) return row->extent;
  if (const Dict* map = dict()) return map->extent();
  if (const Generator* row = generator()) return row->extent;
  if (const Cycler* row = cycler()) return row->extent;
  if (const Callable* function = callable()) return function->extent;
  return {};
}

std::string_view Value::type_name() const {
  struct Namer {
    std::string_view operator()(None) { return "NoneType"; }
    std::string_view operator()(bool) { return "bool"; }
    std::string_view operator()(std::int64_t) { return "int"; }
    std::string_view operator()(double) { return "float"; }
    std::string_view operator()(const std::shared_ptr<const Text>& text) {
      return text->is_markup() ? "Markup" : "str";
    }
    std::string_view operator()(const std::shared_ptr<const Sequence>& row) {
      switch (row->kind) {
        case Sequence::Kind::list: return "list";
        case Sequence::Kind::tuple: return "tuple";
        case Sequence::Kind::group: return "_GroupTuple";
        case Sequence::Kind::items: return "dict_items";
        case Sequence::Kind::keys: return "dict_keys";
        case Sequence::Kind::values: return "dict_values";
      }
      return "list";
    }
    std::string_view operator()(const std::shared_ptr<const Dict>&) { return "dict"; }
    std::string_view operator()(const std::shared_ptr<const Undefined>&) { return "Undefined"; }
    std::string_view operator()(const std::shared_ptr<const BigInteger>&) { return "int"; }
    std::string_view operator()(const std::shared_ptr<const Range>&) { return "range"; }
    std::string_view operator()(const std::shared_ptr<const Callable>& function) {
      return function->type_name();
    }
    std::string_view operator()(const std::shared_ptr<const Opaque>& opaque) {
      return opaque->type_name;
    }
    std::string_view operator()(const std::shared_ptr<Generator>&) { return "generator"; }
    std::string_view operator()(const std::shared_ptr<Cycler>&) { return "Cycler"; }
    std::string_view operator()(const std::shared_ptr<Joiner>&) { return "Joiner"; }
    std::string_view operator()(Namespace*) { return "Namespace"; }
    std::string_view operator()(Loop*) { return "LoopContext"; }
  };
  return std::visit(Namer{}, data_);
}

Dict::Dict(std::vector<Entry> entries) : entries_(std::move(entries)) {
  if (entries_.size() > scan_max) {
    index();
  } else {
    merge_equal_keys();
  }
  for (const Entry& entry : entries_) {
    include(extent_, entry.key);
    include(extent_, entry.value);
  }
}

void Dict::merge_equal_keys() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t place = 0;
    while (place < kept && order_of_keys(entries_[place].key, entries_[i].key) != 0) ++place;
    if (place < kept) {
      entries_[place].value = std::move(entries_[i].value);
    } else {
      if (kept != i) entries_[kept] = std::move(entries_[i]);
      ++kept;
    }
  }
  entries_.resize(kept);
}

void Dict::index() {
  std::vector<std::uint32_t> positions(entries_.size());
  std::iota(positions.begin(), positions.end(), 0U);
  std::stable_sort(positions.begin(), positions.end(), [&](std::uint32_t a, std::uint32_t b) {
    return order_of_keys(entries_[a].key, entries_[b].key) < 0;
  });
  // Equal keys stand together in the order of their positions: the last value goes to the first.
  std::vector<bool> is_dropped(entries_.size());
  for (std::size_t i = 1, first = 0; i < positions.size(); ++i) {
    if (order_of_keys(entries_[positions[first]].key, entries_[positions[i]].key) != 0) {
      first = i;
      continue;
    }
    entries_[positions[first]].value = std::move(entries_[positions[i]].value);
    is_dropped[positions[i]] = true;
  }
  std::vector<std::uint32_t> moved_to(entries_.size());
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (is_dropped[i]) continue;
    moved_to[i] = kept;
    if (kept != i) entries_[kept] = std::move(entries_[i]);
    ++kept;
  }
  entries_.resize(kept);
  for (const std::uint32_t position : positions) {
    if (!is_dropped[position]) sorted_.push_back(moved_to[position]);
  }
}

const Value* Dict::find(const Value& key) const {
  if (sorted_.empty()) {
    for (const Entry& entry : entries_) {
      if (order_of_keys(entry.key, key) == 0) return &entry.value;
    }
    return nullptr;
  }
  const auto place = std::lower_bound(sorted_.begin(), sorted_.end(), key,
                                      [&](std::uint32_t position, const Value& wanted) {
                                        return order_of_keys(entries_[position].key, wanted) < 0;
                                      });
  if (place == sorted_.end() || order_of_keys(entries_[*place].key, key) != 0) return nullptr;
  return &entries_[*place].value;
}

const Value* Dict::find(std::string_view key) const {
  if (!sorted_.empty()) return find(Value(std::string(key)));
  for (const Entry& entry : entries_) {
    const Text* text = entry.key.string();
    if (text != nullptr && text->bytes() == key) return &entry.value;
  }
  return nullptr;
}

std::size_t Range::size() const {
  const auto first = static_cast<Wide>(start);
  const auto last = static_cast<Wide>(stop);
  if (step > 0 ? first >= last : first <= last) return 0;
  const Wide distance = step > 0 ? last - first : first - last;
  const Wide stride = step > 0 ? static_cast<Wide>(step) : -static_cast<Wide>(step);
  return static_cast<std::size_t>((distance + stride - 1) / stride);
}

Extent extent_around(std::span<const Value> items) {
  Extent extent;
  for (const Value& item : items) include(extent, item);
  return extent;
}

Outcome<Value> make_sequence(Sequence::Kind kind, std::vector<Value> items, OriginId origin) {
  const Extent extent = extent_around(items);
  TRY(check_depth(extent));
  return Value(std::make_shared<const Sequence>(
                   Sequence{.kind = kind, .items = std::move(items), .extent = extent}),
               origin);
}

Outcome<Value> make_list(std::vector<Value> items, OriginId origin) {
  return make_sequence(Sequence::Kind::list, std::move(items), origin);
}

Outcome<Value> make_tuple(std::vector<Value> items, OriginId origin) {
  return make_sequence(Sequence::Kind::tuple, std::move(items), origin);
}

Outcome<Value> make_dict(std::vector<Dict::Entry> entries, OriginId origin) {
  for (const Dict::Entry& entry : entries) TRY(check_key(entry.key));
  auto dict = std::make_shared<const Dict>(std::move(entries));
  TRY(check_depth(dict->extent()));
  return Value(std::move(dict), origin);
}

Outcome<Value> make_generator(Extent around,
                              std::function<Outcome<std::vector<Value>>(Session&)> produce) {
  TRY(check_depth(around));
  return Value(
      std::make_shared<Generator>(Generator{.produce = std::move(produce), .extent = around}));
}

Value make_undefined(std::string message) {
  return Value(std::make_shared<const Undefined>(Undefined{.message = std::move(message)}));
}

Done check_key(const Value& key) {
  const Sequence* row = key.sequence();
  if (row != nullptr && row->is_tuple()) {
    constexpr std::uint64_t key_weight_max = 10'000;
    if (row->extent.weight > key_weight_max) {
      return raise(python::memory_error, "a key has more than {} parts", key_weight_max);
    }
    for (const Value& item : row->items) TRY(check_key(item));
    return {};
  }
  if (row != nullptr || key.dict() != nullptr) {
    return raise(python::type_error, "unhashable type: '{}'", key.type_name());
  }
  return {};
}

}  // namespace zhuzi::jinja
