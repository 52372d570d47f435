// ConfigReader: typed keys of a JSON object, with errors that name the file's part and the key.
//
// Place in the journey: families read config.json through it. `null` counts as missing, as Hugging
// Face writes it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "model/spec.h"

namespace zhuzi {

class ConfigReader {
 public:
  /// `where` names the object in messages, such as "config.json". `value` outlives the reader.
  ConfigReader(const json::Value& value, std::string where)
      : value_(value), where_(std::move(where)) {}

  /// Nullptr where the key is missing or null.
  [[nodiscard]] const json::Value* find(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }
  [[nodiscard]] const json::Value& value() const { return value_; }
  [[nodiscard]] const std::string& where() const { return where_; }

  // Error: corrupt_file where the key is missing, or has another type or a negative size.
  [[nodiscard]] Result<std::size_t> size(std::string_view key) const;
  [[nodiscard]] Result<double> real(std::string_view key) const;
  [[nodiscard]] Result<std::string_view> text(std::string_view key) const;
  [[nodiscard]] Result<bool> boolean(std::string_view key) const;

  [[nodiscard]] Result<std::size_t> size_or(std::string_view key, std::size_t fallback) const;
  [[nodiscard]] Result<double> real_or(std::string_view key, double fallback) const;
  [[nodiscard]] Result<bool> boolean_or(std::string_view key, bool fallback) const;

  /// Error: also unsupported, for a function that nobody computes.
  [[nodiscard]] Result<ActivationFunction> activation_or(std::string_view key,
                                                         ActivationFunction fallback) const;

 private:
  [[nodiscard]] std::unexpected<Error> missing(std::string_view key) const;
  [[nodiscard]] std::unexpected<Error> wrong(std::string_view key, std::string_view wanted) const;

  const json::Value& value_;
  std::string where_;
};

}  // namespace zhuzi
