#include "base/json_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "base/json.h"

namespace zhuzi::json {

void Writer::separate() {
  if (is_after_key_) {
    is_after_key_ = false;
    return;
  }
  if (has_members_.empty()) return;
  if (has_members_.back()) text_ += ',';
  has_members_.back() = true;
}

Writer& Writer::raw(std::string_view text) {
  separate();
  text_ += text;
  return *this;
}

Writer& Writer::begin_object() {
  raw("{");
  has_members_.push_back(false);
  return *this;
}

Writer& Writer::end_object() {
  check(!has_members_.empty() && !is_after_key_, "an object is open");
  has_members_.pop_back();
  text_ += '}';
  return *this;
}

Writer& Writer::begin_array() {
  raw("[");
  has_members_.push_back(false);
  return *this;
}

Writer& Writer::end_array() {
  check(!has_members_.empty() && !is_after_key_, "an array is open");
  has_members_.pop_back();
  text_ += ']';
  return *this;
}

Writer& Writer::key(std::string_view name) {
  raw(quoted(name));
  text_ += ':';
  is_after_key_ = true;
  return *this;
}

Writer& Writer::value(std::string_view text) { return raw(quoted(text)); }

Writer& Writer::value(bool flag) { return raw(flag ? "true" : "false"); }

Writer& Writer::value(double number) {
  return std::isfinite(number) ? raw(fmt::format("{}", number)) : null();
}

Writer& Writer::value(float number) {
  return std::isfinite(number) ? raw(fmt::format("{}", number)) : null();
}

const std::string& Writer::text() const {
  check(has_members_.empty() && !is_after_key_, "the document is complete");
  return text_;
}

}  // namespace zhuzi::json
