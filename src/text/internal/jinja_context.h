// The context: JSON to values, and the paths of what came from it.
//
// Invariant: every value of the context carries the OriginId of its own place, so a string's marks
// name the member it was in. Values below a trusted key belong to the template.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "text/internal/jinja_fault.h"
#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

/// The places of one render's context, as a tree; a path is spelled only when it is asked for.
class Origins {
 public:
  [[nodiscard]] OriginId add_member(OriginId parent, std::string_view key);
  [[nodiscard]] OriginId add_item(OriginId parent, std::size_t index);

  /// `messages[1].content`; keys that are no identifiers as in `a["b c"]`.
  [[nodiscard]] std::string path_of(OriginId origin) const;

 private:
  struct Place {
    OriginId parent = template_origin;
    std::string_view key = {};  ///< Into the context, which outlives the render.
    std::size_t index = 0;
    bool is_item = false;
  };
  std::vector<Place> places_ = {{}};  ///< The first stands for the template.
};

/// Error: RecursionError for a value that is nested too deep.
class ContextReader {
 public:
  explicit ContextReader(Origins& origins) : origins_(origins) {}

  [[nodiscard]] Outcome<Value> read_member(std::string_view key, const json::Value& value,
                                           std::span<const std::string> trusted_keys);

 private:
  [[nodiscard]] Outcome<Value> read(const json::Value& value, OriginId origin);
  [[nodiscard]] Outcome<Value> read_array(const json::Array& array, OriginId origin);
  [[nodiscard]] Outcome<Value> read_object(const json::Object& object, OriginId origin);

  Origins& origins_;
  bool is_trusted_ = false;
  std::size_t depth_ = 0;
};

}  // namespace zhuzi::jinja
