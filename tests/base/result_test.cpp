// Result and TRY: a value passes through, an error goes to the caller with its code and words.
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace zhuzi {
namespace {

Result<int> half(int number) {
  if (number % 2 == 0) return number / 2;
  return fail(ErrorCode::invalid_argument, "{} is odd", number);
}

Result<void> must_be_even(int number) {
  TRY(half(number));
  return {};
}

Result<std::string> quarter(int number) {
  const int once = TRY(half(number));
  return std::to_string(TRY(half(once)));
}

TEST(Result, a_value_passes_through) { EXPECT_EQ(quarter(12), "3"); }

TEST(Result, an_error_goes_to_the_caller_as_it_is) {
  const auto result = quarter(6);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(result.error().message, "3 is odd");
  EXPECT_FALSE(must_be_even(1).has_value());
  EXPECT_TRUE(must_be_even(2).has_value());
}

TEST(Result, a_value_that_only_moves_is_moved) {
  const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(7); };
  const auto pass = [&]() -> Result<std::unique_ptr<int>> { return TRY(make()); };
  EXPECT_EQ(**pass(), 7);
}

}  // namespace
}  // namespace zhuzi
