// json::Value: a JSON document as plain data, in the order of its text.
//
// Place in the journey: config.json, tokenizer.json, templates' contexts, later requests and
// schemas are read into it. simdjson finds the structure and checks UTF-8; json.cpp decides
// everything else.
//
// Invariant: strings and keys are valid UTF-8; members keep their order and are unique; numbers
// keep their text, so nothing is rounded before somebody asks; no value is nested deeper than the
// limit it was parsed with, so a recursive walk over it is bounded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace zhuzi::json {

class Value;
struct Member;
using Array = std::vector<Value>;

/// The text of a number as it stood in the document: `-0`, `1e400` and 40 digits survive.
struct Number {
  std::string text;
};

/// Members in document order. Up to `scan_max` keys are compared one after another; above, an open
/// table of positions is kept. The hash is keyed per process: chosen keys cannot make it quadratic.
class Object {
 public:
  static constexpr std::size_t scan_max = 16;

  /// With `last_wins` the later value takes the earlier place, as in Python.
  enum class Duplicates : std::uint8_t { refuse, last_wins };

  Object();
  Object(Object&&) noexcept;
  Object& operator=(Object&&) noexcept;
  ~Object();

  /// Error: invalid_argument that names the first key that appears twice.
  [[nodiscard]] static Result<Object> from(std::vector<Member> members, Duplicates rule);

  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] std::span<const Member> members() const;

 private:
  Member* scan(std::string_view key, std::size_t count);
  Member* claim(std::string_view key, std::size_t position);

  std::vector<Member> members_;
  std::unique_ptr<std::uint32_t[]> table_;  ///< position + 1; 0 is empty.
  std::size_t mask_ = 0;
};

class Value {
 public:
  Value() = default;
  explicit Value(bool value) : data_(value) {}
  explicit Value(Number value) : data_(std::move(value)) {}
  explicit Value(std::string value) : data_(std::move(value)) {}
  explicit Value(Array value) : data_(std::move(value)) {}
  explicit Value(Object value) : data_(std::move(value)) {}

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  [[nodiscard]] std::optional<bool> boolean() const {
    const bool* value = std::get_if<bool>(&data_);
    return value != nullptr ? std::optional(*value) : std::nullopt;
  }
  [[nodiscard]] const Number* number() const { return std::get_if<Number>(&data_); }
  [[nodiscard]] const std::string* string() const { return std::get_if<std::string>(&data_); }
  [[nodiscard]] const Array* array() const { return std::get_if<Array>(&data_); }
  [[nodiscard]] const Object* object() const { return std::get_if<Object>(&data_); }

  /// Empty when this is no number, or not exactly one of the type: `1.0` is no integer, `1e400` no
  /// double, 2^63 no int64.
  [[nodiscard]] std::optional<std::int64_t> integer() const;
  [[nodiscard]] std::optional<double> real() const;
  /// The member of an object; nullptr for anything else.
  [[nodiscard]] const Value* find(std::string_view key) const;

 private:
  std::variant<std::monostate, bool, Number, std::string, Array, Object> data_;
};

struct Member {
  std::string key;
  Value value;
};

struct ParseOptions {
  std::size_t depth_max = 512;  ///< Of arrays and objects; `[1]` has depth 1.
  Object::Duplicates duplicates = Object::Duplicates::refuse;
};

/// Parses one document. Error: invalid_argument, one sentence that names what is wrong. Any thread;
/// memory is bounded by a small multiple of the text, stack by depth_max. A byte order mark is
/// skipped.
[[nodiscard]] Result<Value> parse(std::string_view text, const ParseOptions& options = {});

/// The text as a JSON string with its quotes; everything but control characters, `"` and `\` stays.
[[nodiscard]] std::string quoted(std::string_view utf8);

/// Any bytes for a message: quoted, at most `excerpt_max` of them, broken UTF-8 as U+FFFD.
inline constexpr std::size_t excerpt_max = 64;
[[nodiscard]] std::string excerpt(std::string_view bytes);

}  // namespace zhuzi::json
