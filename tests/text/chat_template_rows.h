// Reads rows of recorded renderings, renders templates in one line, and says how an outcome differs
// from what was recorded. Shared by the tests of ChatTemplate.
#pragma once

#include <fmt/format.h>

#include <expected>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "text/chat_template.h"

namespace zhuzi {

using Rendering = std::expected<RenderedDocument, TemplateFault>;

/// The clock of all recorded renderings: 2026-01-02 03:04:05.
inline constexpr TemplateClock recorded_clock{.local_seconds = 1'767'323'045};

inline std::string read_template_data(const std::string& name) {
  std::ifstream file(ZHUZI_TEST_DATA "/text/templates/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  return value ? *std::move(value) : json::Value(std::string("not JSON: ") + std::string(text));
}

/// One JSON value a line.
inline std::vector<json::Value> read_rows(const std::string& name) {
  const std::string text = read_template_data(name);
  std::vector<json::Value> rows;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    rows.push_back(parsed(std::string_view(text).substr(begin, end - begin)));
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  return rows;
}

inline Rendering rendered(std::string_view source, const json::Value& context,
                          const RenderOptions& options) {
  auto chat_template = ChatTemplate::parse(source);
  if (!chat_template) return std::unexpected(std::move(chat_template.error()));
  return chat_template->render(context, options);
}

inline Rendering rendered(std::string_view source, std::string_view context = "{}") {
  return rendered(source, parsed(context),
                  {.clock = recorded_clock, .limits = {}, .trusted_keys = {}});
}

/// The text, or the fault as `Type: message`.
inline std::string shown(const Rendering& rendering) {
  if (rendering) return rendering->text;
  return rendering.error().type + ": " + rendering.error().message;
}

inline std::string shown(std::string_view source, std::string_view context = "{}") {
  return shown(rendered(source, context));
}

inline std::string string_of(const json::Value& row, std::string_view key) {
  const json::Value* value = row.find(key);
  return value != nullptr && value->string() != nullptr ? *value->string() : std::string();
}

/// The line that must be the same: none of Python's own errors about its generated code.
inline std::size_t recorded_line(const json::Value& row) {
  const std::string type = string_of(row, "error_type");
  const json::Value* line = row.find("error_line");
  const bool has_line = line != nullptr && line->integer() && type != "SyntaxError" &&
                        type != "RecursionError" && type != "ContinueError";
  return has_line ? static_cast<std::size_t>(*line->integer()) : 0;
}

/// Empty when the outcome is the recorded one: the same bytes, or a fault of the same type on the
/// same line, and for raise_exception in the same words.
inline std::optional<std::string> difference(const json::Value& row, const Rendering& rendering) {
  const json::Value* expected = row.find("expected");
  if (expected != nullptr && expected->string() != nullptr) {
    if (rendering && rendering->text == *expected->string()) return std::nullopt;
    return fmt::format("got  {}\nwant {}", shown(rendering), *expected->string());
  }
  const std::string type = string_of(row, "error_type");
  const std::string message = string_of(row, "error");
  const std::size_t line = recorded_line(row);
  if (!rendering && rendering.error().type == type &&
      (line == 0 || rendering.error().line == line) &&
      (type != "TemplateError" || rendering.error().message == message)) {
    return std::nullopt;
  }
  return fmt::format("got  {} on line {}\nwant {}: {} on line {}", shown(rendering),
                     rendering ? 0 : rendering.error().line, type, message, line);
}

}  // namespace zhuzi
