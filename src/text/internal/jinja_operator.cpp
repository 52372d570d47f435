// Operators: see the header.
#include "text/internal/jinja_operator.h"

#include <algorithm>
#include <cmath>

#include "text/internal/jinja_format.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {
namespace {

std::string_view symbol_of(Operation operation) {
  switch (operation) {
    case Operation::add: return "+";
    case Operation::sub: return "-";
    case Operation::mul: return "*";
    case Operation::div: return "/";
    case Operation::floordiv: return "//";
    case Operation::mod: return "%";
    case Operation::pow: return "** or pow()";
  }
  return "?";
}

std::unexpected<Fault> unsupported(Operation operation, const Value& a, const Value& b) {
  return raise(python::type_error, "unsupported operand type(s) for {}: '{}' and '{}'",
               symbol_of(operation), a.type_name(), b.type_name());
}

Outcome<std::int64_t> floor_quotient(std::int64_t a, std::int64_t b) {
  if (b == -1) {
    std::int64_t negated = 0;
    if (__builtin_sub_overflow(0, a, &negated)) return integer_overflow();
    return negated;
  }
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// Of floats, with the sign of the divisor.
double floor_remainder(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

double floor_quotient(double a, double b) {
  const double quotient = (a - floor_remainder(a, b)) / b;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double whole = std::floor(quotient);
  return quotient - whole > 0.5 ? whole + 1 : whole;
}

Outcome<std::int64_t> integer_power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  while (exponent > 0) {
    if (exponent % 2 != 0 && __builtin_mul_overflow(result, base, &result))
      return integer_overflow();
    exponent /= 2;
    if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) return integer_overflow();
  }
  return result;
}

Outcome<Value> integer_result(Operation operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (operation) {
    case Operation::add:
      if (__builtin_add_overflow(a, b, &result)) return integer_overflow();
      return Value(result);
    case Operation::sub:
      if (__builtin_sub_overflow(a, b, &result)) return integer_overflow();
      return Value(result);
    case Operation::mul:
      if (__builtin_mul_overflow(a, b, &result)) return integer_overflow();
      return Value(result);
    case Operation::div:
      if (b == 0) return raise(python::zero_division_error, "division by zero");
      return Value(static_cast<double>(static_cast<long double>(a) / static_cast<long double>(b)));
    case Operation::floordiv:
      if (b == 0) return raise(python::zero_division_error, "integer division or modulo by zero");
      return Value(TRY(floor_quotient(a, b)));
    case Operation::mod:
      if (b == 0) return raise(python::zero_division_error, "integer modulo by zero");
      return Value(floor_remainder(a, b));
    case Operation::pow: break;
  }
  if (b >= 0) return Value(TRY(integer_power(a, b)));
  if (a == 0) {
    return raise(python::zero_division_error, "0.0 cannot be raised to a negative power");
  }
  return Value(std::pow(static_cast<double>(a), static_cast<double>(b)));
}

Outcome<Value> real_result(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::add: return Value(a + b);
    case Operation::sub: return Value(a - b);
    case Operation::mul: return Value(a * b);
    case Operation::div:
      if (b == 0) return raise(python::zero_division_error, "float division by zero");
      return Value(a / b);
    case Operation::floordiv:
      if (b == 0) return raise(python::zero_division_error, "float floor division by zero");
      return Value(floor_quotient(a, b));
    case Operation::mod:
      if (b == 0) return raise(python::zero_division_error, "float modulo");
      return Value(floor_remainder(a, b));
    case Operation::pow: break;
  }
  if (a == 0 && b < 0) {
    return raise(python::zero_division_error, "0.0 cannot be raised to a negative power");
  }
  if (a < 0 && std::floor(b) != b) {
    return raise(python::type_error, "a complex number is no value of a template");
  }
  const double result = std::pow(a, b);
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) {
    return raise(python::overflow_error, "(34, 'Numerical result out of range')");
  }
  return Value(result);
}

Outcome<Value> sum_of_texts(Session& session, const Text& a, const Text& b) {
  TRY(session.spend_bytes(a.size() + b.size()));
  const bool is_markup = a.is_markup() || b.is_markup();
  TextBuilder builder;
  builder.reserve(a.size() + b.size());
  builder.append(is_markup ? escaped(a) : a);
  builder.append(is_markup ? escaped(b) : b);
  return Value(builder.take().as_markup(is_markup));
}

