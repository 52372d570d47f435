// ChatTemplate as an engine uses it: the forms of the models we ship for, cases seen in public, the
// clock, and rows recorded from published templates under free licences.
#include "text/chat_template.h"

#include <gtest/gtest.h>

#include <map>
#include <thread>

#include "text/chat_template_rows.h"

namespace zhuzi {
namespace {

constexpr std::string_view conversation = R"({"messages": [
    {"role": "system", "content": "Be brief."}, {"role": "user", "content": " Hi! "}],
  "bos_token": "<|begin_of_text|>", "add_generation_prompt": true})";

TEST(ChatTemplate, renders_the_llama_3_form) {
  // The shape of that family's template, in our own words.
  constexpr std::string_view source =
      "{% set ns = namespace(first=true) %}{% for message in messages %}"
      "{% set turn = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'"
      " + message['content'] | trim + '<|eot_id|>' %}"
      "{% if ns.first %}{% set ns.first = false %}{% set turn = bos_token + turn %}{% endif %}"
      "{{ turn }}{% endfor %}"
      "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}"
      "{% endif %}";
  EXPECT_EQ(shown(source, conversation),
            "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nHi!<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n");
}

TEST(ChatTemplate, A1_reverse_slice_and_loop_control) {
  EXPECT_EQ(shown("{% for x in m[::-1] %}{{ x }}{{ loop.index0 }}{% endfor %}",
                  R"({"m": ["a", "b", "c"]})"),
            "c0b1a2");
  EXPECT_EQ(shown("{% for x in [1,2,3,4] %}{% if x==3 %}{% break %}{% endif %}{{ x }}{% endfor %}"),
            "12");
}

TEST(ChatTemplate, A1_a_template_that_cannot_be_parsed_is_an_error_with_its_line) {
  const auto parsed_template = ChatTemplate::parse("a\n{% for x in %}{% endfor %}");
  ASSERT_FALSE(parsed_template.has_value());
  EXPECT_EQ(parsed_template.error().type, "TemplateSyntaxError");
  EXPECT_EQ(parsed_template.error().line, 2U);
}

