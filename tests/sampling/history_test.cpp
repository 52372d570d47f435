// The history keeps what penalties ask for: counts of the output, and where a token was last.
#include "sampling/history.h"

#include <gtest/gtest.h>

#include "support.h"

namespace zhuzi {
namespace {

TEST(TokenHistory, counts_the_output_and_not_the_prompt) {
  TokenHistory history(10, 8);
  history.add_prompt(tokens_of({3, 5, 3}));
  for (const TokenId token : tokens_of({5, 7, 7})) history.add_output(token);

  EXPECT_EQ(history.prompt_tokens(), 3u);
  EXPECT_EQ(history.output_tokens(), 3u);
  const auto tokens = history.tokens();
  EXPECT_EQ(std::vector(tokens.begin(), tokens.end()), tokens_of({3, 5, 3, 5, 7, 7}));

  const auto distinct = history.distinct();
  ASSERT_EQ(distinct.size(), 3u);
  const int ids[] = {3, 5, 7};
  const std::uint32_t counts[] = {0, 1, 2};
  const std::size_t ends[] = {3, 4, 6};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(static_cast<int>(distinct[i].token), ids[i]);
    EXPECT_EQ(distinct[i].output_count, counts[i]);
    EXPECT_EQ(distinct[i].end, ends[i]);
  }
}

TEST(TokenHistory, holds_exactly_the_tokens_it_was_made_for) {
  TokenHistory history(2, 3);
  history.add_prompt(tokens_of({0, 1}));
  history.add_output(TokenId{1});
  EXPECT_EQ(history.tokens().size(), 3u);
  EXPECT_DEATH(history.add_output(TokenId{1}), "room");
}

TEST(TokenHistory, takes_no_token_outside_the_vocabulary) {
  TokenHistory history(2, 3);
  EXPECT_DEATH(history.add_output(TokenId{2}), "vocabulary");
  EXPECT_DEATH(history.add_output(TokenId{-1}), "vocabulary");
}

}  // namespace
}  // namespace zhuzi
