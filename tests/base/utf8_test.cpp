// UTF-8: every code point there and back, the borders of table 3-7, and the fixture of broken bytes
// with what Python shows for them.
#include "base/utf8.h"

#include <gtest/gtest.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/json.h"

namespace zhuzi::utf8 {
namespace {

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

TEST(Utf8, every_code_point_reads_back) {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point == 0xD800) code_point = 0xE000;
    std::string text;
    append(text, code_point);
    const Piece piece = first_piece(text);
    ASSERT_EQ(piece.kind, Kind::character) << static_cast<unsigned>(code_point);
    ASSERT_EQ(piece.length, text.size());
    ASSERT_EQ(piece.code_point, code_point);
    for (std::size_t size = 1; size < text.size(); ++size) {
      const Piece cut = first_piece(std::string_view(text).substr(0, size));
      ASSERT_EQ(cut.kind, Kind::incomplete);
      ASSERT_EQ(cut.length, size);
    }
  }
}

TEST(Utf8, what_is_just_outside_the_table_is_broken) {
  const auto broken = [](std::string_view bytes, std::size_t length) {
    const Piece piece = first_piece(bytes);
    EXPECT_EQ(piece.kind, Kind::broken) << json::excerpt(bytes);
    EXPECT_EQ(piece.length, length);
    EXPECT_FALSE(is_valid(bytes));
  };
  broken("\x80", 1);
  broken("\xC0\x80", 1);
  broken("\xC1\xBF", 1);
  broken("\xE0\x9F\xBF", 1);
  broken("\xED\xA0\x80", 1);
  broken("\xF0\x8F\xBF\xBF", 1);
  broken("\xF4\x90\x80\x80", 1);
  broken("\xF5\x80\x80\x80", 1);
  broken("\xFF", 1);
  broken("\xE4\xBD\x61", 2);
  broken("\xF0\x9F\x98\xC0", 3);
}

TEST(Utf8, a_character_is_taken_alone_from_what_follows) {
  const Piece piece = first_piece("\xE7\xAB\xB9\xFF");
  EXPECT_EQ(piece.kind, Kind::character);
  EXPECT_EQ(piece.length, 3U);
  EXPECT_EQ(piece.code_point, U'\u7AF9');
}

TEST(Utf8, valid_text_is_valid_to_its_last_byte) {
  EXPECT_TRUE(is_valid(""));
  EXPECT_TRUE(is_valid("a\xC3\xA9\xE7\xAB\xB9\xF0\x9F\x8E\x8B"));
  EXPECT_FALSE(is_valid("a\xC3\xA9\xE7\xAB"));
  EXPECT_FALSE(
      is_valid("\xFF"
               "abc"));
}

TEST(Utf8, C1_broken_bytes_show_as_python_shows_them) {
  std::ifstream lines(std::filesystem::path(ZHUZI_TEST_DATA) /
                      "text/tokenizers/invalid_utf8.jsonl");
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto value = json::parse(line);
    ASSERT_TRUE(value.has_value()) << value.error().message;
    const std::string bytes = from_hex(*value->find("hex")->string());
    const std::string& expected = *value->find("lossy")->string();
    EXPECT_EQ(lossy(bytes), expected) << line;
    EXPECT_EQ(is_valid(bytes), bytes == expected) << line;
    EXPECT_TRUE(is_valid(lossy(bytes))) << line;
  }
  EXPECT_GT(count, 20U);
}

}  // namespace
}  // namespace zhuzi::utf8
