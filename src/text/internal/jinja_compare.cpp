// Comparisons: see the header. Recursion is bounded by the depth of values.
#include "text/internal/jinja_compare.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "text/internal/jinja_frame.h"
#include "text/internal/jinja_iterate.h"
#include "text/internal/jinja_session.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

int sign_of(std::strong_ordering order) { return order < 0 ? -1 : (order > 0 ? 1 : 0); }

bool is_number(const Value& value) { return value.number().has_value(); }

/// Exact: a long double holds every int64 and every double. NaN stands before everything, so that
/// the order stays total.
int order_of_numbers(const Value& a, const Value& b) {
  const auto left = a.integer();
  const auto right = b.integer();
  if (left && right) return sign_of(*left <=> *right);
  const auto exact = [](const Value& value, std::optional<std::int64_t> integer) {
    return integer ? static_cast<long double>(*integer) : static_cast<long double>(*value.number());
  };
  const long double x = exact(a, left);
  const long double y = exact(b, right);
  if (std::isnan(x) || std::isnan(y)) {
    return static_cast<int>(std::isnan(y)) - static_cast<int>(std::isnan(x));
  }
  return x < y ? -1 : (x > y ? 1 : 0);
}

bool is_nan(const Value& value) { return value.real() != nullptr && std::isnan(*value.real()); }

bool equal_rows(const Sequence& a, const Sequence& b) {
  return a.is_list() == b.is_list() && a.is_tuple() == b.is_tuple() &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), equal);
}

bool equal_dicts(const Dict& a, const Dict& b) {
  if (a.entries().size() != b.entries().size()) return false;
  return std::all_of(a.entries().begin(), a.entries().end(), [&](const Dict::Entry& entry) {
    const Value* other = b.find(entry.key);
    return other != nullptr && equal(entry.value, *other);
  });
}

int rank_of_key(const Value& key) {
  if (is_number(key)) return 0;
  if (key.is_none()) return 1;
  if (key.string() != nullptr) return 2;
  if (key.sequence() != nullptr) return 3;
  if (key.big_integer() != nullptr) return 4;
  return 5;
}

/// The address that makes an object itself; nullptr for what is compared by value.
const void* identity(const Value& value) {
  return std::visit(
      [](const auto& data) -> const void* {
        using T = std::decay_t<decltype(data)>;
        if constexpr (std::is_pointer_v<T>) {
          return data;
        } else if constexpr (requires { data.get(); }) {
          return data.get();
        } else {
          return nullptr;
        }
      },
      value.data());
}

template <typename T>
bool holds(Order order, const T& a, const T& b) {
  switch (order) {
    case Order::less: return a < b;
    case Order::at_most: return a <= b;
    case Order::greater: return a > b;
    case Order::at_least: return a >= b;
  }
  return false;
}

std::string_view symbol_of(Order order) {
  switch (order) {
    case Order::less: return "<";
    case Order::at_most: return "<=";
    case Order::greater: return ">";
    case Order::at_least: return ">=";
  }
  return "<";
}

Outcome<bool> ordered_rows(Order order, const Sequence& a, const Sequence& b) {
  const std::size_t shared = std::min(a.items.size(), b.items.size());
  for (std::size_t i = 0; i < shared; ++i) {
    if (!equal(a.items[i], b.items[i])) return ordered(order, a.items[i], b.items[i]);
  }
  return holds(order, a.items.size(), b.items.size());
}

}  // namespace

bool truth(const Value& value) {
  if (const bool* flag = value.boolean()) return *flag;
  if (const auto integer = value.integer()) return *integer != 0;
  if (const double* real = value.real()) return *real != 0;
  if (const Text* text = value.string()) return !text->empty();
  if (const Sequence* row = value.sequence()) return !row->items.empty();
  if (const Dict* dict = value.dict()) return !dict->entries().empty();
  if (const Range* range = value.range()) return range->size() != 0;
  return !value.is_none() && !value.is_undefined();
}