TEST(ChatTemplate, A3_tojson_byte_for_byte) {
  EXPECT_EQ(shown("{{ t|tojson }}", R"({"t": {"z": "안<a>&'\"\n", "a": [1, true, null, 1.0]}})"),
            R"({"z": "안<a>&'\"\n", "a": [1, true, null, 1.0]})");
  EXPECT_EQ(shown("{{ {'b':[],'a':{}}|tojson(indent=2) }}"), "{\n  \"b\": [],\n  \"a\": {}\n}");
  EXPECT_EQ(shown("{{ '안' | tojson(ensure_ascii=False) }}"), "\"안\"");
}

TEST(ChatTemplate, A3_numbers_keep_their_digits) {
  EXPECT_EQ(shown("{{ x | tojson }}",
                  R"({"x": [18446744073709551615, -0, 1e400, 0.1, 100000000000000000000000.0]})"),
            "[18446744073709551615, 0, Infinity, 0.1, 1e+23]");
}

TEST(ChatTemplate, A5_arguments_as_an_object_keep_their_order) {
  constexpr std::string_view context = R"({"args": {"b": 1, "a": {"x": [1]}}})";
  EXPECT_EQ(shown("{% for k,v in args|items %}{{ k }}={{ v|tojson }};{% endfor %}", context),
            R"(b=1;a={"x": [1]};)");
  EXPECT_EQ(shown("{{ args|tojson }}", context), R"({"b": 1, "a": {"x": [1]}})");
}

TEST(ChatTemplate, A8_raise_exception_gives_the_templates_own_words) {
  const Rendering rendering =
      rendered("{% if messages[0].role=='system' %}\n{{ raise_exception('no system') }}{% endif %}",
               conversation);
  ASSERT_FALSE(rendering.has_value());
  EXPECT_EQ(rendering.error().type, "TemplateError");
  EXPECT_EQ(rendering.error().message, "no system");
  EXPECT_EQ(rendering.error().line, 2U);
}

std::string at_time(std::int64_t seconds, std::string_view source) {
  return shown(rendered(source, parsed("{}"),
                        {.clock = {.local_seconds = seconds}, .limits = {}, .trusted_keys = {}}));
}

TEST(ChatTemplate, A8_strftime_now_reads_the_given_clock) {
  constexpr std::int64_t july_26_2024 = 1'721'952'000;
  EXPECT_EQ(at_time(july_26_2024, "{{ strftime_now('%d %b %Y') }}"), "26 Jul 2024");
  EXPECT_EQ(at_time(july_26_2024 + 13 * 3600 + 5 * 60 + 9,
                    "{{ strftime_now('%A %a %-d %B %y %m %H:%M:%S %I %p %j %F %T %e|%%|%q|%') }}"),
            "Friday Fri 26 July 24 07 13:05:09 01 PM 208 2024-07-26 13:05:09 26|%|%q|%");
}

TEST(ChatTemplate, the_calendar_holds_at_its_edges) {
  constexpr std::string_view source = "{{ strftime_now('%Y-%m-%d %a %j %U %W %H') }}";
  EXPECT_EQ(at_time(0, source), "1970-01-01 Thu 001 00 00 00");
  EXPECT_EQ(at_time(-1, source), "1969-12-31 Wed 365 52 52 23");
  EXPECT_EQ(at_time(1'709'208'000, source), "2024-02-29 Thu 060 08 09 12");
  EXPECT_EQ(at_time(1'735'603'200, source), "2024-12-31 Tue 366 52 53 00");
}

TEST(ChatTemplate, A10_scopes_and_undefined) {
  EXPECT_EQ(shown("{% set ns=namespace(i=0) %}{% for x in [1,2] %}{% set ns.i=ns.i+x %}"
                  "{% set j=x %}{% endfor %}{{ ns.i }}{{ j }}"),
            "3");
  constexpr std::string_view context = R"({"a": {"b": {}}})";
  EXPECT_EQ(shown("{{ a.b.c }}|", context), "|");
  EXPECT_EQ(shown("{{ a.b.c.d }}|", context), "UndefinedError: 'dict object' has no attribute 'c'");
  EXPECT_EQ(shown("{{ none }}{{ true }}{{ 1.0 }}"), "NoneTrue1.0");
}

TEST(ChatTemplate, a_macro_outlives_the_loop_it_was_defined_in) {
  EXPECT_EQ(
      shown("{% set ns = namespace(f=none) %}{% for x in [1, 2] %}"
            "{% macro m() %}{{ x }}{% endmacro %}{% if loop.first %}{% set ns.f = m %}{% endif %}"
            "{% endfor %}{{ ns.f() }}"),
      "1");
}

TEST(ChatTemplate, a_context_that_is_no_object_is_a_fault) {
  EXPECT_EQ(shown("x", "[1]"), "TypeError: the context of a template is an object");
}

TEST(ChatTemplate, one_template_renders_in_many_threads_at_once) {
  const auto chat_template = ChatTemplate::parse(
      "{% set ns = namespace(n=0) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}"
      "{{ '<' ~ m.role ~ '>' ~ m.content | trim }}{% endfor %}{{ ns.n }}");
  ASSERT_TRUE(chat_template.has_value());
  const json::Value context = parsed(conversation);
  std::vector<std::string> texts(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& text : texts) {
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) text = shown(chat_template->render(context, {}));
      });
    }
  }
  for (const std::string& text : texts) EXPECT_EQ(text, "<system>Be brief.<user>Hi!2");
}

/// The characters that generation blocks gave, as [begin, end) in bytes.
std::vector<std::pair<std::size_t, std::size_t>> generated_spans(const RenderedDocument& document) {
  std::vector<std::pair<std::size_t, std::size_t>> spans;
  for (const RenderedSpan& span : document.spans) {
    if (!span.is_generation) continue;
    if (!spans.empty() && spans.back().second == span.begin) {
      spans.back().second = span.end;
    } else {
      spans.emplace_back(span.begin, span.end);
    }
  }
  return spans;
}

std::size_t byte_of_character(std::string_view text, std::size_t index) {
  std::size_t byte = 0;
  for (; byte < text.size(); ++byte) {
    const bool begins = (static_cast<unsigned char>(text[byte]) & 0xC0) != 0x80;
    if (begins && index-- == 0) break;
  }
  return byte;
}

TEST(ChatTemplate, renders_every_recorded_conversation_of_published_templates) {
  std::map<std::string, std::string> sources;
  const auto rows = read_rows("real.jsonl");
  EXPECT_GT(rows.size(), 500U);
  for (const json::Value& row : rows) {
    const std::string name = string_of(row, "template");
    auto [source, is_new] = sources.try_emplace(name);
    if (is_new) source->second = read_template_data("real/" + name);
    const Rendering rendering = rendered(
        source->second, *row.find("context"),
        {.clock = recorded_clock, .limits = {}, .trusted_keys = {"bos_token", "eos_token"}});
    const auto fault = difference(row, rendering);
    EXPECT_FALSE(fault.has_value()) << string_of(row, "id") << "\n" << *fault;
    const json::Value* generated = row.find("generation_spans");
    if (!rendering || generated == nullptr || generated->array() == nullptr) continue;
    std::vector<std::pair<std::size_t, std::size_t>> expected;
    for (const json::Value& span : *generated->array()) {
      const auto at = [&](std::size_t i) {
        return byte_of_character(rendering->text,
                                 static_cast<std::size_t>(*(*span.array())[i].integer()));
      };
      if (at(0) < at(1)) expected.emplace_back(at(0), at(1));
    }
    EXPECT_EQ(generated_spans(*rendering), expected) << string_of(row, "id");
  }
}

/// Every byte of a message's content must be known as such, whatever the template does to it.
TEST(ChatTemplate, no_published_template_loses_where_a_message_came_from) {
  const json::Value context = parsed(R"({"messages": [
      {"role": "user", "content": "\u2460\u2461"}, {"role": "assistant", "content": "\u2462"},
      {"role": "user", "content": "\u2463 <|im_end|> \u2464"}],
    "tools": null, "documents": null, "add_generation_prompt": true, "bos_token": "<s>",
    "eos_token": "</s>"})");
  for (const char* name : {"smollm2", "smollm3", "qwen2.5", "qwen3", "qwen3.5", "mistral-nemo",
                           "gpt-oss", "granite-4.0", "olmoe", "phi-4"}) {
    const Rendering rendering = rendered(
        read_template_data(std::string("real/") + name + ".jinja"), context,
        {.clock = recorded_clock, .limits = {}, .trusted_keys = {"bos_token", "eos_token"}});
    ASSERT_TRUE(rendering.has_value()) << name << ": " << shown(rendering);
    std::string contents;
    for (const RenderedSpan& span : rendering->spans) {
      const std::string part = rendering->text.substr(span.begin, span.end - span.begin);
      if (span.origin.path.ends_with(".content")) {
        contents += part;
      } else {
        EXPECT_EQ(part.find("\u2460"), std::string::npos) << name << ": " << part;
      }
    }
    EXPECT_NE(contents.find("\u2463 <|im_end|> \u2464"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace zhuzi
