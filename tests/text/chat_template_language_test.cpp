// The template language, row by row: 614 small templates with what Jinja2 3.1, as Hugging Face sets
// it up, makes of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "text/chat_template_rows.h"

namespace zhuzi {
namespace {

/// Rows whose integers have more than 64 bits. Python prints them; here a template that makes one
/// is refused with a message that says so.
constexpr std::array<std::string_view, 3> beyond_64_bits{
    "{{ 2 ** 70 }}", "{{ 100000000000000000000 }}",
    "{{ 9007199254740993 + 1 }} {{ 9223372036854775807 + 1 }}"};

bool is_beyond_64_bits(const std::string& source) {
  return std::ranges::find(beyond_64_bits, source) != beyond_64_bits.end();
}

TEST(ChatTemplateLanguage, renders_every_recorded_row_as_jinja_does) {
  const auto rows = read_rows("language.jsonl");
  ASSERT_EQ(rows.size(), 614U);
  for (const json::Value& row : rows) {
    const std::string source = string_of(row, "template");
    if (is_beyond_64_bits(source)) continue;
    const Rendering rendering = rendered(
        source, *row.find("context"), {.clock = recorded_clock, .limits = {}, .trusted_keys = {}});
    const auto fault = difference(row, rendering);
    EXPECT_FALSE(fault.has_value()) << string_of(row, "group") << ": " << source << "\n" << *fault;
  }
}

TEST(ChatTemplateLanguage, refuses_integers_of_more_than_64_bits) {
  for (const std::string_view source : beyond_64_bits) {
    const Rendering rendering = rendered(source);
    ASSERT_FALSE(rendering.has_value()) << source;
    EXPECT_NE(rendering.error().message.find("64 bits"), std::string::npos) << source;
  }
}

TEST(ChatTemplateLanguage, spans_cover_every_recorded_text_without_gaps) {
  for (const json::Value& row : read_rows("language.jsonl")) {
    const Rendering rendering =
        rendered(string_of(row, "template"), *row.find("context"),
                 {.clock = recorded_clock, .limits = {}, .trusted_keys = {}});
    if (!rendering) continue;
    std::size_t end = 0;
    const RenderedSpan* before = nullptr;
    for (const RenderedSpan& span : rendering->spans) {
      EXPECT_EQ(span.begin, end);
      EXPECT_LT(span.begin, span.end);
      EXPECT_FALSE(before != nullptr && before->origin == span.origin &&
                   before->is_generation == span.is_generation)
          << "two equal spans side by side in " << string_of(row, "template");
      end = span.end;
      before = &span;
    }
    EXPECT_EQ(end, rendering->text.size()) << string_of(row, "template");
  }
}

}  // namespace
}  // namespace zhuzi
