// Merging: against a plain reference, and the order of growth of its work counted in steps.
#include "text/internal/bpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "text/internal/bpe_merges.h"
#include "text/internal/byte_level.h"

namespace zhuzi::internal {
namespace {

using Merges = std::vector<MergeTable::Merge>;
using Word = std::vector<TokenId>;

MergeTable table_of(const Merges& merges) {
  auto table = MergeTable::make(merges);
  EXPECT_TRUE(table) << table.error().message;
  return *std::move(table);
}

/// Looks at all pairs for each merge: the rule in its plainest form.
Word merged_plainly(Word word, const Merges& merges) {
  std::map<std::pair<TokenId, TokenId>, std::size_t> ranks;
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    ranks.try_emplace({merges[rank].left, merges[rank].right}, rank);
  }
  while (true) {
    std::size_t best = merges.size();
    std::size_t place = 0;
    for (std::size_t i = 0; i + 1 < word.size(); ++i) {
      const auto found = ranks.find({word[i], word[i + 1]});
      if (found == ranks.end() || found->second >= best) continue;
      best = found->second;
      place = i;
    }
    if (best == merges.size()) return word;
    word[place] = merges[best].result;
    word.erase(word.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  }
}

/// Runs of one id: 0 0 makes 1, 1 1 makes 2, and so on; `count` merges.
Merges doubling(int count) {
  Merges merges;
  for (int i = 0; i < count; ++i) {
    merges.push_back({.left = TokenId{i}, .right = TokenId{i}, .result = TokenId{i + 1}});
  }
  return merges;
}

TEST(Merger, equals_the_plain_reference_on_random_merges_and_words) {
  for (std::uint32_t seed = 0; seed < 3'000; ++seed) {
    std::mt19937 dice(seed);
    const auto below = [&](int count) {
      return TokenId{static_cast<int>(dice() % static_cast<unsigned>(count))};
    };
    Merges merges;
    int next = 4;  // ids 0 to 3 are the letters
    for (std::size_t n = dice() % 40; n > 0; --n, ++next) {
      merges.push_back({.left = below(next), .right = below(next), .result = TokenId{next}});
    }
    std::ranges::shuffle(merges, dice);  // so that a merge can make a pair of a lower rank
    const MergeTable table = table_of(merges);
    Merger merger(table);
    Word word(1 + dice() % 80);
    for (TokenId& id : word) id = below(4);
    const Word expected = merged_plainly(word, merges);
    merger.merge(word);
    ASSERT_EQ(word, expected) << "seed " << seed;
  }
}

TEST(Merger, of_equal_pairs_the_leftmost_is_merged_first) {
  const MergeTable table = table_of(doubling(1));
  Merger merger(table);
  for (const std::size_t length : {3U, 33U, 101U}) {
    Word word(length, TokenId{0});
    merger.merge(word);
    Word expected(length / 2, TokenId{1});
    expected.push_back(TokenId{0});
    EXPECT_EQ(word, expected);
  }
}

TEST(Merger, of_equal_merges_the_first_counts) {
  const MergeTable table =
      table_of({{TokenId{0}, TokenId{1}, TokenId{2}}, {TokenId{0}, TokenId{1}, TokenId{3}}});
  EXPECT_EQ(table.rank(TokenId{0}, TokenId{1}), 0U);
  EXPECT_EQ(table.result(0), TokenId{2});
  EXPECT_EQ(table.rank(TokenId{1}, TokenId{0}), MergeTable::no_rank);
}

TEST(Merger, an_empty_table_merges_nothing) {
  const MergeTable table = table_of({});
  Merger merger(table);
  Word word(100, TokenId{7});
  merger.merge(word);
  EXPECT_EQ(word, Word(100, TokenId{7}));
}

TEST(Merger, B2_one_long_run_costs_steps_in_proportion_to_its_length) {
  const Merges merges = doubling(12);
  const MergeTable table = table_of(merges);
  for (const std::size_t length : {50'000U, 524'288U, 1'048'576U}) {
    Merger merger(table);
    Word word(length, TokenId{0});
    merger.merge(word);
    EXPECT_LE(merger.steps(), 6 * length);
    EXPECT_EQ(word.front(), TokenId{12});
    EXPECT_GE(word.size(), length >> 12);
  }
}

TEST(Merger, B2_a_prefix_of_4096_equals_the_plain_reference) {
  for (const int count : {1, 4, 12}) {
    const Merges merges = doubling(count);
    const MergeTable table = table_of(merges);
    Merger merger(table);
    Word word(4'096, TokenId{0});
    const Word expected = merged_plainly(word, merges);
    merger.merge(word);
    EXPECT_EQ(word, expected);
  }
}

TEST(MergeTable, refuses_more_merges_than_its_limit) {
  EXPECT_FALSE(MergeTable::make(Merges(MergeTable::merges_max + 1)));
}

TEST(MergeTable, pairs_chosen_to_collide_are_refused_in_bounded_work) {
  // A table of 1,100 merges has 4,096 slots; the home of a pair is the top 12 bits of this product.
  Merges merges;
  for (std::uint64_t pair = 0; merges.size() < 1'100; ++pair) {
    if (pair * 0x9E37'79B9'7F4A'7C15 >> 52 != 0) continue;
    merges.push_back({.left = TokenId{static_cast<int>(pair >> 21)},
                      .right = TokenId{static_cast<int>(pair % (1 << 21))},
                      .result = TokenId{0}});
  }
  const auto table = MergeTable::make(merges);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().code, ErrorCode::corrupt_file);
}

TEST(ByteLevel, every_byte_has_a_letter_of_its_own) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  std::string spelling;
  append_spelling_of_bytes(bytes, spelling);
  std::string back = "before ";
  append_bytes_of_spelling(spelling, back);
  EXPECT_EQ(back, "before " + bytes);
  spelling.clear();
  append_spelling_of_bytes(" \n\xADz", spelling);
  EXPECT_EQ(spelling, "ĠĊŃz");
}

TEST(ByteLevel, a_spelling_with_another_letter_stands_for_itself) {
  for (const std::string spelling : {"Ġ a", "世", "\u0144", "Ġ\xFF", "\xC4"}) {
    std::string bytes = "x";
    append_bytes_of_spelling(spelling, bytes);
    EXPECT_EQ(bytes, "x" + spelling);
  }
}

}  // namespace
}  // namespace zhuzi::internal
