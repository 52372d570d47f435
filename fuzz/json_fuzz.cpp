// Any bytes as a JSON document: parsed or refused, and what was parsed reads back from its strings.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = zhuzi::json::parse(text, {.depth_max = 64});
  if (!value || value->string() == nullptr) return 0;
  const auto again = zhuzi::json::parse(zhuzi::json::quoted(*value->string()));
  zhuzi::check(again && *again->string() == *value->string(), "a quoted string reads back");
  return 0;
}
