// json::parse: each case is a document and what must come of it. The tables name documents that are
// JSON and documents that are not; the other tests look at what was read.
#include "base/json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

namespace zhuzi::json {
namespace {

std::string shown(const Result<Value>& parsed) { return parsed ? "taken" : parsed.error().message; }

void expect_taken(std::string_view text, const ParseOptions& options = {}) {
  const auto parsed = parse(text, options);
  EXPECT_TRUE(parsed.has_value()) << text.substr(0, 60) << ": " << shown(parsed);
}

void expect_refused(std::string_view text) {
  const auto parsed = parse(text);
  ASSERT_FALSE(parsed.has_value()) << text.substr(0, 60);
  EXPECT_EQ(parsed.error().code, ErrorCode::invalid_argument);
  EXPECT_FALSE(parsed.error().message.empty());
  EXPECT_LE(parsed.error().message.size(), 300U);
}

Value taken(std::string_view text, const ParseOptions& options = {}) {
  auto parsed = parse(text, options);
  EXPECT_TRUE(parsed.has_value()) << text.substr(0, 60) << ": " << shown(parsed);
  return parsed ? *std::move(parsed) : Value();
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Json, takes_what_the_grammar_allows) {
  for (const auto* text :
       {"null", "true", "false", "1", "-0.5e+7", "\"x\"", " \"x\" ", "[]", "{}", " [ 1 , 2 ] ",
        "\t\r\n{}\n", R"({"a":{"b":[null]}})", "[[],[[]],{}]", R"("\u0041\n\/")"}) {
    expect_taken(text);
  }
}

TEST(Json, refuses_what_the_grammar_does_not_allow) {
  for (const auto* text : {"",
                           " ",
                           "nul",
                           "tru",
                           "[tru]",
                           "[nulll]",
                           "[01]",
                           "[1.]",
                           "[.5]",
                           "[+1]",
                           "[1e]",
                           "[-]",
                           "[12abc]",
                           "[1 2]",
                           "[1,]",
                           "[,1]",
                           "{\"a\":1,}",
                           "{,}",
                           "{\"a\" 1}",
                           "{\"a\":}",
                           "{a:1}",
                           "{'a':1}",
                           "[1",
                           "{\"a\":1",
                           "]",
                           "}",
                           "[}",
                           "{]",
                           "[[]",
                           "[]]",
                           "{\"a\":[}",
                           "[\"a\x01\"]",
                           "[\"\\x\"]",
                           "[\"abc",
                           "\"abc",
                           "[NaN]",
                           "[Infinity]",
                           "// c\n[]",
                           "[1]// c",
                           "[0x10]",
                           "[1_000]",
                           "[--1]",
                           "[\"a\" \"b\"]",
                           "[\"a\"b]",
                           "{\"a\":1 \"b\":2}",
                           "{\"a\":1 2}",
                           "[\"\\u12\"]",
                           "-",
                           "01",
                           "[1}",
                           "{\"a\":1]",
                           "[true false]",
                           "[1]2",
                           "{1:2}",
                           "[\"\n\"]"}) {
    expect_refused(text);
  }
  expect_refused(std::string_view("[\0]", 3));
  expect_refused(std::string_view("[1\0]", 4));
  expect_refused(std::string_view("1\0", 2));
}

TEST(Json, refuses_text_behind_the_document) {
  for (const auto* text : {"{} {}", "[] 1", "1 2", "null x", "\"a\" \"b\"", "\"a\",\"b\"", "\"a\"]",
                           "\"a\"][\"b\"", "{}}", "[],", "true,", "[]null"}) {
    expect_refused(text);
  }
}

TEST(Json, numbers_keep_their_text) {
  for (const auto* text : {"-0", "1e400", "12345678901234567890123456789012345678901234567890",
                           "0.1000000000000000055511151231257827", "9223372036854775808", "1E+2"}) {
    const Value alone = taken(text);
    ASSERT_NE(alone.number(), nullptr) << text;
    EXPECT_EQ(alone.number()->text, text);
    const Value listed = taken(fmt::format("[ {} ]", text));
    EXPECT_EQ(listed.array()->front().number()->text, text);
  }
}

TEST(Json, a_number_is_an_integer_only_when_it_is_one_that_fits) {
  EXPECT_EQ(taken("-0").integer(), 0);
  EXPECT_EQ(taken("9223372036854775807").integer(), INT64_MAX);
  EXPECT_EQ(taken("-9223372036854775808").integer(), INT64_MIN);
  for (const auto* text :
       {"9223372036854775808", "-9223372036854775809", "1.0", "1e2", "true", "\"1\"", "null"}) {
    EXPECT_FALSE(taken(text).integer().has_value()) << text;
  }
}

TEST(Json, a_number_is_real_only_when_a_double_can_hold_it) {
  EXPECT_EQ(taken("0.1").real(), 0.1);
  EXPECT_EQ(taken("1e-5").real(), 1e-5);
  EXPECT_EQ(taken("10000").real(), 10000.0);
  EXPECT_EQ(taken("4.9e-324").real(), 4.9e-324);
  EXPECT_EQ(taken("1.7976931348623157e308").real(), 1.7976931348623157e308);
  ASSERT_TRUE(taken("-0").real().has_value());
  EXPECT_TRUE(std::signbit(*taken("-0").real()));
  for (const auto* text : {"1e400", "-1e400", "1e-400", "true", "\"1\""}) {
    EXPECT_FALSE(taken(text).real().has_value()) << text;
  }
}

TEST(Json, text_is_utf8) {
  EXPECT_EQ(*taken(R"("\ud83d\ude00")").string(), "\xF0\x9F\x98\x80");
  EXPECT_EQ(*taken(R"("\u0000")").string(), std::string(1, '\0'));
  EXPECT_EQ(*taken("\"\xE7\xAB\xB9\"").string(), "\xE7\xAB\xB9");
  for (const auto* text :
       {R"(["\ud83d"])", R"(["\ud800"])", R"(["\udc00"])", R"(["\ud83d\u0041"])", R"({"\udc00":1})",
        R"("\ud800")", "[\"\xC0\xAF\"]", "[\"\xED\xA0\x80\"]", "[\"\xF5\x80\x80\x80\"]",
        "[\"\xE2\x82\"]", "\xFF\xFE[", "\"\x80\"", "\xEF\xBB\xBF"}) {
    expect_refused(text);
  }
}

TEST(Json, a_byte_order_mark_is_skipped_once) {
  EXPECT_EQ(taken("\xEF\xBB\xBF{\"a\":1}").find("a")->integer(), 1);
  expect_refused("\xEF\xBB\xBF\xEF\xBB\xBF{}");
}

TEST(Json, kinds_answer_only_for_themselves) {
  const Value value = taken(R"({"n":null,"b":false,"i":3,"s":"x","a":[1],"o":{}})");
  EXPECT_TRUE(value.find("n")->is_null());
  EXPECT_EQ(value.find("b")->boolean(), false);
  EXPECT_FALSE(value.find("i")->boolean().has_value());
  EXPECT_EQ(*value.find("s")->string(), "x");
  EXPECT_EQ(value.find("a")->array()->size(), 1U);
  EXPECT_EQ(value.find("a")->object(), nullptr);
  EXPECT_TRUE(value.find("o")->object()->members().empty());
  EXPECT_EQ(value.find("missing"), nullptr);
  EXPECT_EQ(value.find("a")->find("0"), nullptr);
}

TEST(Json, members_keep_the_order_of_the_document) {
  const Value value = taken(R"({"z":1,"a":2,"m":3})");
  std::string order;
  for (const Member& member : value.object()->members()) order += member.key;
  EXPECT_EQ(order, "zam");
}

TEST(Json, a_key_that_appears_twice_is_refused_by_name) {
  const auto parsed = parse(R"({"a":{"b":1,"b":2}})");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().message, "the key \"b\" appears twice");
  expect_refused("{\"" + std::string(100'000, 'x') + "\":1,\"" + std::string(100'000, 'x') +
                 "\":2}");
}

TEST(Json, the_last_of_equal_keys_wins_where_asked_and_takes_the_first_place) {
  const Value value =
      taken(R"({"a":1,"b":2,"a":3})", {.duplicates = Object::Duplicates::last_wins});
  ASSERT_EQ(value.object()->members().size(), 2U);
  EXPECT_EQ(value.object()->members()[0].key, "a");
  EXPECT_EQ(value.find("a")->integer(), 3);
  EXPECT_EQ(value.find("b")->integer(), 2);
}

std::string object_of(std::size_t keys) {
  std::string text = "{";
  for (std::size_t i = 0; i < keys; ++i) text += fmt::format("\"k{}\":{},", i, i);
  text.back() = '}';
  return text;
}

TEST(Json, small_and_large_objects_find_the_same) {
  for (const std::size_t keys : {Object::scan_max, Object::scan_max + 1, std::size_t{100'000}}) {
    const Value value = taken(object_of(keys));
    EXPECT_EQ(value.object()->members().size(), keys);
    EXPECT_EQ(value.find("k0")->integer(), 0);
    const auto last = static_cast<std::int64_t>(keys - 1);
    EXPECT_EQ(value.find(fmt::format("k{}", last))->integer(), last);
    EXPECT_EQ(value.find("k"), nullptr);
  }
}

TEST(Json, a_large_object_sees_its_duplicates) {
  std::string text = object_of(100'000);
  text.back() = ',';
  text += "\"k5\":-1}";
  expect_refused(text);
  const Value value = taken(text, {.duplicates = Object::Duplicates::last_wins});
  EXPECT_EQ(value.object()->members().size(), 100'000U);
  EXPECT_EQ(value.object()->members()[5].key, "k5");
  EXPECT_EQ(value.find("k5")->integer(), -1);
  EXPECT_EQ(value.find("k99999")->integer(), 99'999);
}

TEST(Json, H4_nesting_ends_at_the_limit) {
  expect_taken(nested(512));
  expect_refused(nested(513));
  expect_taken("1", {.depth_max = 0});
  expect_taken("\"x\"", {.depth_max = 0});
  expect_taken("[{\"a\":1}]", {.depth_max = 2});
  expect_taken(nested(1000), {.depth_max = 1000});
  for (const std::size_t depth : {1'000, 10'000, 1'000'000}) {
    expect_refused(nested(depth));
    expect_refused(std::string(depth, '['));
    std::string objects;
    for (std::size_t i = 0; i < depth; ++i) objects += "{\"a\":";
    expect_refused(objects);
  }
}

TEST(Json, the_limit_is_named) {
  EXPECT_EQ(shown(parse("[[[1]]]", {.depth_max = 2})), "JSON is nested deeper than 2 levels");
}

TEST(Json, quoted_text_reads_back) {
  std::string all;
  for (char letter = 0; letter < 0x7F; ++letter) all += letter;
  all += "\x7F \xE7\xAB\xB9 \xF0\x9F\x8E\x8B \xE2\x80\xA8";
  EXPECT_EQ(*taken(json::quoted(all)).string(), all);
  EXPECT_EQ(json::quoted("a\"\\\n\x01/"), "\"a\\\"\\\\\\n\\u0001/\"");
  EXPECT_EQ(json::quoted("\x1F\x7F\xE7\xAB\xB9"), "\"\\u001f\x7F\xE7\xAB\xB9\"");
  EXPECT_EQ(json::quoted(""), "\"\"");
}

TEST(Json, an_excerpt_is_short_and_valid_whatever_the_bytes) {
  EXPECT_EQ(excerpt("a\xFF"), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(excerpt(std::string(excerpt_max, 'x')), json::quoted(std::string(excerpt_max, 'x')));
  EXPECT_EQ(excerpt(std::string(1'000'000, 'x')),
            json::quoted(std::string(excerpt_max, 'x')) + "...");
}

}  // namespace
}  // namespace zhuzi::json
