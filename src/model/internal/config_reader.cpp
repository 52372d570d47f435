// See config_reader.h.
#include "model/internal/config_reader.h"

#include <cstdint>
#include <optional>

namespace zhuzi {
namespace {

struct NamedActivation {
  std::string_view name;
  ActivationFunction function;
};

using enum ActivationFunction;
constexpr NamedActivation activations[] = {
    {"silu", silu},
    {"swish", silu},
    {"gelu", gelu_erf},
    {"gelu_new", gelu_tanh},
    {"gelu_fast", gelu_tanh},
    {"gelu_pytorch_tanh", gelu_tanh},
    {"quick_gelu", quick_gelu},
    {"relu", relu},
    {"relu2", relu_squared},
};

}  // namespace

const json::Value* ConfigReader::find(std::string_view key) const {
  const json::Value* value = value_.find(key);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

std::unexpected<Error> ConfigReader::missing(std::string_view key) const {
  return fail(ErrorCode::corrupt_file, "{}: the key \"{}\" is missing.", where_, key);
}

std::unexpected<Error> ConfigReader::wrong(std::string_view key, std::string_view wanted) const {
  return fail(ErrorCode::corrupt_file, "{}: the key \"{}\" must be {}.", where_, key, wanted);
}

Result<std::size_t> ConfigReader::size(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return missing(key);
  const std::optional<std::int64_t> number = value->integer();
  if (!number || *number < 0) return wrong(key, "a whole number that is not negative");
  return static_cast<std::size_t>(*number);
}

Result<double> ConfigReader::real(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return missing(key);
  const std::optional<double> number = value->real();
  if (!number) return wrong(key, "a number");
  return *number;
}

Result<std::string_view> ConfigReader::text(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return missing(key);
  if (value->string() == nullptr) return wrong(key, "a string");
  return std::string_view(*value->string());
}

Result<bool> ConfigReader::boolean(std::string_view key) const {
  const json::Value* value = find(key);
  if (value == nullptr) return missing(key);
  const std::optional<bool> truth = value->boolean();
  if (!truth) return wrong(key, "true or false");
  return *truth;
}

Result<std::size_t> ConfigReader::size_or(std::string_view key, std::size_t fallback) const {
  return has(key) ? size(key) : fallback;
}

Result<double> ConfigReader::real_or(std::string_view key, double fallback) const {
  return has(key) ? real(key) : fallback;
}

Result<bool> ConfigReader::boolean_or(std::string_view key, bool fallback) const {
  return has(key) ? boolean(key) : fallback;
}

Result<ActivationFunction> ConfigReader::activation_or(std::string_view key,
                                                       ActivationFunction fallback) const {
  if (!has(key)) return fallback;
  const std::string_view name = TRY(text(key));
  for (const NamedActivation& known : activations) {
    if (known.name == name) return known.function;
  }
  return fail(ErrorCode::unsupported,
              "{}: \"{}\" asks for the activation \"{}\", which is unknown.", where_, key, name);
}

}  // namespace zhuzi
