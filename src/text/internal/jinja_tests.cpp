// The tests: see the header.
#include "text/internal/jinja_tests.h"

#include <algorithm>
#include <array>

#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_filters.h"
#include "text/internal/jinja_iterate.h"
#include "text/internal/jinja_operator.h"
#include "text/internal/jinja_print.h"
#include "text/internal/jinja_text_operation.h"

namespace zhuzi::jinja {
namespace {

/// A test without arguments that never fails.
template <bool (*holds)(const Value&)>
Outcome<Value> simple(Session&, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "test"));
  return Value(holds(subject));
}

bool is_defined(const Value& value) { return !value.is_undefined(); }
bool is_undefined(const Value& value) { return value.is_undefined(); }
bool is_none(const Value& value) { return value.is_none(); }
bool is_boolean(const Value& value) { return value.boolean() != nullptr; }
bool is_true(const Value& value) { return value.boolean() != nullptr && *value.boolean(); }
bool is_false(const Value& value) { return value.boolean() != nullptr && !*value.boolean(); }
bool is_integer(const Value& value) {
  return value.boolean() == nullptr && (value.integer() || value.big_integer() != nullptr);
}
bool is_float(const Value& value) { return value.real() != nullptr; }
bool is_number(const Value& value) {
  return value.number().has_value() || value.big_integer() != nullptr;
}
bool is_string(const Value& value) { return value.string() != nullptr; }
bool is_mapping(const Value& value) { return value.dict() != nullptr; }
/// What has a length and items by index or key.
bool is_sequence(const Value& value) {
  const Sequence* row = value.sequence();
  return value.is_undefined() || value.string() != nullptr || value.dict() != nullptr ||
         value.range() != nullptr || (row != nullptr && !row->is_view());
}
bool is_callable(const Value& value) {
  return value.callable() != nullptr || value.joiner() != nullptr || value.loop() != nullptr ||
         value.is_undefined();
}
bool is_escaped(const Value& value) {
  return value.string() != nullptr && value.string()->is_markup();
}

template <Case which>
Outcome<Value> cased(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "test"));
  const Text text = TRY(printed(session, subject));
  TRY(session.spend(text.size()));
  return Value(is_in_case(text, which));
}

Outcome<Value> remainder(Session& session, const Value& subject, std::int64_t divisor) {
  return operate(session, Operation::mod, subject, Value(divisor));
}

Outcome<Value> odd(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "odd"));
  return Value(equal(TRY(remainder(session, subject, 2)), Value(std::int64_t{1})));
}

Outcome<Value> even(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "even"));
  return Value(equal(TRY(remainder(session, subject, 2)), Value(std::int64_t{0})));
}

Outcome<Value> divisibleby(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [divisor] = TRY(bind(arguments, "divisibleby", {"num"}, 1));
  const Value rest = TRY(operate(session, Operation::mod, subject, *divisor));
  return Value(equal(rest, Value(std::int64_t{0})));
}

Outcome<const Value*> operand_of(Session& session, const Value& subject,
                                 const Arguments& arguments) {
  const auto [operand] = TRY(bind(arguments, "test", {"other"}, 1));
  TRY(session.spend(std::min(subject.extent().weight, operand->extent().weight)));
  return operand;
}

template <bool wanted>
Outcome<Value> equals(Session& session, const Value& subject, const Arguments& arguments) {
  const Value* operand = TRY(operand_of(session, subject, arguments));
  return Value(equal(subject, *operand) == wanted);
}

template <Order order>
Outcome<Value> compares(Session& session, const Value& subject, const Arguments& arguments) {
  const Value* operand = TRY(operand_of(session, subject, arguments));
  return Value(TRY(ordered(order, subject, *operand)));
}

Outcome<Value> in(Session& session, const Value& subject, const Arguments& arguments) {
  const auto [container] = TRY(bind(arguments, "in", {"seq"}, 1));
  return Value(TRY(contains(session, *container, subject)));
}

Outcome<Value> sameas(Session&, const Value& subject, const Arguments& arguments) {
  const auto [other] = TRY(bind(arguments, "sameas", {"other"}, 1));
  return Value(is_same(subject, *other));
}

template <const NamedFunction* (*find)(std::string_view)>
Outcome<Value> is_known(Session&, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "test"));
  const Text* name = subject.string();
  return Value(name != nullptr && find(name->bytes()) != nullptr);
}

constexpr std::array table{NamedFunction{"!=", equals<false>},
                           NamedFunction{"<", compares<Order::less>},
                           NamedFunction{"<=", compares<Order::at_most>},
                           NamedFunction{"==", equals<true>},
                           NamedFunction{">", compares<Order::greater>},
                           NamedFunction{">=", compares<Order::at_least>},
                           NamedFunction{"boolean", simple<is_boolean>},
                           NamedFunction{"callable", simple<is_callable>},
                           NamedFunction{"defined", simple<is_defined>},
                           NamedFunction{"divisibleby", divisibleby},
                           NamedFunction{"eq", equals<true>},
                           NamedFunction{"equalto", equals<true>},
                           NamedFunction{"escaped", simple<is_escaped>},
                           NamedFunction{"even", even},
                           NamedFunction{"false", simple<is_false>},
                           NamedFunction{"filter", is_known<find_filter>},
                           NamedFunction{"float", simple<is_float>},
                           NamedFunction{"ge", compares<Order::at_least>},
                           NamedFunction{"greaterthan", compares<Order::greater>},
                           NamedFunction{"gt", compares<Order::greater>},
                           NamedFunction{"in", in},
                           NamedFunction{"integer", simple<is_integer>},
                           NamedFunction{"iterable", simple<is_iterable>},
                           NamedFunction{"le", compares<Order::at_most>},
                           NamedFunction{"lessthan", compares<Order::less>},
                           NamedFunction{"lower", cased<Case::lower>},
                           NamedFunction{"lt", compares<Order::less>},
                           NamedFunction{"mapping", simple<is_mapping>},
                           NamedFunction{"ne", equals<false>},
                           NamedFunction{"none", simple<is_none>},
                           NamedFunction{"number", simple<is_number>},
                           NamedFunction{"odd", odd},
                           NamedFunction{"sameas", sameas},
                           NamedFunction{"sequence", simple<is_sequence>},
                           NamedFunction{"string", simple<is_string>},
                           NamedFunction{"test", is_known<find_test>},
                           NamedFunction{"true", simple<is_true>},
                           NamedFunction{"undefined", simple<is_undefined>},
                           NamedFunction{"upper", cased<Case::upper>}};
static_assert(std::ranges::is_sorted(table, {}, &NamedFunction::name));

}  // namespace

const NamedFunction* find_test(std::string_view name) { return find_function(table, name); }

}  // namespace zhuzi::jinja
