// What Python says about two values: truth, equality, order, membership.
//
// Place in the journey: conditions, comparisons, sorting and the dict's keys stand on these. But
// for `contains`, none spends work by itself: the caller spends the weight of what it compares.
#pragma once

#include <cstdint>

#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

/// Whether `if` takes the value: undefined, none, zero and everything empty are false.
[[nodiscard]] bool truth(const Value& value);

/// `==`: numbers by value whatever their type, rows item by item, dicts without regard to order.
[[nodiscard]] bool equal(const Value& a, const Value& b);

enum class Order : std::uint8_t { less, at_most, greater, at_least };

/// `a < b` and its like. Error: TypeError for values without an order; UndefinedError.
[[nodiscard]] Outcome<bool> ordered(Order order, const Value& a, const Value& b);
[[nodiscard]] inline Outcome<bool> less(const Value& a, const Value& b) {
  return ordered(Order::less, a, b);
}

/// `item in container`. Spends what the search costs. Error: TypeError.
[[nodiscard]] Outcome<bool> contains(Session& session, const Value& container, const Value& item);

/// A total order over possible keys of a dict, in which exactly the equal ones are equal.
[[nodiscard]] int order_of_keys(const Value& a, const Value& b);

/// The same object: both none, the same bool, the same container.
[[nodiscard]] bool is_same(const Value& a, const Value& b);

}  // namespace zhuzi::jinja
