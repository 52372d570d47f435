// Text and JSON files: their content, their limit, and words that name the file.
#include "formats/text_file.h"

#include <gtest/gtest.h>

#include <string>

#include "base/scratch_folder.h"

namespace zhuzi {
namespace {

TEST(TextFile, holds_the_text_up_to_the_limit) {
  const testing::ScratchFolder folder;
  const auto path = folder.write("a.txt", "bamboo\n");
  EXPECT_EQ(read_text_file(path).value(), "bamboo\n");
  EXPECT_EQ(read_text_file(path, 7).value(), "bamboo\n");
  const auto result = read_text_file(path, 6);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::corrupt_file);
  EXPECT_EQ(result.error().message, path.string() + " has 7 bytes, at most 6 are read");
}

TEST(JsonFile, of_equal_keys_the_last_counts) {
  const testing::ScratchFolder folder;
  const auto value = read_json_file(folder.write("a.json", R"({"a":1,"a":2})"));
  ASSERT_TRUE(value.has_value()) << value.error().message;
  EXPECT_EQ(value->find("a")->integer(), 2);
}

TEST(JsonFile, names_the_file_that_is_no_json) {
  const testing::ScratchFolder folder;
  const auto path = folder.write("a.json", "{\"a\":tru}");
  const auto value = read_json_file(path);
  ASSERT_FALSE(value.has_value());
  EXPECT_EQ(value.error().code, ErrorCode::corrupt_file);
  EXPECT_EQ(value.error().message, path.string() + ": not valid JSON: \"tru\" is no value");
  EXPECT_FALSE(read_json_file(path, 3).has_value());
  EXPECT_EQ(read_json_file(folder.path() / "missing").error().code, ErrorCode::not_found);
}

}  // namespace
}  // namespace zhuzi
