// Hostile templates and contexts: each ends in a fault, in bounded time, memory and stack.
#include <gtest/gtest.h>

#include "text/chat_template_rows.h"

namespace zhuzi {
namespace {

std::string repeated(std::string_view text, std::size_t count) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

std::string fault_type(std::string_view source, std::string_view context = "{}") {
  const Rendering rendering = rendered(source, context);
  return rendering ? "no fault" : rendering.error().type;
}

std::string fault_type_within(std::string_view source, const RenderLimits& limits) {
  const Rendering rendering = rendered(
      source, parsed("{}"), {.clock = recorded_clock, .limits = limits, .trusted_keys = {}});
  return rendering ? "no fault" : rendering.error().type;
}

constexpr std::size_t many = 10'000;

TEST(ChatTemplateLimits, deep_nesting_of_any_kind_is_a_fault_of_the_parser) {
  const std::vector<std::string> sources = {
      "{{ " + repeated("(", many) + "1" + repeated(")", many) + " }}",
      "{{ " + repeated("[", many) + repeated("]", many) + " }}",
      "{{ " + repeated("{1:", many) + "1" + repeated("}", many) + " }}",
      "{{ " + repeated("-", many) + "1 }}",
      "{{ " + repeated("not ", many) + "1 }}",
      "{{ " + repeated("f(", many) + repeated(")", many) + " }}",
      "{{ x" + repeated("[0", many) + repeated("]", many) + " }}",
      "{{ x" + repeated(".y", many) + " }}",
      "{{ x" + repeated("|trim", many) + " }}",
      "{{ x" + repeated("()", many) + " }}",
      "{{ 1" + repeated(" if 1 else 1", many) + " }}",
      "{{ 1" + repeated(" if 1", many) + " }}",
      "{{ 1" + repeated(" is odd", many) + " }}",
      "{{ 1 is divisibleby " + repeated("(", many) + "1" + repeated(")", many) + " }}",
      repeated("{% if 1 %}", many) + repeated("{% endif %}", many),
      repeated("{% for x in y %}", many),
      repeated("{% macro f() %}", many),
      repeated("{% set x %}", many),
      repeated("{% call f() %}", many),
      repeated("{% filter trim %}", many),
      repeated("{% generation %}", many),
      "{% set " + repeated("(", many) + "a" + repeated(")", many) + " = 1 %}",
  };
  for (const std::string& source : sources) {
    EXPECT_EQ(fault_type(source), "TemplateSyntaxError") << source.substr(0, 40);
  }
}

TEST(ChatTemplateLimits, long_flat_templates_are_no_deep_ones) {
  EXPECT_EQ(shown("{{ 0" + repeated(" + 1", many) + " }}"), "10000");
  EXPECT_EQ(shown("{{ ('a'" + repeated(" ~ 'b'", many) + ") | length }}"), "10001");
  EXPECT_EQ(shown("{{ 1" + repeated(" and 1", many) + " }}"), "1");
  EXPECT_EQ(shown("{{ 1" + repeated(" < 2", 1) + repeated(" <= 2", many) + " }}"), "True");
  EXPECT_EQ(shown("{% if 0 %}" + repeated("{% elif 0 %}", many) + "{% else %}x{% endif %}"), "x");
  EXPECT_EQ(shown(repeated("{% if 1 %}a{% endif %}", many)).size(), many);
}

TEST(ChatTemplateLimits, nesting_that_real_templates_reach_is_no_fault) {
  constexpr std::size_t levels = 30;
  EXPECT_EQ(shown("{{ " + repeated("(", levels) + "1" + repeated(")", levels) + " }}"), "1");
  EXPECT_EQ(shown(repeated("{% if 1 %}", levels) + "x" + repeated("{% endif %}", levels)), "x");
}

TEST(ChatTemplateLimits, a_template_that_is_too_long_or_no_utf8_is_refused) {
  EXPECT_EQ(fault_type(std::string((std::size_t{4} << 20) + 1, 'x')), "MemoryError");
  EXPECT_EQ(fault_type("a\xFFz"), "UnicodeDecodeError");
}

TEST(ChatTemplateLimits, huge_numbers_are_faults) {
  EXPECT_EQ(fault_type("{{ " + repeated("9", many) + " }}"), "TemplateSyntaxError");
  EXPECT_EQ(shown("{{ 1e" + repeated("9", many) + " }}"), "inf");
  EXPECT_EQ(fault_type("{{ 10 ** 100 }}"), "OverflowError");
  EXPECT_EQ(fault_type("{{ 2 ** 9223372036854775807 }}"), "OverflowError");
  EXPECT_EQ(fault_type("{{ 9223372036854775807 * 2 }}"), "OverflowError");
  EXPECT_EQ(fault_type("{{ (-9223372036854775807 - 1) // -1 }}"), "OverflowError");
  EXPECT_EQ(shown("{{ (-9223372036854775807 - 1) % -1 }}"), "0");
  EXPECT_EQ(fault_type("{{ '9' * 30 | int }}"), "no fault");
  EXPECT_EQ(fault_type("{{ ('9' * 30) | int }}"), "OverflowError");
  EXPECT_EQ(fault_type("{{ 1e300 | int }}"), "OverflowError");
}

TEST(ChatTemplateLimits, endless_recursion_is_a_fault) {
  EXPECT_EQ(fault_type("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"), "RecursionError");
  EXPECT_EQ(fault_type("{% macro f() %}{% if 1 %}{% for i in [1] %}{{ '' ~ [f()][0] | trim }}"
                       "{% endfor %}{% endif %}{% endmacro %}{{ f() }}"),
            "RecursionError");
  EXPECT_EQ(fault_type("{% macro f() %}{% call f() %}{% endcall %}{{ caller() }}{% endmacro %}"
                       "{% call f() %}{% endcall %}"),
            "RecursionError");
  EXPECT_EQ(fault_type("{% set x = [1] %}{% for i in x recursive %}{{ loop(x) }}{% endfor %}"),
            "RecursionError");
  EXPECT_EQ(fault_type("{% set n = namespace() %}{% set n.me = n %}{{ n }}"), "RecursionError");
}

TEST(ChatTemplateLimits, a_value_cannot_become_deeper_than_its_limit) {
  constexpr std::string_view loop = "{% for i in range(100000) %}";
  for (const std::string_view step :
       {"[n.x]", "(n.x,)", "{1: n.x}", "[n.x].copy", "cycler(n.x)", "[n.x] | map('list')",
        "[n.x] | batch(1)", "[[n.x]] | groupby(0)"}) {
    const std::string source = "{% set n = namespace(x=1) %}" + std::string(loop) +
                               "{% set n.x = " + std::string(step) + " %}{% endfor %}";
    EXPECT_EQ(fault_type(source), "RecursionError") << step;
  }
}

TEST(ChatTemplateLimits, values_that_share_their_parts_cost_what_their_whole_tree_costs) {
  const std::string doubled =
      "{% set n = namespace(x=[1]) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor "
      "%}";
  EXPECT_EQ(fault_type(doubled + "{{ n.x }}"), "TimeoutError");
  EXPECT_EQ(fault_type(doubled + "{{ n.x | tojson }}"), "TimeoutError");
  EXPECT_EQ(fault_type(doubled + "{{ n.x == n.x }}"), "TimeoutError");
  EXPECT_EQ(fault_type(doubled + "{{ 2 in n.x }}"), "TimeoutError");
  EXPECT_EQ(fault_type(doubled + "{{ [n.x, n.x] | sort }}"), "TimeoutError");
  // Printed, nested namespaces reach the limit of the output first.
  EXPECT_EQ(fault_type("{% set a = namespace() %}{% set n = namespace(x=a) %}"
                       "{% for i in range(60) %}{% set n.x = namespace(l=n.x, r=n.x) %}"
                       "{% endfor %}{{ n.x }}"),
            "MemoryError");
}

TEST(ChatTemplateLimits, steps_are_counted_just_inside_and_just_outside) {
  const std::string_view source = "{% for i in range(100) %}{{ i }}{% endfor %}";
  EXPECT_EQ(fault_type_within(source, {.steps_max = 2'000}), "no fault");
  EXPECT_EQ(fault_type_within(source, {.steps_max = 200}), "TimeoutError");
  EXPECT_EQ(fault_type_within("{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}"
                              "{% endfor %}",
                              {.steps_max = 1'000'000}),
            "TimeoutError");
}

TEST(ChatTemplateLimits, output_is_counted_just_inside_and_just_outside) {
  EXPECT_EQ(fault_type_within("{{ 'x' * 100 }}", {.output_bytes_max = 100}), "no fault");
  EXPECT_EQ(fault_type_within("{{ 'x' * 101 }}", {.output_bytes_max = 100}), "MemoryError");
  EXPECT_EQ(fault_type_within("{% for i in range(11) %}0123456789{% endfor %}",
                              {.output_bytes_max = 109}),
            "MemoryError");
}

TEST(ChatTemplateLimits, range_ends_where_the_sandbox_ends_it) {
  EXPECT_EQ(shown("{{ range(100000) | length }}"), "100000");
  EXPECT_EQ(fault_type("{{ range(100001) | length }}"), "OverflowError");
  EXPECT_EQ(fault_type("{{ range(-9223372036854775807, 9223372036854775807) }}"), "OverflowError");
  EXPECT_EQ(shown("{{ range(0, 9223372036854775807, 4611686018427387904) | list }}"),
            "[0, 4611686018427387904]");
}

TEST(ChatTemplateLimits, amplifying_operations_are_refused_before_they_are_done) {
  for (const std::string_view source : {"{{ 'ab' * 9223372036854775807 }}",
                                        "{{ [1, 2] * 9223372036854775807 }}",
                                        "{{ 'x' | center(9000000000) }}",
                                        "{{ 'x'.ljust(9000000000) }}",
                                        "{{ 'x'.zfill(9000000000) }}",
                                        "{{ '\\t'.expandtabs(9000000000) }}",
                                        "{{ '%9000000000d' % 1 }}",
                                        "{{ '%*d' % (9000000000, 1) }}",
                                        "{{ '%.9000000000f' % 1 }}",
                                        "{{ '{:>9000000000}'.format(1) }}",
                                        "{{ '{:.9000000000f}'.format(1.5) }}",
                                        "{{ 'a\nb' | indent(9000000000) }}",
                                        "{{ [1] | tojson(indent=9000000000) }}",
                                        "{{ ('a' * 100000) | replace('', 'b' * 100000) }}",
                                        "{{ range(100000) | join('a' * 100000) }}",
                                        "{{ [1] | batch(9000000000, 1) | list }}",
                                        "{{ [1] | slice(9000000000) | list }}",
                                        "{{ 1.5 | round(9000000000) }}",
                                        "{% set n = namespace(x='x') %}{% for i in range(99) %}{% "
                                        "set n.x = n.x ~ n.x %}{% endfor %}",
                                        "{% set n = namespace(x=[1]) %}{% for i in range(99) %}{% "
                                        "set n.x = n.x + n.x %}{% endfor %}"}) {
    const std::string type = fault_type(source);
    EXPECT_TRUE(type == "MemoryError" || type == "TimeoutError" || type == "ValueError")
        << type << " for " << source;
  }
}

TEST(ChatTemplateLimits, the_sandbox_gives_no_way_into_python) {
  EXPECT_EQ(fault_type("{{ ''.__class__.__mro__ }}"), "SecurityError");
  EXPECT_EQ(fault_type("{{ [].__class__() }}"), "SecurityError");
  EXPECT_EQ(fault_type("{{ ''['__class__'].x }}"), "SecurityError");
  EXPECT_EQ(fault_type("{{ '{0.__class__.x}'.format('') }}"), "SecurityError");
  EXPECT_EQ(fault_type("{{ [].append(1) }}"), "SecurityError");
  EXPECT_EQ(fault_type("{{ {}.update({}) }}"), "SecurityError");
}

TEST(ChatTemplateLimits, a_context_that_is_deep_is_walked_as_far_as_json_goes) {
  const std::string deep = "{\"x\": " + repeated("[", 500) + repeated("]", 500) + "}";
  EXPECT_EQ(shown("{{ x | tojson | length }}", deep), "1000");
  EXPECT_EQ(shown("{{ x | string | length }}", deep), "1000");
  EXPECT_EQ(shown("{{ x == x }}", deep), "True");
}

TEST(ChatTemplateLimits, a_wide_context_is_read_and_searched_in_little_work) {
  std::string wide = "{\"d\": {\"k0\": 0";
  for (std::size_t i = 1; i < many; ++i) wide += fmt::format(", \"k{}\": {}", i, i);
  wide += "}}";
  EXPECT_EQ(shown("{{ d.k9999 }} {{ d['k1'] }} {{ 'k10000' in d }} {{ d | length }}", wide),
            "9999 1 False 10000");
  EXPECT_EQ(shown("{% for i in range(10000) %}{% set x = d['k' ~ i] %}{% endfor %}ok", wide), "ok");
}

}  // namespace
}  // namespace zhuzi
