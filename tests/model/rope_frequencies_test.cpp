// Frequencies of every scaling against float64 vectors, and YaRN's magnitude.
#include "model/rope_frequencies.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "formats/text_file.h"
#include "model/internal/config_reader.h"
#include "model/internal/rope_reader.h"
#include "model/support.h"

namespace zhuzi {
namespace {

/// The vectors themselves come from a libm pow, which may be off by an ulp or two.
constexpr double tolerance = 1e-15;

Rope rope_of_text(std::string_view settings, std::size_t dims = 64) {
  const json::Value config =
      testing::parse_config("{\"rope_scaling\": " + std::string(settings) + "}");
  const auto rope = rope_from_config(ConfigReader(config, "config.json"), dims, 10000);
  EXPECT_TRUE(rope) << rope.error().message;
  return rope.value_or(Rope{.dims = dims});
}

double magnitude(std::string_view more) {
  return rope_frequencies(rope_of_text(R"({"type": "yarn",
    "original_max_position_embeddings": 4096, )" +
                                       std::string(more) + "}"))
      .magnitude;
}

TEST(RopeFrequencies, equal_the_float64_vectors_of_every_known_scaling) {
  const auto data = read_json_file(ZHUZI_TEST_DATA "/math/rope.json");
  ASSERT_TRUE(data) << data.error().message;
  const std::set<std::string> known{"default", "linear", "llama3", "yarn"};
  std::size_t compared = 0;
  for (const json::Value& group : *data->find("frequencies")->array()) {
    const json::Value& config = *group.find("config");
    const std::string type = *config.find("type")->string();
    const std::string name = *config.find("name")->string();
    if (!known.contains(type)) continue;
    ++compared;
    Rope rope{.dims = static_cast<std::size_t>(*config.find("rotary_dim")->integer())};
    rope.theta = *config.find("rope_theta")->real();
    // The vector's own words for what a configuration calls so too.
    std::string settings = "{";
    for (const json::Member& member : config.object()->members()) {
      if (member.key == "name" || member.key == "rotary_dim") continue;
      settings += (settings.size() > 1 ? ", \"" : "\"") + member.key + "\": ";
      if (const auto* number = member.value.number()) settings += number->text;
      if (const auto* text = member.value.string()) settings += "\"" + *text + "\"";
      if (const auto truth = member.value.boolean()) settings += *truth ? "true" : "false";
    }
    rope.scaling = rope_of_text(settings + "}", rope.dims).scaling;
    const RopeFrequencies ours = rope_frequencies(rope);
    EXPECT_NEAR(ours.magnitude, *group.find("cos_sin_factor")->real(), tolerance) << name;
    const json::Array& golden = *group.find("inv_freq")->array();
    ASSERT_EQ(ours.inverse_frequencies.size(), golden.size()) << name;
    for (std::size_t i = 0; i < golden.size(); ++i) {
      const double value = *golden[i].real();
      EXPECT_NEAR(ours.inverse_frequencies[i] / value, 1, tolerance) << name << " pair " << i;
    }
  }
  EXPECT_EQ(compared, 12u);
}

TEST(RopeFrequencies, J3_yarn_has_its_magnitude_once_and_an_explicit_one_counts) {
  EXPECT_NEAR(magnitude(R"("factor": 4)"), 1.13863, 5e-6);
  EXPECT_NEAR(magnitude(R"("factor": 16)"), 1.27726, 5e-6);
  EXPECT_NEAR(magnitude(R"("factor": 128)"), 1.48520, 5e-6);
  EXPECT_EQ(magnitude(R"("factor": 1)"), 1);
  EXPECT_EQ(magnitude(R"("factor": 16, "attention_factor": 1.0)"), 1);
  EXPECT_EQ(magnitude(R"("factor": 16, "mscale": 1, "mscale_all_dim": 1)"), 1);
  EXPECT_NEAR(magnitude(R"("factor": 16, "mscale": 1.2, "mscale_all_dim": 0.5)"), 1.17045, 5e-6);
}

TEST(RopeFrequencies, are_divided_by_the_divisors_of_the_file) {
  const Rope rope{.dims = 4, .theta = 100, .scaling = FrequencyDivisors{{2, 8}}};
  const RopeFrequencies ours = rope_frequencies(rope);
  EXPECT_EQ(ours.inverse_frequencies, (std::vector<double>{0.5, 0.1 / 8}));
  EXPECT_EQ(ours.magnitude, 1);
}

TEST(RopeFrequencies, of_yarn_ramps_at_the_first_pair_keep_that_pair_alone) {
  // Both borders lie before the first pair, so the ramp has no width; or it is one pair wide.
  for (const double original : {1.0, 7.0}) {
    const Rope rope{
        .dims = 4,
        .theta = 100,
        .scaling = YarnScaling{.factor = 2, .original_context = original, .beta_fast = 1.5}};
    EXPECT_EQ(rope_frequencies(rope).inverse_frequencies, (std::vector<double>{1, 0.1 / 2}));
  }
}

}  // namespace
}  // namespace zhuzi
