// The families, the binder and the reference decoder together against float64 goldens: whatever is
// read, named, cut or permuted wrongly shows here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "model/model_file.h"
#include "model/reference/golden_files.h"
#include "model/reference/reference_decoder.h"

namespace zhuzi {
namespace {

using reference::Golden;
using reference::GoldenModel;
using reference::GoldenPrompt;
using reference::Matrix;

/// Goldens are rounded to float; our epsilon and scale are floats. Logits reach about 10.
constexpr double tolerance = 1e-5;

double difference(const Matrix& ours, const reference::GoldenArray& golden) {
  if (ours.rows != golden.rows || ours.columns != golden.columns) return HUGE_VAL;
  double worst = 0;
  for (std::size_t i = 0; i < ours.values.size(); ++i) {
    worst = std::max(worst, std::fabs(ours.values[i] - static_cast<double>(golden.values[i])));
  }
  return worst;
}

void expect_near(const Matrix& ours, const Golden& golden, const std::string& name) {
  const reference::GoldenArray* array = golden.find(name);
  ASSERT_NE(array, nullptr) << name;
  EXPECT_LT(difference(ours, *array), tolerance) << name;
}

class GoldenTest : public testing::TestWithParam<GoldenModel> {};

TEST_P(GoldenTest, every_layer_and_all_logits_are_those_of_the_golden) {
  const auto file = ModelFile::open(GetParam().model);
  ASSERT_TRUE(file) << file.error().message;
  const Golden golden = reference::read_golden(GetParam().golden);
  const reference::Decoder decoder(file->spec, file->weights);
  ASSERT_EQ(golden.prompts.size(), 2u);
  for (const GoldenPrompt& prompt : golden.prompts) {
    const reference::Run run = decoder.run(prompt.ids);
    expect_near(run.logits, golden, prompt.name + ".logits");
    if (prompt.name != "short") continue;
    expect_near(run.embedded, golden, "short.embed");
    for (std::size_t i = 0; i < run.layers.size(); ++i) {
      expect_near(run.layers[i], golden, "short.layer" + std::to_string(i));
    }
    expect_near(run.final_norm, golden, "short.final_norm");
  }
}

TEST_P(GoldenTest, greedy_tokens_and_margins_are_those_of_the_golden) {
  const auto file = ModelFile::open(GetParam().model);
  ASSERT_TRUE(file) << file.error().message;
  const reference::Decoder decoder(file->spec, file->weights);
  const GoldenPrompt prompt = reference::read_golden(GetParam().golden).prompts.front();
  std::vector<TokenId> ids = prompt.ids;
  ids.insert(ids.end(), prompt.greedy.begin(), prompt.greedy.end());
  const reference::Run run = decoder.run(ids);
  for (std::size_t i = 0; i < prompt.greedy.size(); ++i) {
    const double* row = run.logits.row(prompt.ids.size() - 1 + i);
    const std::size_t chosen = index(prompt.greedy[i]);
    double second = -HUGE_VAL;
    for (std::size_t id = 0; id < run.logits.columns; ++id) {
      if (id != chosen) second = std::max(second, row[id]);
    }
    EXPECT_NEAR(row[chosen] - second, prompt.margins[i], tolerance) << "token " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, GoldenTest, testing::ValuesIn(reference::golden_models()),
                         [](const auto& model) { return model.param.name; });

}  // namespace
}  // namespace zhuzi