bool equal(const Value& a, const Value& b) {
  if (is_nan(a) || is_nan(b)) return false;
  if (is_number(a) && is_number(b)) return order_of_numbers(a, b) == 0;
  if (a.string() != nullptr && b.string() != nullptr) {
    return a.string()->bytes() == b.string()->bytes();
  }
  if (a.sequence() != nullptr && b.sequence() != nullptr) {
    return equal_rows(*a.sequence(), *b.sequence());
  }
  if (a.dict() != nullptr && b.dict() != nullptr) return equal_dicts(*a.dict(), *b.dict());
  if (a.big_integer() != nullptr && b.big_integer() != nullptr) {
    return a.big_integer()->digits == b.big_integer()->digits;
  }
  if (a.is_undefined() && b.is_undefined()) return true;
  return is_same(a, b);
}

Outcome<bool> ordered(Order order, const Value& a, const Value& b) {
  TRY(check_defined(a));
  TRY(check_defined(b));
  if (is_number(a) && is_number(b)) {
    return !is_nan(a) && !is_nan(b) && holds(order, order_of_numbers(a, b), 0);
  }
  if (a.string() != nullptr && b.string() != nullptr) {
    return holds(order, a.string()->bytes(), b.string()->bytes());
  }
  const Sequence* left = a.sequence();
  const Sequence* right = b.sequence();
  if (left != nullptr && right != nullptr &&
      ((left->is_list() && right->is_list()) || (left->is_tuple() && right->is_tuple()))) {
    return ordered_rows(order, *left, *right);
  }
  return raise(python::type_error, "'{}' not supported between instances of '{}' and '{}'",
               symbol_of(order), a.type_name(), b.type_name());
}

Outcome<bool> contains(Session& session, const Value& container, const Value& item) {
  if (container.is_undefined()) return false;
  if (const Text* text = container.string()) {
    TRY(session.spend(container.extent().weight));
    if (item.string() == nullptr) {
      return raise(python::type_error, "'in <string>' requires string as left operand, not {}",
                   item.type_name());
    }
    return find_bytes(text->bytes(), item.string()->bytes()) != std::string_view::npos;
  }
  if (const Sequence* row = container.sequence()) {
    TRY(session.spend(row->extent.weight));
    return std::any_of(row->items.begin(), row->items.end(),
                       [&](const Value& other) { return equal(other, item); });
  }
  if (const Dict* dict = container.dict()) {
    TRY(check_key(item));
    return dict->find(item) != nullptr;
  }
  if (const Range* range = container.range()) {
    const auto wanted = item.integer();
    if (!wanted || range->size() == 0) return false;
    const std::int64_t last = range->at(range->size() - 1);
    const auto [low, high] = std::minmax(range->start, last);
    return *wanted >= low && *wanted <= high && (*wanted - range->start) % range->step == 0;
  }
  if (Generator* generator = container.generator()) {
    while (const auto other = TRY(next_of(session, *generator))) {
      TRY(session.spend(std::min(other->extent().weight, item.extent().weight)));
      if (equal(*other, item)) return true;
    }
    return false;
  }
  return raise(python::type_error, "argument of type '{}' is not iterable", container.type_name());
}

int order_of_keys(const Value& a, const Value& b) {
  const int rank = rank_of_key(a);
  if (rank != rank_of_key(b)) return rank < rank_of_key(b) ? -1 : 1;
  switch (rank) {
    case 0: return order_of_numbers(a, b);
    case 1: return 0;
    case 2: return sign_of(a.string()->bytes() <=> b.string()->bytes());
    case 3: {
      const auto& left = a.sequence()->items;
      const auto& right = b.sequence()->items;
      for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        if (const int order = order_of_keys(left[i], right[i]); order != 0) return order;
      }
      return sign_of(left.size() <=> right.size());
    }
    case 4: return sign_of(a.big_integer()->digits <=> b.big_integer()->digits);
    default: {
      const auto before = std::less<const void*>{};
      return before(identity(a), identity(b)) ? -1 : (before(identity(b), identity(a)) ? 1 : 0);
    }
  }
}

bool is_same(const Value& a, const Value& b) {
  if (a.data().index() != b.data().index()) return false;
  if (a.is_none()) return true;
  if (a.boolean() != nullptr) return *a.boolean() == *b.boolean();
  if (a.integer()) return *a.integer() == *b.integer();
  if (a.string() != nullptr) return a.string()->bytes() == b.string()->bytes();
  return identity(a) != nullptr && identity(a) == identity(b);
}

}  // namespace zhuzi::jinja
