// What configurations say about rotary positions, in every spelling (case I9), and GGUF's keys.
#include <gtest/gtest.h>

#include <string>

#include "base/math64.h"
#include "model/support.h"

namespace zhuzi {
namespace {

using testing::fails_with;
using testing::rope_of;
using testing::small_config;
using testing::small_gguf;
using testing::spec_from_config;
using testing::spec_from_gguf;

Result<ModelSpec> with(std::string_view more) {
  return spec_from_config(small_config("llama", more));
}

struct Setting {
  std::string type;
  std::string numbers;
  RopeScaling expected;
};

const std::vector<Setting>& settings() {
  static const std::vector<Setting> all{
      {"linear", R"("factor": 4.0)", LinearScaling{.factor = 4}},
      {"llama3",
       R"("factor": 8, "low_freq_factor": 1, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 8192)",
       Llama3Scaling{}},
      {"yarn", R"("factor": 1.0, "original_max_position_embeddings": 32)",
       YarnScaling{.factor = 1, .original_context = 32}},
      {"default", "\"factor\": null", NoScaling{}},
  };
  return all;
}

TEST(RopeConfig, I9_either_key_and_both_and_rope_parameters_give_the_same) {
  for (const auto& [type, numbers, expected] : settings()) {
    const std::string old = R"("type": ")" + type + "\"";
    const std::string now = R"("rope_type": ")" + type + "\"";
    const std::string theta = R"("rope_theta": 5e5)";
    for (const std::string& text : {
             theta + R"(, "rope_scaling": {)" + old + ", " + numbers + "}",
             theta + R"(, "rope_scaling": {)" + now + ", " + numbers + "}",
             theta + R"(, "rope_scaling": {)" + old + ", " + now + ", " + numbers + "}",
             R"("rope_parameters": {)" + theta + ", " + now + ", " + numbers + "}",
             R"("rope_parameters": {)" + theta + ", " + old + ", " + numbers + "}",
             theta + R"(, "rope_parameters": {)" + now + ", " + numbers +
                 R"(}, "rope_scaling": {)" + old + ", " + numbers + "}",
         }) {
      const auto spec = with(text);
      ASSERT_TRUE(spec) << text << "\n" << spec.error().message;
      EXPECT_EQ(rope_of(*spec).scaling, expected) << text;
      EXPECT_EQ(rope_of(*spec).theta, 5e5) << text;
    }
  }
}

TEST(RopeConfig, I9_default_null_and_nothing_mean_no_scaling_and_the_documented_theta) {
  for (const std::string_view text :
       {R"("rope_scaling": null)", R"("rope_scaling": {"type": "default"})",
        R"("rope_parameters": {"rope_type": "default"})", R"("rope_parameters": null)",
        R"("rope_parameters": {})", R"("rope_theta": null)", R"("rope_theta": 10000)"}) {
    const auto spec = with(text);
    ASSERT_TRUE(spec) << text << "\n" << spec.error().message;
    EXPECT_EQ(rope_of(*spec).scaling, RopeScaling(NoScaling{})) << text;
    EXPECT_EQ(rope_of(*spec).theta, 10000) << text;
  }
}

struct Refused {
  std::string text;
  ErrorCode code;
  std::vector<std::string> words;
};

