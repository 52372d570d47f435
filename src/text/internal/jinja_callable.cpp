// Callable: see the header.
#include "text/internal/jinja_callable.h"

#include <algorithm>

#include "text/internal/jinja_compare.h"
#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {

const NamedFunction* find_function(std::span<const NamedFunction> table, std::string_view name) {
  const auto place = std::ranges::lower_bound(table, name, {}, &NamedFunction::name);
  return place != table.end() && place->name == name ? &*place : nullptr;
}

const Value* find_named(const Arguments& arguments, std::string_view name) {
  const auto found = std::ranges::find_if(
      arguments.named, [&](const NamedArgument& one) { return one.name.bytes() == name; });
  return found != arguments.named.end() ? &found->value : nullptr;
}

std::vector<Dict::Entry> entries_of_named(const Arguments& arguments) {
  std::vector<Dict::Entry> entries;
  for (const auto& [name, value] : arguments.named) {
    entries.push_back({.key = Value(name), .value = value});
  }
  return entries;
}

std::string_view Callable::type_name() const {
  struct Namer {
    std::string_view operator()(const Method&) { return "builtin_function_or_method"; }
    std::string_view operator()(const Global& global) { return global.type_name; }
    std::string_view operator()(const Macro&) { return "Macro"; }
  };
  return std::visit(Namer{}, data);
}

Outcome<Value> make_method(const Value& receiver, const NamedFunction* entry) {
  const Extent extent = extent_around({&receiver, 1});
  if (extent.depth > Extent::depth_max) {
    return raise(python::recursion_error, "a method of a value that is nested too deep");
  }
  return Value(std::make_shared<const Callable>(
      Callable{.data = Method{.receiver = receiver, .entry = entry}, .extent = extent}));
}

Done bind_into(std::span<const Value*> places, const Arguments& arguments,
               std::string_view function, std::span<const std::string_view> names,
               std::size_t required) {
  if (arguments.positional.size() > names.size()) {
    return raise(python::type_error, "{}() takes at most {} arguments ({} given)", function,
                 names.size(), arguments.positional.size());
  }
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) {
    places[i] = &arguments.positional[i];
  }
  for (const auto& [name, value] : arguments.named) {
    const auto place =
        static_cast<std::size_t>(std::ranges::find(names, name.bytes()) - names.begin());
    if (place == names.size()) {
      return raise(python::type_error, "{}() got an unexpected keyword argument '{}'", function,
                   name.bytes());
    }
    if (places[place] != nullptr) {
      return raise(python::type_error, "{}() got multiple values for argument '{}'", function,
                   name.bytes());
    }
    places[place] = &value;
  }
  for (std::size_t i = 0; i < required; ++i) {
    if (places[i] == nullptr) {
      return raise(python::type_error, "{}() missing required argument: '{}'", function, names[i]);
    }
  }
  return {};
}

Done expect_no_arguments(const Arguments& arguments, std::string_view function) {
  if (arguments.positional.empty() && arguments.named.empty()) return {};
  return raise(python::type_error, "{}() takes no arguments", function);
}

Outcome<std::int64_t> integer_or(const Value* argument, std::int64_t fallback) {
  if (argument == nullptr) return fallback;
  TRY(check_defined(*argument));
  if (const auto integer = argument->integer()) return *integer;
  return raise(python::type_error, "'{}' object cannot be interpreted as an integer",
               argument->type_name());
}

bool truth_or(const Value* argument, bool fallback) {
  return argument == nullptr ? fallback : truth(*argument);
}

}  // namespace zhuzi::jinja
