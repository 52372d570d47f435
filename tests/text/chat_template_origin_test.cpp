// Where the bytes of a document come from. `marked` shows a document with every stretch of the
// context as {path=text}; what stands outside of braces is the template's own.
#include <gtest/gtest.h>

#include "text/chat_template_rows.h"

namespace zhuzi {
namespace {

std::string marked(const Rendering& rendering) {
  if (!rendering) return shown(rendering);
  std::string text;
  for (const RenderedSpan& span : rendering->spans) {
    const std::string part = rendering->text.substr(span.begin, span.end - span.begin);
    const bool is_context = span.origin.kind == Origin::Kind::context;
    text += is_context ? "{" + span.origin.path + "=" + part + "}" : part;
  }
  return text;
}

std::string marked(std::string_view source, std::string_view context) {
  return marked(rendered(source, context));
}

constexpr std::string_view chat = R"({"messages": [
  {"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello"}], "n": 3,
  "s": " <|im_end|> ", "parts": ["a,b", "c"], "d": {"k": "v", "odd key": [1, null]}})";

TEST(ChatTemplateOrigin, messages_with_equal_text_have_their_own_paths) {
  EXPECT_EQ(marked("{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}", chat),
            "<{messages[0].role=user}>{messages[0].content=Hello}"
            "<{messages[1].role=assistant}>{messages[1].content=Hello}");
}

TEST(ChatTemplateOrigin, text_that_equals_a_literal_stays_the_messages) {
  EXPECT_EQ(marked("<|im_end|>{{ s }}{{ '<|im_end|>' }}", chat),
            "<|im_end|>{s= <|im_end|> }<|im_end|>");
  EXPECT_EQ(marked("{% if s | trim == '<|im_end|>' %}{{ '<|im_end|>' }}{% endif %}", chat),
            "<|im_end|>");
}

TEST(ChatTemplateOrigin, survives_concatenation_and_repetition) {
  EXPECT_EQ(marked("{{ '<' + s + '>' }}|{{ '<' ~ n ~ s }}|{{ 'ab' * 2 }}", chat),
            "<{s= <|im_end|> }>|<{n=3}{s= <|im_end|> }|abab");
  EXPECT_EQ(marked("{{ parts[1] * 3 }}", chat), "{parts[1]=ccc}");
}

TEST(ChatTemplateOrigin, survives_trimming_slicing_and_splitting) {
  EXPECT_EQ(marked("{{ s | trim }}|{{ s.lstrip() }}|{{ s[1:3] }}|{{ s[3] }}|{{ s[::-1] }}", chat),
            "{s=<|im_end|>}|{s=<|im_end|> }|{s=<|}|{s=i}|{s= >|dne_mi|< }");
  EXPECT_EQ(marked("{{ parts[0].split(',')[1] }}|{{ parts[0].partition(',')[0] }}", chat),
            "{parts[0]=b}|{parts[0]=a}");
  EXPECT_EQ(marked("{% for c in parts[0] %}{{ c }}-{% endfor %}", chat),
            "{parts[0]=a}-{parts[0]=,}-{parts[0]=b}-");
}

TEST(ChatTemplateOrigin, survives_replacing_joining_and_formatting) {
  EXPECT_EQ(marked("{{ s | replace('im', 'IM') }}|{{ '<x>' | replace('x', parts[1]) }}", chat),
            "{s= <|}IM{s=_end|> }|<{parts[1]=c}>");
  EXPECT_EQ(marked("{{ parts | join(';') }}|{{ ', '.join(parts) }}", chat),
            "{parts[0]=a,b};{parts[1]=c}|{parts[0]=a,b}, {parts[1]=c}");
  EXPECT_EQ(marked("{{ '%s<%d>' % (parts[1], n) }}|{{ '[{}]'.format(parts[1]) }}", chat),
            "{parts[1]=c}<{n=3}>|[{parts[1]=c}]");
  EXPECT_EQ(marked("{{ '%4s' | format(parts[1]) }}", chat), "{parts[1]=   c}");
}

TEST(ChatTemplateOrigin, survives_changes_of_case_and_escapes) {
  EXPECT_EQ(marked("{{ ('<' ~ parts[1] ~ 'x') | upper }}{{ (parts[1] ~ 'x') | title }}", chat),
            "<{parts[1]=C}X{parts[1]=C}x");
  EXPECT_EQ(marked("{{ ('&' ~ s) | escape }}", chat), "&amp;{s= &lt;|im_end|&gt; }");
  EXPECT_EQ(marked("{{ ('ß' ~ parts[1]).upper() }}", chat), "SS{parts[1]=C}");
}

TEST(ChatTemplateOrigin, survives_indenting) {
  EXPECT_EQ(marked("{{ x | indent(2, true) }}", R"({"x": "a\nb"})"), "  {x=a\n}  {x=b}");
}

TEST(ChatTemplateOrigin, holds_for_each_part_of_json) {
  EXPECT_EQ(marked("{{ d | tojson }}", chat),
            "{d={\"k\": }{d.k=\"v\"}{d=, \"odd key\": }{d[\"odd key\"]=[}{d[\"odd key\"][0]=1}"
            "{d[\"odd key\"]=, }{d[\"odd key\"][1]=null}{d[\"odd key\"]=]}{d=}}");
  EXPECT_EQ(marked("{{ {'a': parts[1]} | tojson }}", chat), "{\"a\": {parts[1]=\"c\"}}");
}

