// Philox against the published known answers and further vectors; the needle against its formula.
#include "sampling/philox.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "base/json.h"

namespace zhuzi {
namespace {

json::Value read_vectors() {
  std::ifstream file(ZHUZI_TEST_DATA "/math/rng.json");
  std::stringstream text;
  text << file.rdbuf();
  auto document = json::parse(text.str());
  EXPECT_TRUE(document.has_value());
  return std::move(document).value_or(json::Value());
}

template <std::size_t Size>
std::array<std::uint32_t, Size> hexadecimal(const json::Value& words) {
  std::array<std::uint32_t, Size> values{};
  EXPECT_EQ(words.array()->size(), Size);
  for (std::size_t i = 0; i < Size; ++i) {
    values[i] = static_cast<std::uint32_t>(std::stoul(*(*words.array())[i].string(), nullptr, 16));
  }
  return values;
}

TEST(Philox, gives_the_known_answers) {
  const json::Value document = read_vectors();
  const json::Value* philox = document.find("philox4x32_10");
  ASSERT_NE(philox, nullptr);
  std::size_t vectors = 0;
  for (const char* list : {"known_answers", "more"}) {
    for (const json::Value& entry : *philox->find(list)->array()) {
      EXPECT_EQ(
          philox4x32_10(hexadecimal<4>(*entry.find("counter")), hexadecimal<2>(*entry.find("key"))),
          hexadecimal<4>(*entry.find("out")));
      ++vectors;
    }
  }
  EXPECT_EQ(vectors, 19u);
}

TEST(Needle, is_made_of_53_bits_of_the_first_two_words) {
  const PhiloxCounter words = philox4x32_10({7, 2, 0, 0}, {0x12345678, 0xdeadbeef});
  const double high = static_cast<double>(words[0]) * 0x1p-32;
  const double low = static_cast<double>(words[1] >> 11) * 0x1p-53;
  EXPECT_EQ(needle(0xdeadbeef12345678, 7, 2), high + low);
  EXPECT_EQ(needle(0, 0, 0, 0), 0x6627e8d5p-32 + static_cast<double>(0xe169c58d >> 11) * 0x1p-53);
}

TEST(Needle, depends_on_seed_position_choice_and_stage) {
  const double one = needle(42, 7, 1, 0);
  EXPECT_EQ(needle(42, 7, 1), one);
  EXPECT_NE(needle(43, 7, 1), one);
  EXPECT_NE(needle(42 + (std::uint64_t{1} << 32), 7, 1), one);
  EXPECT_NE(needle(42, 8, 1), one);
  EXPECT_NE(needle(42, 7, 2), one);
  EXPECT_NE(needle(42, 7, 1, 1), one);
}

}  // namespace
}  // namespace zhuzi
