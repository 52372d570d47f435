// Each field just inside and just outside its range; the message names the field.
#include "sampling/params.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "support.h"

namespace zhuzi {
namespace {

constexpr std::size_t vocabulary = 8;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

using Change = std::function<void(SamplingParams&)>;
using Number = float SamplingParams::*;

void expect_valid(const Change& change) {
  SamplingParams params;
  change(params);
  const auto result = params.validate(vocabulary);
  EXPECT_TRUE(result.has_value()) << result.error().message;
}

void expect_refused(const Change& change, const std::string& field) {
  SamplingParams params;
  change(params);
  const auto result = params.validate(vocabulary);
  ASSERT_FALSE(result.has_value()) << field;
  EXPECT_EQ(result.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(result.error().message.find(field), std::string::npos) << result.error().message;
}

void expect_range(Number member, const std::string& field, float lowest, float highest) {
  expect_valid([&](SamplingParams& params) { params.*member = lowest; });
  expect_valid([&](SamplingParams& params) { params.*member = highest; });
  for (const float bad : {std::nextafter(lowest, -infinity), std::nextafter(highest, infinity),
                          infinity, -infinity, not_a_number}) {
    expect_refused([&](SamplingParams& params) { params.*member = bad; }, field);
  }
}

TEST(SamplingParams, are_valid_by_default) {
  expect_valid([](SamplingParams&) {});
}

TEST(SamplingParams, hold_each_number_to_its_range) {
  constexpr float largest = std::numeric_limits<float>::max();
  constexpr float smallest = std::numeric_limits<float>::denorm_min();
  expect_range(&SamplingParams::temperature, "temperature", 0, largest);
  expect_range(&SamplingParams::top_p, "top_p", 0, 1);
  expect_range(&SamplingParams::min_p, "min_p", 0, 1);
  expect_range(&SamplingParams::repetition_penalty, "repetition_penalty", smallest, largest);
  expect_range(&SamplingParams::frequency_penalty, "frequency_penalty", -2, 2);
  expect_range(&SamplingParams::presence_penalty, "presence_penalty", -2, 2);
}

TEST(SamplingParams, D1_refuse_temperatures_that_are_no_numbers_and_take_large_ones) {
  for (const float bad : {infinity, not_a_number, -1.0f}) {
    expect_refused([&](SamplingParams& params) { params.temperature = bad; }, "temperature");
  }
  expect_valid([](SamplingParams& params) { params.temperature = 1e6f; });
}

TEST(SamplingParams, D2_take_any_top_k_but_negative_ones_below_off) {
  for (const std::int32_t good : {9999999, 0, -1, std::numeric_limits<std::int32_t>::max()}) {
    expect_valid([&](SamplingParams& params) { params.top_k = good; });
  }
  for (const std::int32_t bad : {-2, std::numeric_limits<std::int32_t>::min()}) {
    expect_refused([&](SamplingParams& params) { params.top_k = bad; }, "top_k");
  }
}

TEST(SamplingParams, D2_take_20_top_logprobs_and_refuse_21) {
  expect_valid([](SamplingParams& params) {
    params.logprobs = true;
    params.top_logprobs = 20;
  });
  expect_refused(
      [](SamplingParams& params) {
        params.logprobs = true;
        params.top_logprobs = 21;
      },
      "top_logprobs");
}

TEST(SamplingParams, refuse_top_logprobs_without_logprobs) {
  expect_refused([](SamplingParams& params) { params.top_logprobs = 1; }, "logprobs");
}

TEST(SamplingParams, take_a_window_of_any_length) {
  for (const std::int32_t good : {-1, 0, 1, std::numeric_limits<std::int32_t>::max()}) {
    expect_valid([&](SamplingParams& params) { params.repeat_last_n = good; });
  }
  expect_refused([](SamplingParams& params) { params.repeat_last_n = -2; }, "repeat_last_n");
}

TEST(SamplingParams, D8_refuse_ids_outside_the_vocabulary_in_every_list) {
  for (const std::int32_t id : {0, 7, -1, 8, std::numeric_limits<std::int32_t>::max(),
                                std::numeric_limits<std::int32_t>::min()}) {
    const auto token = static_cast<TokenId>(id);
    const auto expect = [&](const Change& change, const std::string& field) {
      id == 0 || id == 7 ? expect_valid(change) : expect_refused(change, field);
    };
    expect([&](SamplingParams& params) { params.logit_bias = {{.token = token, .bias = 1}}; },
           "logit_bias");
    expect([&](SamplingParams& params) { params.end_tokens = {token}; }, "end_tokens");
    expect([&](SamplingParams& params) { params.forbidden_tokens = {token}; }, "forbidden_tokens");
    expect([&](SamplingParams& params) { params.allowed_tokens = {token}; }, "allowed_tokens");
  }
}

TEST(SamplingParams, D8_refuse_a_bias_beyond_100) {
  for (const float bias : {-100.0f, 100.0f}) {
    expect_valid([&](SamplingParams& params) { params.logit_bias = {{.bias = bias}}; });
  }
  for (const float bias : {-101.0f, 100.01f, infinity, -infinity, not_a_number}) {
    expect_refused([&](SamplingParams& params) { params.logit_bias = {{.bias = bias}}; },
                   "logit_bias");
  }
}

TEST(SamplingParams, bound_every_list_by_the_vocabulary) {
  expect_valid([](SamplingParams& params) {
    params.logit_bias.resize(vocabulary);
    params.end_tokens.resize(vocabulary);
    params.forbidden_tokens.resize(vocabulary);
    params.allowed_tokens.resize(vocabulary);
  });
  expect_refused([](SamplingParams& params) { params.logit_bias.resize(vocabulary + 1); },
                 "logit_bias");
  expect_refused([](SamplingParams& params) { params.end_tokens.resize(vocabulary + 1); },
                 "end_tokens");
  expect_refused([](SamplingParams& params) { params.forbidden_tokens.resize(vocabulary + 1); },
                 "forbidden_tokens");
  expect_refused([](SamplingParams& params) { params.allowed_tokens.resize(vocabulary + 1); },
                 "allowed_tokens");
}

}  // namespace
}  // namespace zhuzi