Outcome<Value> sum_of_rows(Session& session, const Value& a, const Value& b) {
  std::vector<Value> items = a.sequence()->items;
  const auto& more = b.sequence()->items;
  TRY(session.spend(items.size() + more.size()));
  items.insert(items.end(), more.begin(), more.end());
  const Sequence::Kind kind =
      a.sequence()->is_list() ? Sequence::Kind::list : Sequence::Kind::tuple;
  return make_sequence(kind, std::move(items), mixed(a.origin(), b.origin()));
}

Outcome<Value> added(Session& session, const Value& a, const Value& b) {
  if (a.string() != nullptr && b.string() != nullptr) {
    return sum_of_texts(session, *a.string(), *b.string());
  }
  const Sequence* left = a.sequence();
  const Sequence* right = b.sequence();
  const bool are_lists = left != nullptr && right != nullptr && left->is_list() && right->is_list();
  const bool are_tuples =
      left != nullptr && right != nullptr && left->is_tuple() && right->is_tuple();
  if (are_lists || are_tuples) return sum_of_rows(session, a, b);
  if (a.string() != nullptr || (left != nullptr && !left->is_view())) {
    const std::string_view kind = a.string() != nullptr ? "str" : a.type_name();
    return raise(python::type_error, "can only concatenate {} (not \"{}\") to {}", kind,
                 b.type_name(), kind);
  }
  return unsupported(Operation::add, a, b);
}

/// `row` holds a string, list or tuple.
Outcome<Value> repeated(Session& session, const Value& row, const Value& times) {
  const auto wanted = times.integer();
  if (!wanted) {
    return raise(python::type_error, "can't multiply sequence by non-int of type '{}'",
                 times.type_name());
  }
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(*wanted, 0));
  const Text* text = row.string();
  const std::size_t size = text != nullptr ? text->size() : row.sequence()->items.size();
  std::size_t total = 0;
  if (__builtin_mul_overflow(size, count, &total)) {
    return raise(python::memory_error, "a value is repeated too often");
  }
  if (text != nullptr) {
    TRY(session.spend_bytes(total));
    TextBuilder builder;
    for (std::size_t i = 0; i < (size == 0 ? 0 : count); ++i) builder.append(*text);
    return Value(builder.take().as_markup(text->is_markup()));
  }
  TRY(session.spend(total));
  std::vector<Value> items;
  items.reserve(total);
  for (std::size_t i = 0; i < (size == 0 ? 0 : count); ++i) {
    items.insert(items.end(), row.sequence()->items.begin(), row.sequence()->items.end());
  }
  return make_sequence(row.sequence()->kind, std::move(items), row.origin());
}

bool is_repeatable(const Value& value) {
  return value.string() != nullptr || (value.sequence() != nullptr && !value.sequence()->is_view());
}

Outcome<Value> with_origin(Outcome<Value> result, OriginId origin) {
  if (!result) return result;
  if (const double* real = result->real()) return Value(*real, origin);
  return Value(*result->integer(), origin);
}

}  // namespace

Outcome<Value> operate(Session& session, Operation operation, const Value& a, const Value& b) {
  if (operation == Operation::mod && a.string() != nullptr) {
    return percent_formatted(session, *a.string(), b);
  }
  TRY(check_defined(a));
  TRY(check_defined(b));
  const OriginId origin = mixed(a.origin(), b.origin());
  const auto left = a.integer();
  const auto right = b.integer();
  if (left && right) return with_origin(integer_result(operation, *left, *right), origin);
  if (a.number() && b.number()) {
    return with_origin(real_result(operation, *a.number(), *b.number()), origin);
  }
  if (a.big_integer() != nullptr || b.big_integer() != nullptr) return integer_overflow();
  if (operation == Operation::add) return added(session, a, b);
  if (operation == Operation::mul) {
    if (is_repeatable(a)) return repeated(session, a, b);
    if (is_repeatable(b)) return repeated(session, b, a);
  }
  return unsupported(operation, a, b);
}

Outcome<Value> with_sign(Sign sign, const Value& value) {
  TRY(check_defined(value));
  const bool is_negative = sign == Sign::negative;
  if (const auto integer = value.integer()) {
    std::int64_t negated = 0;
    if (__builtin_sub_overflow(0, *integer, &negated)) return integer_overflow();
    return Value(is_negative ? negated : *integer, value.origin());
  }
  if (const double* real = value.real()) {
    return Value(is_negative ? -*real : *real, value.origin());
  }
  return raise(python::type_error, "bad operand type for unary {}: '{}'", is_negative ? "-" : "+",
               value.type_name());
}

}  // namespace zhuzi::jinja
