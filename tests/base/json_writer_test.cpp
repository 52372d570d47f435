// What the writer writes, the parser reads back.
#include "base/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/json.h"

namespace zhuzi::json {
namespace {

TEST(JsonWriter, commas_and_nesting_are_its_own_business) {
  Writer json;
  json.begin_object().member("a", 1).key("b").begin_array().value("x").value(true).null();
  json.begin_object().end_object().end_array().member("c", 0.5).end_object();
  EXPECT_EQ(json.text(), R"({"a":1,"b":["x",true,null,{}],"c":0.5})");
}

TEST(JsonWriter, strings_survive_whatever_they_hold) {
  const std::string text = "quote \" backslash \\ newline \n control \x01 你好 😀";
  Writer json;
  json.begin_array().value(text).end_array();
  Result<Value> parsed = parse(json.text());
  ASSERT_TRUE(parsed) << json.text();
  EXPECT_EQ(*(*parsed->array())[0].string(), text);
}

TEST(JsonWriter, numbers_read_back_as_the_same_bits_and_what_is_not_finite_is_null) {
  for (const double number : {0.1, 1e300, -0.0, 5e-324, 123456789.123456789}) {
    Writer json;
    json.begin_array().value(number).end_array();
    Result<Value> parsed = parse(json.text());
    ASSERT_TRUE(parsed) << json.text();
    if (number == 5e-324) continue;  // Reads back, but `real` refuses what is not normal.
    EXPECT_EQ((*parsed->array())[0].real(), number) << json.text();
  }
  Writer json;
  json.begin_array().value(std::numeric_limits<double>::infinity()).end_array();
  EXPECT_EQ(json.text(), "[null]");
}

TEST(JsonWriter, an_unfinished_document_is_a_bug) {
  Writer json;
  json.begin_object();
  EXPECT_DEATH((void)json.text(), "complete");
}

}  // namespace
}  // namespace zhuzi::json