TEST(RopeConfig, I9_unknown_and_incomplete_settings_are_refused_by_the_name_of_the_key) {
  using enum ErrorCode;
  const std::string long_yarn = R"("type": "yarn", "original_max_position_embeddings": 32)";
  const std::vector<Refused> refused{
      {R"({"type": "su", "factor": 2})", unsupported, {"rope_type", "\"su\"", "yarn"}},
      {R"({"type": "dynamic", "factor": 2})", unsupported, {"rope_type", "\"dynamic\""}},
      {R"({"rope_type": "longrope"})", unsupported, {"rope_type", "\"longrope\""}},
      {R"({"factor": 2})", corrupt_file, {"rope_scaling", "\"rope_type\" is missing"}},
      {R"({"type": 7, "factor": 2})", corrupt_file, {"\"type\"", "string"}},
      {R"({"type": "linear", "rope_type": "yarn", "factor": 2})", corrupt_file, {"rope_type"}},
      {R"({"type": "linear"})", corrupt_file, {"\"factor\" is missing"}},
      {R"({"type": "linear", "factor": 0})", corrupt_file, {"\"factor\" is 0"}},
      {R"({"type": "linear", "factor": "2"})", corrupt_file, {"\"factor\"", "number"}},
      {R"({"type": "linear", "factor": 1e400})", corrupt_file, {"\"factor\"", "number"}},
      {R"({"type": "yarn", "factor": 2})", corrupt_file, {"original_max_position_embeddings"}},
      {"{" + long_yarn + "}", corrupt_file, {"\"factor\" is missing"}},
      {"{" + long_yarn + R"(, "factor": 2, "mscale": 1})", corrupt_file, {"mscale_all_dim"}},
      {"{" + long_yarn + R"(, "factor": 2, "attention_factor": 0})",
       corrupt_file,
       {"attention_factor"}},
      {"{" + long_yarn + R"(, "factor": 2, "beta_fast": 1, "beta_slow": 2})",
       corrupt_file,
       {"beta_slow", "beta_fast"}},
      {R"({"type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4})",
       corrupt_file,
       {"original_max_position_embeddings"}},
      {R"({"type": "llama3", "factor": 8, "low_freq_factor": 4, "high_freq_factor": 4,
           "original_max_position_embeddings": 32})",
       corrupt_file,
       {"low_freq_factor"}},
      {R"({"type": "default", "mrope_section": [1, 1]})", unsupported, {"\"mrope_section\""}},
      {R"([1])", corrupt_file, {"rope_scaling", "object"}},
  };
  for (const Refused& one : refused) {
    EXPECT_TRUE(fails_with(with("\"rope_scaling\": " + one.text), one.code, one.words)) << one.text;
  }
  EXPECT_TRUE(fails_with(with(R"("rope_theta": 1, "rope_parameters": {"rope_theta": 2})"),
                         corrupt_file, {"rope_theta"}));
  EXPECT_TRUE(fails_with(with(R"("rope_theta": 0)"), corrupt_file, {"theta"}));
  EXPECT_TRUE(fails_with(with(R"("rope_scaling": {"type": "linear", "factor": 2},
                                "rope_parameters": {"rope_type": "linear", "factor": 3})"),
                         corrupt_file, {"rope_parameters", "rope_scaling"}));
}

TEST(RopeConfig, a_context_is_as_long_as_yarn_stretches_it) {
  const auto spec = with(
      R"("rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 64})");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->context, 256u);
}

TEST(RopeConfig, gguf_keys_give_the_same_scalings) {
  testing::GgufWriter linear = small_gguf("llama");
  linear.add("llama.rope.scaling.type", "linear").add("llama.rope.scaling.factor", 4.0F);
  auto spec = spec_from_gguf(linear);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(rope_of(*spec).scaling, RopeScaling(LinearScaling{.factor = 4}));

  testing::GgufWriter yarn = small_gguf("qwen2");
  yarn.add("qwen2.rope.scaling.type", "yarn")
      .add("qwen2.rope.scaling.factor", 4.0F)
      .add("qwen2.rope.scaling.original_context_length", 32U)
      .add("qwen2.rope.freq_base", 1e6F);
  spec = spec_from_gguf(yarn);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(
      rope_of(*spec).scaling,
      RopeScaling(YarnScaling{
          .factor = 4, .original_context = 32, .attention_factor = 0.1 * math64::log(4) + 1}));
  EXPECT_EQ(rope_of(*spec).theta, 1e6);
  EXPECT_EQ(spec->context, 128u);
}

TEST(RopeConfig, gguf_settings_that_nobody_computes_are_refused_by_their_key) {
  using enum ErrorCode;
  testing::GgufWriter file = small_gguf("llama");
  file.add("llama.rope.scaling.type", "longrope");
  EXPECT_TRUE(fails_with(spec_from_gguf(file), unsupported, {"llama.rope.scaling.type"}));
  file = small_gguf("llama");
  file.add("llama.rope.scaling.factor", 4.0F);
  EXPECT_TRUE(fails_with(spec_from_gguf(file), corrupt_file, {"rope.scaling.type is missing"}));
  file.add("llama.rope.scaling.type", "yarn");
  EXPECT_TRUE(fails_with(spec_from_gguf(file), corrupt_file, {"original_context_length"}));
  file.add("llama.rope.scaling.yarn_log_multiplier", 0.1F);
  EXPECT_TRUE(fails_with(spec_from_gguf(file), unsupported, {"yarn_log_multiplier"}));
  file = small_gguf("llama");
  file.add("llama.rope.scaling.type", "linear").add("llama.rope.scaling.factor", 0.0F);
  EXPECT_TRUE(fails_with(spec_from_gguf(file), corrupt_file, {"llama.rope.scaling.factor is 0"}));
  file = small_gguf("llama");
  file.add_zeros("rope_freqs.weight", {2});
  EXPECT_TRUE(fails_with(spec_from_gguf(file), corrupt_file, {"rotary scaling"}));
  file = small_gguf("llama");
  file.add_zeros("rope_freqs.weight", {7});
  EXPECT_TRUE(fails_with(spec_from_gguf(file), corrupt_file, {"7", "2 pairs"}));
}

}  // namespace
}  // namespace zhuzi
