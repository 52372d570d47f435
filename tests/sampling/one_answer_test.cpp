// The sampler against a naive reference in plain doubles that sorts the whole row, and against
// itself on every instruction set, over random rows and parameters. A draw whose needle or
// threshold lies within rounding of a border is compared between instruction sets only.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "kernels/vocabulary.h"
#include "sampling/philox.h"
#include "support.h"

namespace zhuzi {
namespace {

/// Relative to the mass: what f32 widths may move a border by.
constexpr double rounding = 1e-5;

struct Trial {
  std::vector<float> logits;
  SamplingParams params{};
  std::vector<TokenId> prompt{};
  std::vector<TokenId> output{};
  std::uint32_t position = 0;
};

/// Masks, bias and penalties as the contract words them, on f32 logits: those decide the ranks.
std::vector<float> adjusted(const Trial& trial) {
  const SamplingParams& params = trial.params;
  std::vector<float> logits(trial.logits.size(), -INFINITY);
  if (params.allowed_tokens.empty()) logits = trial.logits;
  for (const TokenId token : params.allowed_tokens) {
    logits[index(token)] = trial.logits[index(token)];
  }
  for (const TokenId token : params.forbidden_tokens) logits[index(token)] = -INFINITY;
  if (trial.output.size() < params.min_tokens) {
    for (const TokenId token : params.end_tokens) logits[index(token)] = -INFINITY;
  }
  for (const LogitBias& entry : params.logit_bias) logits[index(entry.token)] += entry.bias;

  std::vector<TokenId> all = trial.prompt;
  all.insert(all.end(), trial.output.begin(), trial.output.end());
  std::vector<TokenId> window = all;
  if (params.repeat_last_n >= 0 && static_cast<std::size_t>(params.repeat_last_n) < all.size()) {
    window.assign(all.end() - params.repeat_last_n, all.end());
  }
  for (const TokenId token : std::set(window.begin(), window.end())) {
    float& logit = logits[index(token)];
    logit = logit > 0 ? logit / params.repetition_penalty : logit * params.repetition_penalty;
  }
  for (const TokenId token : std::set(trial.output.begin(), trial.output.end())) {
    const auto count = static_cast<float>(std::ranges::count(trial.output, token));
    float& logit = logits[index(token)];
    logit = logit - params.frequency_penalty * count - params.presence_penalty;
  }
  return logits;
}

struct Expected {
  TokenId token{};
  std::size_t survivors = 0;
};

/// Empty when rounding may decide.
std::optional<Expected> reference(const Trial& trial) {
  const SamplingParams& params = trial.params;
  const std::vector<float> logits = adjusted(trial);
  std::vector<std::size_t> ranked;
  for (std::size_t id = 0; id < logits.size(); ++id) {
    if (std::isfinite(logits[id])) ranked.push_back(id);
  }
  std::ranges::stable_sort(ranked,
                           [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  const auto token_at = [&](std::size_t rank) { return static_cast<TokenId>(ranked[rank]); };
  if (params.temperature == 0 || params.top_p == 0) return Expected{token_at(0), 1};

  std::vector<double> widths;
  for (const std::size_t id : ranked) {
    widths.push_back(std::exp((double{logits[id]} - logits[ranked[0]]) / params.temperature));
  }
  if (params.top_k > 0) {
    widths.resize(std::min(widths.size(), static_cast<std::size_t>(params.top_k)));
  }
  if (params.top_p < 1) {
    const double total = std::accumulate(widths.begin(), widths.end(), 0.0);
    double sum = 0;
    std::size_t kept = 0;
    while (kept < widths.size() && sum < params.top_p * total) {
      sum += widths[kept++];
      if (std::abs(sum - params.top_p * total) < rounding * total) return std::nullopt;
    }
    widths.resize(kept);
  }
  std::size_t kept = 0;
  while (kept < widths.size() && widths[kept] >= params.min_p) {
    if (kept > 0 && std::abs(widths[kept] - params.min_p) < rounding) return std::nullopt;
    ++kept;
  }
  if (kept < widths.size() && std::abs(widths[kept] - params.min_p) < rounding) return std::nullopt;
  widths.resize(kept);

  const double mass = std::accumulate(widths.begin(), widths.end(), 0.0);
  const double point = needle(params.seed, trial.position, params.choice) * mass;
  double sum = 0;
  for (std::size_t rank = 0; rank < widths.size(); ++rank) {
    sum += widths[rank];
    if (std::abs(sum - point) < rounding * mass) return std::nullopt;
    if (sum > point) return Expected{token_at(rank), widths.size()};
  }
  return std::nullopt;
}

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::size_t below(std::size_t bound) { return engine_() % bound; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  float uniform() { return static_cast<float>(engine_() >> 8) * 0x1p-24f; }
  TokenId token(std::size_t vocabulary) { return static_cast<TokenId>(below(vocabulary)); }
  std::vector<TokenId> tokens(std::size_t count, std::size_t vocabulary) {
    std::vector<TokenId> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(token(vocabulary));
    return ids;
  }
  /// Nearly a bell of standard deviation 1.
  float bell() {
    float sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::mt19937 engine_;
};

std::vector<float> random_row(Dice& dice, std::size_t vocabulary) {
  const float spread = std::vector{0.0f, 0.1f, 1.0f, 3.0f, 30.0f}[dice.below(5)];
  const bool has_ties = dice.one_in(3);
  const bool is_peaked = dice.one_in(3);
  const bool has_masks = dice.one_in(4);
  std::vector<float> row(vocabulary);
  for (float& logit : row) {
    logit = spread * dice.bell();
    if (has_ties) logit = std::round(2 * logit) / 2;
    if (has_masks && dice.one_in(3)) logit = -INFINITY;
  }
  if (is_peaked) row[dice.below(vocabulary)] = 12 * spread;
  row[dice.below(vocabulary)] = 0;
  return row;
}

Trial random_trial(Dice& dice) {
  constexpr std::size_t sizes[] = {1, 2, 7, 63, 64, 65, 500, 1023, 1024, 1025, 2500, 9001};
  const std::size_t vocabulary = sizes[dice.below(std::size(sizes))];
  Trial trial{.logits = random_row(dice, vocabulary)};
  SamplingParams& params = trial.params;
  params.seed = dice.below(1'000'000);
  params.choice = static_cast<std::uint32_t>(dice.below(3));
  trial.position = static_cast<std::uint32_t>(dice.below(100'000));
  params.temperature = std::vector{0.0f, 0.01f, 0.3f, 0.7f, 1.0f, 1.5f, 50.0f}[dice.below(7)];
  if (dice.one_in(2)) params.top_k = static_cast<std::int32_t>(dice.below(vocabulary + 2));
  if (dice.one_in(2)) params.top_p = dice.one_in(10) ? 0 : dice.uniform();
  if (dice.one_in(3)) params.min_p = dice.uniform() * dice.uniform();
  if (dice.one_in(2)) {
    trial.prompt = dice.tokens(dice.below(20), vocabulary);
    trial.output = dice.tokens(dice.below(20), vocabulary);
    params.repetition_penalty = 0.5f + dice.uniform();
    params.frequency_penalty = 2 * dice.uniform() - 1;
    params.presence_penalty = 2 * dice.uniform() - 1;
    params.repeat_last_n = static_cast<std::int32_t>(dice.below(30)) - 1;
  }
  if (dice.one_in(4)) params.logit_bias = {{dice.token(vocabulary), 10 * dice.uniform() - 5}};
  if (dice.one_in(4) && vocabulary > 2) {
    params.forbidden_tokens = dice.tokens(vocabulary / 3, vocabulary);
  }
  if (dice.one_in(8)) params.allowed_tokens = dice.tokens(vocabulary / 2 + 1, vocabulary);
  if (dice.one_in(4)) {
    params.min_tokens = dice.below(40);
    params.end_tokens = dice.tokens(vocabulary / 4, vocabulary);
  }
  params.logprobs = dice.one_in(4);
  if (params.logprobs) params.top_logprobs = dice.below(SamplingParams::top_logprobs_max + 1);
  return trial;
}

struct Answer {
  Result<Sampled> sampled;
  std::vector<Sampler::Survivor> survivors{};
  std::vector<TokenLogprob> top{};
};

Answer answer(const Trial& trial, kernels::InstructionSet set) {
  const std::size_t vocabulary = trial.logits.size();
  Sampler sampler(vocabulary);
  TokenHistory history(vocabulary, trial.prompt.size() + trial.output.size());
  history.add_prompt(trial.prompt);
  for (const TokenId token : trial.output) history.add_output(token);
  std::vector<float> row = trial.logits;
  Answer result{.sampled =
                    sampler.sample({.set = set}, row, trial.params, history, trial.position)};
  const auto survivors = sampler.survivors();
  result.survivors.assign(survivors.begin(), survivors.end());
  if (result.sampled) {
    result.top.assign(result.sampled->top_logprobs.begin(), result.sampled->top_logprobs.end());
  }
  return result;
}

bool same(const TokenLogprob& a, const TokenLogprob& b) {
  return a.token == b.token && a.rank == b.rank &&
         std::bit_cast<std::uint32_t>(a.logprob) == std::bit_cast<std::uint32_t>(b.logprob);
}

void expect_same_bits(const Answer& a, const Answer& b) {
  ASSERT_EQ(a.sampled.has_value(), b.sampled.has_value());
  if (!a.sampled) return;
  EXPECT_EQ(a.sampled->token, b.sampled->token);
  EXPECT_EQ(a.sampled->survivors, b.sampled->survivors);
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a.sampled->mass),
            std::bit_cast<std::uint64_t>(b.sampled->mass));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a.sampled->probability),
            std::bit_cast<std::uint64_t>(b.sampled->probability));
  EXPECT_TRUE(same(a.sampled->logprob, b.sampled->logprob));
  EXPECT_TRUE(std::ranges::equal(a.top, b.top, same));
  EXPECT_TRUE(std::ranges::equal(a.survivors, b.survivors, [](auto& left, auto& right) {
    return left.token == right.token &&
           std::bit_cast<std::uint32_t>(left.width) == std::bit_cast<std::uint32_t>(right.width);
  }));
}

bool truncates(const Trial& trial) {
  const SamplingParams& params = trial.params;
  const bool has_top_k = params.top_k > 0 && std::cmp_less(params.top_k, trial.logits.size());
  return has_top_k || params.top_p < 1 || params.min_p > 0;
}

/// The rule of the needle, without tolerance, on the widths that the sampler reports.
void expect_needle_rule(const Trial& trial, const Answer& given) {
  const Sampled& sampled = *given.sampled;
  double sum = 0;
  for (const Sampler::Survivor& survivor : given.survivors) sum += double{survivor.width};
  if (truncates(trial)) {
    EXPECT_EQ(sampled.mass, sum);
  } else {
    const auto total =
        kernels::exponential_sum({}, adjusted(trial), trial.params.temperature).total;
    EXPECT_EQ(sampled.mass, double{total});
  }
  EXPECT_EQ(sampled.needle, needle(trial.params.seed, trial.position, trial.params.choice));
  const double point = sampled.needle * sampled.mass;
  sum = 0;
  for (const Sampler::Survivor& survivor : given.survivors) {
    EXPECT_GT(survivor.width, 0);
    sum += double{survivor.width};
    if (sum <= point && &survivor != &given.survivors.back()) continue;
    EXPECT_EQ(sampled.token, survivor.token);
    EXPECT_EQ(sampled.probability, double{survivor.width} / sampled.mass);
    break;
  }
}

TEST(OneAnswer, equals_a_whole_sort_in_doubles_and_is_the_same_on_every_instruction_set) {
  constexpr std::uint32_t trials = 3000;
  std::size_t compared = 0;
  for (std::uint32_t seed = 0; seed < trials; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Dice dice(seed);
    const Trial trial = random_trial(dice);
    ASSERT_TRUE(trial.params.validate(trial.logits.size()).has_value());
    const Answer scalar = answer(trial, kernels::InstructionSet::scalar);
    for (const auto set : supported_sets()) expect_same_bits(scalar, answer(trial, set));

    const std::vector<float> logits = adjusted(trial);
    const bool is_empty = std::ranges::none_of(logits, [](float x) { return std::isfinite(x); });
    ASSERT_EQ(scalar.sampled.has_value(), !is_empty);
    if (is_empty) continue;
    const bool is_greedy = trial.params.temperature == 0 || trial.params.top_p == 0;
    if (!is_greedy) expect_needle_rule(trial, scalar);
    const std::optional<Expected> expected = reference(trial);
    if (!expected) continue;
    ++compared;
    ASSERT_EQ(scalar.sampled->token, expected->token);
    if (truncates(trial) && scalar.sampled->survivors != expected->survivors) {
      // Only tokens whose width underflows in f32 may be missing.
      ASSERT_LT(scalar.sampled->survivors, expected->survivors);
      ASSERT_LT(double{scalar.survivors.back().width}, 1e-5);
    }
  }
  EXPECT_GT(compared, trials / 2);
}

}  // namespace
}  // namespace zhuzi
