// The rules of a spec, each just inside and just outside; and the text that people read.
#include "model/spec.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "model/model_file.h"
#include "model/support.h"

namespace zhuzi {
namespace {

using testing::fails_with;

ModelSpec good_spec() {
  const auto spec = testing::spec_from_config(testing::small_config("llama"));
  EXPECT_TRUE(spec) << spec.error().message;
  return spec.value_or(ModelSpec{});
}

HeadAttention& attention_of(ModelSpec& spec) { return spec.layers[1].attention; }

TEST(Spec, J7_heads_that_are_no_multiple_of_the_key_value_heads_are_refused) {
  for (const auto& [heads, kv_heads] :
       {std::pair<std::size_t, std::size_t>{4, 2}, {12, 12}, {32, 8}, {28, 4}, {8, 1}}) {
    ModelSpec spec = good_spec();
    attention_of(spec).heads = heads;
    attention_of(spec).kv_heads = kv_heads;
    EXPECT_TRUE(validate(spec));
  }
  for (const auto& [heads, kv_heads] :
       {std::pair<std::size_t, std::size_t>{5, 2}, {2, 4}, {32, 7}}) {
    ModelSpec spec = good_spec();
    attention_of(spec).heads = heads;
    attention_of(spec).kv_heads = kv_heads;
    EXPECT_TRUE(fails_with(validate(spec), ErrorCode::corrupt_file,
                           {"Layer 1", std::to_string(heads), std::to_string(kv_heads)}));
  }
  EXPECT_TRUE(fails_with(
      testing::spec_from_config(testing::small_config("llama", R"("num_key_value_heads": 3)")),
      ErrorCode::corrupt_file, {"4 attention heads", "3 key/value heads"}));
}

TEST(Spec, rotary_dims_are_even_and_fit_the_head) {
  for (const std::size_t dims : {2, 4}) {
    ModelSpec spec = good_spec();
    attention_of(spec).position = Rope{.dims = dims};
    EXPECT_TRUE(validate(spec)) << dims;
  }
  for (const std::size_t dims : {0, 3, 6}) {
    ModelSpec spec = good_spec();
    attention_of(spec).position = Rope{.dims = dims};
    EXPECT_TRUE(fails_with(validate(spec), ErrorCode::corrupt_file, {"rotary dims"})) << dims;
  }
}

struct Change {
  std::string word;
  void (*apply)(ModelSpec&);
};

TEST(Spec, sizes_are_neither_zero_nor_absurd_and_numbers_are_finite) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Change> changes{
      {"vocabulary", [](ModelSpec& spec) { spec.vocabulary = 0; }},
      {"vocabulary", [](ModelSpec& spec) { spec.vocabulary = SpecLimits::vocabulary + 1; }},
      {"width", [](ModelSpec& spec) { spec.width = 0; }},
      {"width", [](ModelSpec& spec) { spec.width = ~std::size_t{0}; }},
      {"context", [](ModelSpec& spec) { spec.context = 0; }},
      {"layers", [](ModelSpec& spec) { spec.layers.clear(); }},
      {"attention heads", [](ModelSpec& spec) { attention_of(spec).heads = 0; }},
      {"key/value heads", [](ModelSpec& spec) { attention_of(spec).kv_heads = 0; }},
      {"head length", [](ModelSpec& spec) { attention_of(spec).head_length = 1 << 20; }},
      {"feed-forward length", [](ModelSpec& spec) { spec.layers[1].ffn.hidden = 0; }},
      {"scale", [](ModelSpec& spec) { attention_of(spec).scale = 0; }},
      {"epsilon", [](ModelSpec& spec) { spec.final_norm.epsilon = nan; }},
      {"epsilon", [](ModelSpec& spec) { spec.layers[1].ffn_norm.epsilon = 0; }},
      {"theta",
       [](ModelSpec& spec) { std::get<Rope>(attention_of(spec).position).theta = HUGE_VAL; }},
      {"rotary scaling",
       [](ModelSpec& spec) {
         std::get<Rope>(attention_of(spec).position).scaling = YarnScaling{.factor = 2};
       }},
      {"learned positions",
       [](ModelSpec& spec) { spec.learned_position = LearnedPosition{.positions = 63}; }},
  };
  for (const Change& change : changes) {
    ModelSpec spec = good_spec();
    change.apply(spec);
    EXPECT_TRUE(fails_with(validate(spec), ErrorCode::corrupt_file, {change.word}));
  }
}

TEST(Spec, the_largest_sizes_are_allowed) {
  ModelSpec spec = good_spec();
  spec.vocabulary = SpecLimits::vocabulary;
  spec.context = SpecLimits::context;
  spec.layers.resize(SpecLimits::layers, spec.layers.front());
  EXPECT_TRUE(validate(spec));
}

TEST(Describe, says_everything_and_folds_layers_that_are_alike) {
  const auto spec = testing::spec_from_config(testing::small_config(
      "qwen3", R"("num_hidden_layers": 4, "use_sliding_window": true, "sliding_window": 16,
        "max_window_layers": 3, "rope_scaling": {"type": "linear", "factor": 4})"));
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(describe(*spec),
            R"(family qwen3
vocabulary 32, width 16, context 64 positions, 4 layers
layers 0-2:
  before attention     RMS norm, epsilon 1e-05
  attention            4 heads of 4, 2 key/value heads, scale 0.5, no bias, sees all positions
  queries and keys     RMS norm, epsilon 1e-05
  positions            rotary, 4 dims, theta 10000, scaled linearly by 4, pairs in halves
  before feed-forward  RMS norm, epsilon 1e-05
  feed-forward         24 wide, gated by SiLU, no bias
layer 3:
  before attention     RMS norm, epsilon 1e-05
  attention            4 heads of 4, 2 key/value heads, scale 0.5, no bias, sees 16 positions
  queries and keys     RMS norm, epsilon 1e-05
  positions            rotary, 4 dims, theta 10000, scaled linearly by 4, pairs in halves
  before feed-forward  RMS norm, epsilon 1e-05
  feed-forward         24 wide, gated by SiLU, no bias
at the end: RMS norm, epsilon 1e-05; head of its own
)");
}

TEST(Describe, tells_every_kind_of_position_and_bias) {
  ModelSpec spec = good_spec();
  HeadAttention& attention = attention_of(spec);
  attention.position = NoPosition{};
  spec.learned_position = LearnedPosition{.positions = 64, .offset = 2};
  attention.qkv_bias = attention.output_bias = true;
  spec.layers[1].ffn = {
      .hidden = 24, .activation = ActivationFunction::relu_squared, .gated = false};
  const std::string text = describe(spec);
  for (const std::string_view part : {"learned positions: 64, from row 2", "none in the heads",
                                      "query, key, value and output", "24 wide, squared ReLU"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
  for (const auto& [scaling, part] :
       {std::pair<RopeScaling, std::string>{Llama3Scaling{}, "long waves"},
        {YarnScaling{.factor = 4}, "YaRN by 4"},
        {FrequencyDivisors{{1, 2}}, "2 frequencies"}}) {
    attention.position = Rope{.dims = 4, .scaling = scaling};
    EXPECT_NE(describe(spec).find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace zhuzi
