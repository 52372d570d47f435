// The 157 cases of the chain computed in float64 (tests/data/math/sampling.json): who survives,
// with which probability, and what is an error. Each case is drawn at several positions.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "support.h"

namespace zhuzi {
namespace {

constexpr std::size_t draws_per_case = 16;
/// Wide enough for f32 logits divided by a temperature, far below any wrong stage.
constexpr double tolerance = 3e-5;
/// Less than this is 0 in f32.
constexpr double underflow = 1e-37;

float number(const json::Value& value) {
  if (value.number() != nullptr) return static_cast<float>(value.real().value());
  const std::string& name = *value.string();
  if (name == "nan") return std::numeric_limits<float>::quiet_NaN();
  return std::numeric_limits<float>::infinity() * (name == "-inf" ? -1.0f : 1.0f);
}

std::vector<float> numbers(const json::Value& list) {
  std::vector<float> values;
  for (const json::Value& value : *list.array()) values.push_back(number(value));
  return values;
}

std::vector<TokenId> tokens(const json::Value* list) {
  std::vector<TokenId> ids;
  if (list == nullptr) return ids;
  for (const json::Value& value : *list->array()) {
    ids.push_back(static_cast<TokenId>(value.integer().value()));
  }
  return ids;
}

SamplingParams params_of(const json::Value& given) {
  SamplingParams params;
  const auto set = [&](const char* name, float& field) {
    if (const json::Value* value = given.find(name)) field = number(*value);
  };
  set("temperature", params.temperature);
  set("top_p", params.top_p);
  set("min_p", params.min_p);
  set("repetition_penalty", params.repetition_penalty);
  set("frequency_penalty", params.frequency_penalty);
  set("presence_penalty", params.presence_penalty);
  if (const json::Value* value = given.find("top_k")) {
    params.top_k = static_cast<std::int32_t>(value->integer().value());
  }
  if (const json::Value* biases = given.find("logit_bias")) {
    for (const json::Member& member : biases->object()->members()) {
      params.logit_bias.push_back(
          {.token = static_cast<TokenId>(std::stoi(member.key)), .bias = number(member.value)});
    }
  }
  return params;
}

struct Case {
  std::vector<float> logits;
  SamplingParams params;
  std::vector<TokenId> prompt;
  std::vector<TokenId> output;
  const json::Value* expect = nullptr;
  std::string name;
};

void expect_survivors(const Case& test, const Sampled& sampled,
                      std::span<const Sampler::Survivor> survivors) {
  const std::vector<TokenId> expected = tokens(test.expect->find("tokens"));
  const json::Array& probabilities = *test.expect->find("probs")->array();
  const auto probability = [&](std::size_t rank) { return probabilities[rank].real().value(); };
  std::size_t positive = 0;
  while (positive < expected.size() && probability(positive) > underflow) ++positive;

  const SamplingParams& params = test.params;
  const bool has_top_k = params.top_k > 0 && std::cmp_less(params.top_k, test.logits.size());
  const bool truncates = has_top_k || params.top_p < 1 || params.min_p > 0;
  if (truncates || params.temperature == 0) {
    EXPECT_EQ(sampled.survivors, positive);
    EXPECT_EQ(survivors.size(), positive);
  } else {
    EXPECT_EQ(sampled.survivors, expected.size());
    EXPECT_LE(survivors.size(), positive);
  }
  ASSERT_LE(survivors.size(), expected.size());
  bool found = false;
  for (std::size_t rank = 0; rank < survivors.size(); ++rank) {
    EXPECT_EQ(survivors[rank].token, expected[rank]) << "rank " << rank;
    const double share = double{survivors[rank].width} / sampled.mass;
    EXPECT_NEAR(share, probability(rank), tolerance * probability(rank)) << "rank " << rank;
    if (survivors[rank].token != sampled.token) continue;
    found = true;
    EXPECT_EQ(sampled.probability, share);
  }
  EXPECT_TRUE(found);
}

void run(const Case& test, kernels::InstructionSet set) {
  const std::size_t vocabulary = test.logits.size();
  ASSERT_TRUE(test.params.validate(vocabulary).has_value());
  Sampler sampler(vocabulary);
  TokenHistory history(vocabulary, test.prompt.size() + test.output.size());
  history.add_prompt(test.prompt);
  for (const TokenId token : test.output) history.add_output(token);
  for (std::uint32_t position = 0; position < draws_per_case; ++position) {
    std::vector<float> logits = test.logits;
    const auto sampled = sampler.sample({.set = set}, logits, test.params, history, position);
    if (test.expect->find("error") != nullptr) {
      ASSERT_FALSE(sampled.has_value());
      EXPECT_EQ(sampled.error().code, ErrorCode::numeric);
      continue;
    }
    ASSERT_TRUE(sampled.has_value()) << sampled.error().message;
    expect_survivors(test, *sampled, sampler.survivors());
  }
}

TEST(SamplingChain, agrees_with_the_float64_cases) {
  std::ifstream file(ZHUZI_TEST_DATA "/math/sampling.json");
  std::stringstream text;
  text << file.rdbuf();
  const auto document = json::parse(text.str());
  ASSERT_TRUE(document.has_value()) << document.error().message;
  const json::Array& cases = *document->find("cases")->array();
  ASSERT_EQ(cases.size(), 157u);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const json::Value& given = *cases[i].find("params");
    const std::string& row = *cases[i].find("logits")->string();
    const Case test{.logits = numbers(*document->find("logits")->find(row)),
                    .params = params_of(given),
                    .prompt = tokens(given.find("prompt")),
                    .output = tokens(given.find("output")),
                    .expect = cases[i].find("expect"),
                    .name = row};
    for (const auto set : supported_sets()) {
      SCOPED_TRACE(testing::Message()
                   << "case " << i << " on " << row << ", " << kernels::name_of(set));
      run(test, set);
    }
  }
}

}  // namespace
}  // namespace zhuzi
