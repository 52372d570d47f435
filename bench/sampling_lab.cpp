// Microseconds for one draw from a row of 152k logits, by kind of request, row and instruction set.
//
// Rows: `model` has the shape of a language model's (a bell of standard deviation 2.3 with a heavy
// head), `flat` is so even that a draw reaches half of the vocabulary. Each figure is the median of
// repeats; the copy of the row, as the head would have written it, is not timed.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/isa.h"
#include "sampling/sampler.h"

namespace {

using namespace zhuzi;
using Clock = std::chrono::steady_clock;

constexpr std::size_t vocabulary = 151'936;
constexpr std::size_t history_tokens = 4000;
constexpr int repeats = 201;

/// A small generator of its own, so that the rows are the same everywhere.
class Noise {
 public:
  float uniform() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<float>(state_ >> 40) * 0x1p-24f;
  }
  float bell() {
    float sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::uint64_t state_ = 1;
};

std::vector<float> model_row() {
  Noise noise;
  std::vector<float> row(vocabulary);
  for (float& logit : row) logit = 2.3f * noise.bell();
  for (int rank = 0; rank < 40; ++rank) {
    const auto id = static_cast<std::size_t>(noise.uniform() * (vocabulary - 1));
    row[id] = 17.0f - 1.6f * static_cast<float>(rank) / (1.0f + 0.1f * static_cast<float>(rank));
  }
  return row;
}

std::vector<float> flat_row() {
  Noise noise;
  std::vector<float> row(vocabulary);
  for (float& logit : row) logit = 0.1f * noise.bell();
  return row;
}

struct Request {
  std::string_view name;
  SamplingParams params;
};

std::vector<Request> requests() {
  std::vector<Request> list{{"greedy", {}},        {"no truncation, T 1", {}},
                            {"top_k 40", {}},      {"top_p 0.9", {}},
                            {"min_p 0.05", {}},    {"k 40, p 0.9, m 0.05", {}},
                            {"and penalties", {}}, {"and 20 logprobs", {}}};
  list[0].params.temperature = 0;
  list[2].params.top_k = 40;
  list[3].params.top_p = 0.9f;
  list[4].params.min_p = 0.05f;
  for (std::size_t i = 5; i < list.size(); ++i) {
    SamplingParams& params = list[i].params;
    params.temperature = 0.7f;
    params.top_k = 40;
    params.top_p = 0.9f;
    params.min_p = 0.05f;
    if (i > 5) {
      params.repetition_penalty = 1.1f;
      params.presence_penalty = 0.5f;
    }
    if (i > 6) {
      params.logprobs = true;
      params.top_logprobs = 20;
    }
  }
  return list;
}

double median_us(const kernels::OpContext& context, const std::vector<float>& logits,
                 const SamplingParams& params, const TokenHistory& history) {
  Sampler sampler(vocabulary);
  std::vector<float> row(vocabulary);
  std::vector<double> times;
  for (std::uint32_t position = 0; position < repeats; ++position) {
    std::ranges::copy(logits, row.begin());
    const auto start = Clock::now();
    const auto sampled = sampler.sample(context, row, params, history, position);
    const std::chrono::duration<double, std::micro> spent = Clock::now() - start;
    if (sampled) times.push_back(spent.count());
  }
  std::ranges::nth_element(times, times.begin() + repeats / 2);
  return times[repeats / 2];
}

}  // namespace

int main() {
  kernels::set_float_control_word();
  TokenHistory history(vocabulary, history_tokens);
  Noise noise;
  for (std::size_t i = 0; i < history_tokens; ++i) {
    history.add_output(static_cast<TokenId>(noise.uniform() * (vocabulary - 1)));
  }
  const std::vector<float> rows[] = {model_row(), flat_row()};
  fmt::print("{:<22} {:>8} {:>12} {:>12}\n", "request", "set", "model us", "flat us");
  for (const auto set : kernels::all_instruction_sets) {
    if (!kernels::is_supported(set)) continue;
    for (const Request& request : requests()) {
      const kernels::OpContext context{.set = set};
      fmt::print("{:<22} {:>8} {:>12.1f} {:>12.1f}\n", request.name, kernels::name_of(set),
                 median_us(context, rows[0], request.params, history),
                 median_us(context, rows[1], request.params, history));
    }
  }
}
