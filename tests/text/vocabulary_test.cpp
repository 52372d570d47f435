// The limits of a vocabulary. What entries mean is tested through the tokenizer.
#include "text/internal/vocabulary.h"

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "text/internal/byte_level.h"

namespace zhuzi::internal {
namespace {

Result<Vocabulary> made(std::span<const std::string_view> spellings) {
  return Vocabulary::make(spellings, std::vector(spellings.size(), TokenKind::normal),
                          append_bytes_of_spelling);
}

TEST(Vocabulary, has_one_to_a_largest_number_of_entries) {
  std::vector<std::string_view> spellings(Vocabulary::entries_max);
  const auto largest = made(spellings);
  ASSERT_TRUE(largest) << largest.error().message;
  EXPECT_EQ(largest->size(), Vocabulary::entries_max);
  EXPECT_EQ(largest->find(""), TokenId{Vocabulary::entries_max - 1});
  spellings.emplace_back();
  EXPECT_FALSE(made(spellings));
  EXPECT_FALSE(made({}));
}

TEST(Vocabulary, refuses_more_text_than_its_limit_before_it_copies_any) {
  const std::string text(std::size_t{1} << 20, 'a');
  const std::vector<std::string_view> spellings(Vocabulary::text_bytes_max / text.size() + 1, text);
  EXPECT_FALSE(made(spellings));
}

TEST(Vocabulary, refuses_spellings_chosen_to_collide_in_bounded_work) {
  // The table of 1,100 entries has 4,096 slots, and the lower bits of the hash choose one.
  std::vector<std::string> texts;
  for (std::size_t i = 0; texts.size() < 1'100; ++i) {
    std::string text = std::to_string(i);
    if (hash64(std::as_bytes(std::span(text))) % 4'096 == 7) texts.push_back(std::move(text));
  }
  const std::vector<std::string_view> spellings(texts.begin(), texts.end());
  EXPECT_TRUE(made(std::span(spellings).first(1'024)));
  const auto refused = made(spellings);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::corrupt_file);
}

}  // namespace
}  // namespace zhuzi::internal
