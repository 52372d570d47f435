// json::Writer: one JSON document as text, written from left to right.
//
// Place in the journey: everything with --json, later every reply. Commas and nesting are the
// writer's business; keys and values are the caller's. Strings are UTF-8.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zhuzi::json {

class Writer {
 public:
  Writer& begin_object();
  Writer& end_object();
  Writer& begin_array();
  Writer& end_array();
  Writer& key(std::string_view name);

  Writer& value(std::string_view text);
  Writer& value(const char* text) { return value(std::string_view(text)); }
  Writer& value(bool flag);
  /// The shortest text that reads back as the same double; null where it is not finite.
  Writer& value(double number);
  Writer& value(float number);
  template <std::integral Integer>
  Writer& value(Integer number) {
    return raw(std::to_string(number));
  }
  Writer& null() { return raw("null"); }

  template <typename Value>
  Writer& member(std::string_view name, const Value& content) {
    key(name);
    return value(content);
  }

  /// The document. All objects and arrays are closed.
  [[nodiscard]] const std::string& text() const;

 private:
  Writer& raw(std::string_view text);
  void separate();

  std::string text_;
  std::vector<bool> has_members_;  ///< One for each open object or array.
  bool is_after_key_ = false;
};

}  // namespace zhuzi::json
