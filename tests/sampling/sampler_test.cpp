// The sampler case by case: what is drawn, reported and refused. Rows are a few logits long.
#include "sampling/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/vocabulary.h"
#include "support.h"

namespace zhuzi {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
using Ids = std::vector<int>;

SamplingParams greedy() {
  SamplingParams params;
  params.temperature = 0;
  return params;
}

void expect_numeric_error(std::vector<float> logits, const SamplingParams& params,
                          const std::string& words) {
  Sequence sequence(logits.size(), {0});
  const auto sampled = sequence.next(std::move(logits), params);
  ASSERT_FALSE(sampled.has_value());
  EXPECT_EQ(sampled.error().code, ErrorCode::numeric);
  EXPECT_NE(sampled.error().message.find(words), std::string::npos) << sampled.error().message;
  EXPECT_TRUE(sequence.sampler().survivors().empty());
}

TEST(Sampler, takes_the_lower_id_of_equal_logits_and_holds_both_zeros_equal) {
  EXPECT_EQ(Sequence(4).draw({-1, -0.0f, 0.0f, -2}, greedy(), 1), Ids{1});
  SamplingParams first_only;
  first_only.top_k = 1;
  EXPECT_EQ(Sequence(4).draw({-1, -0.0f, 0.0f, -2}, first_only, 1), Ids{1});
}

TEST(Sampler, draws_nothing_random_when_greedy) {
  SamplingParams no_top_p;
  no_top_p.top_p = 0;
  for (const SamplingParams& params : {greedy(), no_top_p}) {
    Sequence sequence(3);
    const auto sampled = sequence.next({1, 3, 2}, params);
    ASSERT_TRUE(sampled.has_value());
    EXPECT_EQ(sampled->token, TokenId{1});
    EXPECT_EQ(sampled->needle, 0);
    EXPECT_EQ(sampled->survivors, 1u);
    EXPECT_EQ(sampled->probability, 1);
    ASSERT_EQ(sequence.sampler().survivors().size(), 1u);
    EXPECT_EQ(sequence.sampler().survivors()[0].token, TokenId{1});
  }
}

TEST(Sampler, D1_takes_the_best_token_at_every_tiny_temperature) {
  const std::vector<float> logits{2.875f, 2.955f, 11.0625f};
  for (const float temperature :
       {0.0f, 1e-3f, 1e-4f, 1e-5f, 1e-12f, 1e-38f, std::numeric_limits<float>::denorm_min()}) {
    SamplingParams params;
    params.temperature = temperature;
    EXPECT_EQ(Sequence(3).draw(logits, params, 20), Ids(20, 2)) << temperature;
  }
  SamplingParams hot;
  hot.temperature = 1e6f;
  Ids counts(3);
  Sequence sequence(3);
  for (const int id : sequence.draw(logits, hot, 200)) ++counts[static_cast<std::size_t>(id)];
  for (const int count : counts) EXPECT_GT(count, 40);
}

TEST(Sampler, D1_counts_no_survivor_whose_width_is_zero) {
  SamplingParams params;
  params.temperature = 1e-5f;
  params.top_k = 2;
  Sequence sequence(3);
  EXPECT_EQ(sequence.next({2.875f, 2.955f, 11.0625f}, params)->survivors, 1u);
  EXPECT_EQ(sequence.sampler().survivors().size(), 1u);
}

TEST(Sampler, D1_survives_logits_at_both_ends_of_the_range) {
  constexpr float largest = std::numeric_limits<float>::max();
  for (const float temperature : {std::numeric_limits<float>::denorm_min(), 1.0f, largest}) {
    SamplingParams params;
    params.temperature = temperature;
    Sequence sequence(3);
    const auto sampled = sequence.next({-largest, largest, 0}, params);
    ASSERT_TRUE(sampled.has_value());
    EXPECT_TRUE(std::isfinite(sampled->mass));
    EXPECT_TRUE(temperature == largest || sampled->token == TokenId{1});
  }
}

TEST(Sampler, D2_takes_a_top_k_beyond_the_vocabulary_as_all) {
  const std::vector<float> logits{1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<Ids> answers;
  for (const std::int32_t top_k : {9999999, 8, 0, -1}) {
    SamplingParams params;
    params.top_k = top_k;
    params.temperature = 3;
    answers.push_back(Sequence(8).draw(logits, params, 50));
  }
  for (const Ids& answer : answers) EXPECT_EQ(answer, answers.front());
}

TEST(Sampler, D2_gives_at_most_as_many_top_logprobs_as_there_are_tokens) {
  SamplingParams params = greedy();
  params.logprobs = true;
  params.top_logprobs = 20;
  Sequence sequence(8);
  const auto sampled = sequence.next({1, 2, 3, 4, 5, 6, 7, 8}, params);
  ASSERT_TRUE(sampled.has_value());
  EXPECT_EQ(sampled->top_logprobs.size(), 8u);
}

TEST(Sampler, D2_serves_a_greedy_and_a_sampled_request_in_turn) {
  const std::vector<float> logits{1, 2, 3, 2.5f};
  SamplingParams random;
  random.seed = 42;
  const Ids alone = Sequence(4).draw(logits, random, 30);
  Sampler shared(4);
  TokenHistory first(4, 64);
  TokenHistory second(4, 64);
  Ids together;
  for (std::uint32_t position = 0; position < 30; ++position) {
    std::vector<float> row = logits;
    EXPECT_EQ(shared.sample({}, row, greedy(), first, position)->token, TokenId{2});
    row = logits;
    together.push_back(static_cast<int>(shared.sample({}, row, random, second, position)->token));
  }
  EXPECT_EQ(together, alone);
}

TEST(Sampler, D5_presence_and_frequency_count_only_the_output) {
  SamplingParams presence = greedy();
  presence.presence_penalty = 2;
  EXPECT_EQ(Sequence(2, {0, 0}).draw({2.0f, 1.9f}, presence, 3), (Ids{0, 1, 0}));
  SamplingParams frequency = greedy();
  frequency.frequency_penalty = 0.04f;
  EXPECT_EQ(Sequence(2, {0, 0}).draw({2.0f, 1.9f}, frequency, 4), (Ids{0, 0, 0, 1}));
}

TEST(Sampler, D5_repetition_counts_the_prompt_and_its_window_is_the_last_tokens) {
  SamplingParams params = greedy();
  params.repetition_penalty = 1.2f;
  EXPECT_EQ(Sequence(2, {0, 0}).draw({2.0f, 1.9f}, params, 1), Ids{1});
  EXPECT_EQ(Sequence(2, {0, 0}).draw({-1.0f, -1.1f}, params, 1), Ids{1});
  params.repeat_last_n = 1;
  EXPECT_EQ(Sequence(2, {0, 1}).draw({2.0f, 1.9f}, params, 1), Ids{0});
  params.repeat_last_n = 2;
  EXPECT_EQ(Sequence(3, {0, 1}).draw({2.0f, 1.9f, 1.8f}, params, 1), Ids{2});
  params.repeat_last_n = 0;
  EXPECT_EQ(Sequence(2, {0, 0}).draw({2.0f, 1.9f}, params, 1), Ids{0});
}

TEST(Sampler, D7_a_choice_has_random_numbers_of_its_own) {
  const std::vector<float> logits(50, 0.0f);
  std::vector<Ids> answers;
  for (const std::uint32_t choice : {0u, 1u, 2u, 0u, 1u, 2u}) {
    SamplingParams params;
    params.seed = 42;
    params.temperature = 0.8f;
    params.choice = choice;
    answers.push_back(Sequence(50).draw(logits, params, 20));
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(answers[i], answers[i + 3]);
  EXPECT_NE(answers[0], answers[1]);
  EXPECT_NE(answers[0], answers[2]);
  EXPECT_NE(answers[1], answers[2]);
}

TEST(Sampler, D8_masks_every_end_token_until_min_tokens) {
  SamplingParams params = greedy();
  params.min_tokens = 3;
  params.end_tokens = tokens_of({0, 1, 4});
  EXPECT_EQ(Sequence(5, {2, 2}).draw({9, 8, 1, 2, 7}, params, 4), (Ids{3, 3, 3, 0}));
}

TEST(Sampler, D8_changes_nothing_when_every_token_has_the_same_bias) {
  SamplingParams params;
  const std::vector<float> logits{1, 2, 3, 2.5f};
  const Ids plain = Sequence(4).draw(logits, params, 50);
  for (const TokenId token : tokens_of({0, 1, 2, 3})) {
    params.logit_bias.push_back({.token = token, .bias = 100});
  }
  EXPECT_EQ(Sequence(4).draw(logits, params, 50), plain);
}

TEST(Sampler, bias_comes_before_penalties) {
  SamplingParams params = greedy();
  params.logit_bias = {{.token = TokenId{0}, .bias = 4}};
  params.repetition_penalty = 2;
  // (1 + 4) / 2 = 2.5 loses against 2.75; 1 / 2 + 4 would win.
  EXPECT_EQ(Sequence(2, {0}).draw({1, 2.75f}, params, 1), Ids{1});
}

TEST(Sampler, min_p_follows_top_p_which_follows_top_k) {
  // Weights 4, 3, 2, 1: of the first three, top_p 0.7 wants 6.3, so two are enough.
  std::vector<float> logits;
  for (const float weight : {2.0f, 4.0f, 1.0f, 3.0f}) logits.push_back(std::log(weight));
  SamplingParams params;
  params.top_k = 3;
  params.top_p = 0.7f;
  Sequence sequence(4);
  EXPECT_EQ(sequence.next(logits, params)->survivors, 2u);
  params.top_p = 0.8f;
  EXPECT_EQ(sequence.next(logits, params)->survivors, 3u);
  params.min_p = 0.6f;
  EXPECT_EQ(sequence.next(logits, params)->survivors, 2u);
  params.min_p = 1;
  EXPECT_EQ(sequence.next(logits, params)->survivors, 1u);
}

TEST(Sampler, top_p_refers_to_the_partitioned_total_when_top_k_is_off) {
  // So near to 1 that the cut depends on how the total was rounded.
  SamplingParams params;
  params.top_p = std::nextafter(1.0f, 0.0f);
  int differences = 0;
  for (int shape = 1; shape <= 20; ++shape) {
    std::vector<float> logits;
    for (int id = 0; id < 3000; ++id) logits.push_back(-1e-3f * static_cast<float>(shape * id));
    std::vector<float> widths(logits.size());
    kernels::exponential_widths({}, logits, 0, 1, widths);
    const auto tokens_for = [&](double wanted) {
      std::size_t tokens = 0;
      double sum = 0;
      while (tokens < widths.size() && sum < wanted && widths[tokens] > 0) sum += widths[tokens++];
      return tokens;
    };
    const double exact = std::accumulate(widths.begin(), widths.end(), 0.0);
    const double total = kernels::exponential_sum({}, logits, 1).total;
    const std::size_t expected = tokens_for(double{params.top_p} * total);
    EXPECT_EQ(Sequence(logits.size()).next(logits, params)->survivors, expected);
    differences += expected != tokens_for(double{params.top_p} * exact);
  }
  EXPECT_GT(differences, 0);
}

TEST(Sampler, draws_only_allowed_tokens_and_no_forbidden_one) {
  SamplingParams params;
  params.temperature = 100;
  params.allowed_tokens = tokens_of({3, 1, 3});
  for (const int id : Sequence(4).draw({9, 1, 9, 2}, params, 50)) EXPECT_TRUE(id == 1 || id == 3);
  params.forbidden_tokens = tokens_of({3});
  EXPECT_EQ(Sequence(4).draw({9, 1, 9, 2}, params, 50), Ids(50, 1));
}

TEST(Sampler, refuses_a_row_with_a_value_that_is_no_logit) {
  for (const SamplingParams& params : {SamplingParams{}, greedy()}) {
    expect_numeric_error({1, not_a_number, 2}, params, "NaN as the logit of token 1");
    expect_numeric_error({1, 2, infinity}, params, "+inf as the logit of token 2");
    expect_numeric_error({-infinity, -infinity}, params, "no finite logit");
  }
}

TEST(Sampler, refuses_a_row_that_masks_leave_empty) {
  for (SamplingParams params : {SamplingParams{}, greedy()}) {
    params.forbidden_tokens = tokens_of({1});
    expect_numeric_error({-infinity, 2}, params, "No token is left");
  }
}

TEST(Sampler, refuses_a_repetition_penalty_that_leaves_the_range) {
  for (SamplingParams params : {SamplingParams{}, greedy()}) {
    params.repetition_penalty = std::numeric_limits<float>::denorm_min();
    expect_numeric_error({2, 1}, params, "repetition_penalty");
  }
}

TEST(Sampler, goes_on_after_a_row_that_was_refused) {
  Sequence sequence(2);
  EXPECT_FALSE(sequence.next({not_a_number, 0}, greedy()).has_value());
  EXPECT_EQ(sequence.next({0, 1}, greedy())->token, TokenId{1});
}

TEST(Sampler, takes_logprobs_from_the_raw_row) {
  SamplingParams params = greedy();
  params.logprobs = true;
  params.top_logprobs = 3;
  params.forbidden_tokens = tokens_of({2});
  params.logit_bias = {{.token = TokenId{1}, .bias = 50}};
  Sequence sequence(5);
  const auto sampled = sequence.next({1, 0.5f, 3, -infinity, 1}, params);
  ASSERT_TRUE(sampled.has_value());
  const double log_total = std::log(std::exp(1.0) + std::exp(0.5) + std::exp(3.0) + std::exp(1.0));
  EXPECT_EQ(sampled->token, TokenId{1});
  ASSERT_TRUE(sampled->has_logprobs);
  EXPECT_EQ(sampled->logprob.token, TokenId{1});
  EXPECT_EQ(sampled->logprob.rank, 4u);
  EXPECT_NEAR(sampled->logprob.logprob, 0.5 - log_total, 1e-6);
  ASSERT_EQ(sampled->top_logprobs.size(), 3u);
  const int ids[] = {2, 0, 4};
  const double raw[] = {3, 1, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(static_cast<int>(sampled->top_logprobs[i].token), ids[i]);
    EXPECT_EQ(sampled->top_logprobs[i].rank, i + 1);
    EXPECT_NEAR(sampled->top_logprobs[i].logprob, raw[i] - log_total, 1e-6);
  }
}

TEST(Sampler, reports_no_logprobs_unless_asked) {
  const auto sampled = Sequence(2).next({1, 2}, greedy());
  EXPECT_FALSE(sampled->has_logprobs);
  EXPECT_TRUE(sampled->top_logprobs.empty());
}

TEST(Sampler, follows_the_widths_over_many_seeds) {
  const std::vector<float> logits{0.5f, 2, -1, 1.25f, 0.5f, -infinity, 0, 1.75f};
  constexpr int draws = 100'000;
  for (const std::int32_t top_k : {0, 5}) {
    Sampler sampler(logits.size());
    const TokenHistory history(logits.size(), 0);
    SamplingParams params;
    params.temperature = 0.9f;
    params.top_k = top_k;
    std::vector<int> counts(logits.size());
    for (int seed = 0; seed < draws; ++seed) {
      params.seed = static_cast<std::uint64_t>(seed);
      std::vector<float> row = logits;
      ++counts[index(sampler.sample({}, row, params, history, 11)->token)];
    }
    params.top_k = top_k == 0 ? static_cast<std::int32_t>(logits.size()) - 1 : top_k;
    std::vector<float> row = logits;
    const double mass = sampler.sample({}, row, params, history, 0)->mass;
    double chi_square = 0;
    for (const Sampler::Survivor& survivor : sampler.survivors()) {
      const double expected = draws * double{survivor.width} / mass;
      const double distance = counts[index(survivor.token)] - expected;
      chi_square += distance * distance / expected;
    }
    // Beyond 22.5 lies one thousandth of the distribution with 6 degrees of freedom.
    EXPECT_LT(chi_square, 22.5);
    EXPECT_EQ(counts[5], 0);
  }
}

}  // namespace
}  // namespace zhuzi