TEST(ChatTemplateOrigin, holds_for_printed_containers_and_keys) {
  EXPECT_EQ(marked("{% for k, v in d.items() %}{{ k }};{% endfor %}", chat), "{d=k};{d=odd key};");
  EXPECT_EQ(marked("{{ parts }}", chat),
            "{parts=[}{parts[0]='a,b'}{parts=, }{parts[1]='c'}{parts=]}");
  EXPECT_EQ(marked("{{ ['x', parts[1]] }}", chat), "['x', {parts[1]='c'}]");
}

TEST(ChatTemplateOrigin, names_taken_from_the_context_stay_the_contexts) {
  constexpr std::string_view context = R"({"d": {"<|x|>": 1}})";
  EXPECT_EQ(marked("{{ dict(**d) }}", context), "{{d='<|x|>'}: {d[\"<|x|>\"]=1}}");
  EXPECT_EQ(marked("{{ namespace(d) }}", context), "<Namespace {{d='<|x|>'}: {d[\"<|x|>\"]=1}}>");
  EXPECT_EQ(marked("{% macro f() %}{{ kwargs }}{% endmacro %}{{ f(**d) }}", context),
            "{{d='<|x|>'}: {d[\"<|x|>\"]=1}}");
}

TEST(ChatTemplateOrigin, numbers_made_from_the_context_belong_to_it) {
  EXPECT_EQ(marked("{{ s | length }}|{{ n + 1 }}|{{ messages | length }}|{{ 2 + 2 }}", chat),
            "{s=12}|{n=4}|{messages=2}|4");
  EXPECT_EQ(marked("{% for m in messages %}{{ loop.index }}{% endfor %}", chat), "12");
}

TEST(ChatTemplateOrigin, survives_macros_set_blocks_and_namespaces) {
  EXPECT_EQ(marked("{% macro f(x) %}<{{ x }}>{% endmacro %}{{ f(parts[1]) | upper }}", chat),
            "<{parts[1]=C}>");
  EXPECT_EQ(marked("{% set b %}[{{ parts[1] }}]{% endset %}{{ b ~ b }}", chat),
            "[{parts[1]=c}][{parts[1]=c}]");
  EXPECT_EQ(
      marked("{% set ns = namespace(t='') %}{% for p in parts %}{% set ns.t = ns.t + p + '.' %}"
             "{% endfor %}{{ ns.t }}",
             chat),
      "{parts[0]=a,b}.{parts[1]=c}.");
  EXPECT_EQ(
      marked("{% macro f() %}({{ caller() }}){% endmacro %}{% call f() %}{{ s }}{% endcall %}",
             chat),
      "({s= <|im_end|> })");
  EXPECT_EQ(marked("{% filter upper %}x{{ parts[1] }}{% endfilter %}", chat), "X{parts[1]=C}");
}

TEST(ChatTemplateOrigin, padding_and_wrapping_take_the_origin_of_what_they_pad) {
  EXPECT_EQ(marked("{{ parts[1].ljust(3, '*') }}|{{ 'x'.rjust(3, parts[1]) }}", chat),
            "{parts[1]=c**}|{parts[1]=cc}x");
  EXPECT_EQ(marked("{{ 'a{}b' | urlencode ~ (s | urlencode) }}", chat),
            "a%7B%7Db{s=%20%3C%7Cim_end%7C%3E%20}");
}

TEST(ChatTemplateOrigin, trusted_keys_are_the_templates_own) {
  const json::Value context = parsed(R"({"bos_token": "<s>", "user": "<s>"})");
  const Rendering rendering =
      rendered("{{ bos_token }}{{ user }}{{ bos_token + user }}", context,
               {.clock = recorded_clock, .limits = {}, .trusted_keys = {"bos_token"}});
  EXPECT_EQ(marked(rendering), "<s>{user=<s>}<s>{user=<s>}");
}

TEST(ChatTemplateOrigin, neighbours_of_one_origin_are_one_span) {
  const Rendering rendering = rendered("a{{ 'b' }}c{{ x[:1] }}{{ x[1:] }}", R"({"x": "yz"})");
  ASSERT_TRUE(rendering.has_value());
  ASSERT_EQ(rendering->spans.size(), 2U);
  EXPECT_EQ(rendering->spans[0].end, 3U);
  EXPECT_EQ(rendering->spans[1].origin.path, "x");
}

TEST(ChatTemplateOrigin, generation_blocks_are_marked_through_macros_and_set_blocks) {
  const Rendering rendering = rendered(
      "{% macro f(x) %}{% generation %}<{{ x }}>{% endgeneration %}.{% endmacro %}"
      "{% set b %}{{ f(x) }}{% endset %}q{{ b }}",
      R"({"x": "y"})");
  ASSERT_TRUE(rendering.has_value()) << shown(rendering);
  EXPECT_EQ(rendering->text, "q<y>.");
  std::string generated;
  for (const RenderedSpan& span : rendering->spans) {
    if (span.is_generation) generated += rendering->text.substr(span.begin, span.end - span.begin);
  }
  EXPECT_EQ(generated, "<y>");
}

}  // namespace
}  // namespace zhuzi
