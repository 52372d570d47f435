// Each family's own facts, from both kinds of file, and what no family takes.
#include <gtest/gtest.h>

#include <string>

#include "formats/text_file.h"
#include "model/support.h"

namespace zhuzi {
namespace {

using testing::fails_with;
using testing::rope_of;
using testing::small_config;
using testing::small_gguf;
using testing::spec_from_config;
using testing::spec_from_gguf;

constexpr std::string_view small_gpt2 = R"({"model_type": "gpt2", "n_embd": 16, "n_head": 4,
  "n_layer": 2, "n_positions": 32, "vocab_size": 40, "scale_attn_by_inverse_layer_idx": false)";

Result<ModelSpec> gpt2_with(std::string_view more) {
  return spec_from_config(std::string(small_gpt2) + std::string(more) + "}");
}

TEST(Families, configs_of_both_generations_give_the_same_spec) {
  const std::filesystem::path models = ZHUZI_TEST_DATA "/models";
  for (const std::string name : {"llama_mha", "llama_gqa_llama3rope", "llama_linear", "llama_yarn",
                                 "llama_bias_tied", "qwen2", "qwen2_swa_mixed", "qwen3", "gpt2"}) {
    const auto now = read_json_file(models / name / "config.json");
    const auto old = read_json_file(models / name / "config.legacy.json");
    ASSERT_TRUE(now && old) << name;
    const auto family = family_of(*now);
    ASSERT_TRUE(family) << family.error().message;
    const auto spec = (*family)->from_config(*now);
    ASSERT_TRUE(spec) << name << ": " << spec.error().message;
    EXPECT_EQ(*spec, (*family)->from_config(*old)) << name;
  }
}

TEST(Families, llama_takes_its_biases_from_the_config) {
  auto spec = spec_from_config(small_config("llama"));
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_FALSE(spec->layers[0].attention.qkv_bias);
  EXPECT_FALSE(spec->layers[0].ffn.bias);
  EXPECT_FALSE(spec->tied_head);
  spec = spec_from_config(small_config("llama", R"("attention_bias": true, "mlp_bias": true,
    "tie_word_embeddings": true, "hidden_act": "gelu_pytorch_tanh")"));
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_TRUE(spec->layers[1].attention.qkv_bias && spec->layers[1].attention.output_bias);
  EXPECT_TRUE(spec->layers[1].ffn.bias && spec->tied_head);
  EXPECT_EQ(spec->layers[1].ffn.activation, ActivationFunction::gelu_tanh);
}

TEST(Families, a_missing_head_dim_means_width_over_heads_or_the_familys_own) {
  auto spec = spec_from_config(small_config("llama", R"("head_dim": null)"));
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->layers[0].attention.head_length, 4u);
  EXPECT_EQ(spec->layers[0].attention.scale, 0.5f);
  spec = spec_from_config(small_config("qwen3", R"("head_dim": null)"));
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->layers[0].attention.head_length, 128u);
  EXPECT_TRUE(
      fails_with(spec_from_config(small_config("llama", R"("head_dim": null, "hidden_size": 18)")),
                 ErrorCode::corrupt_file, {"18", "4"}));
  EXPECT_TRUE(fails_with(
      spec_from_config(small_config("llama", R"("head_dim": null, "num_attention_heads": 0)")),
      ErrorCode::corrupt_file, {"0 attention heads"}));
}

TEST(Families, qwen_has_biases_or_head_norms_and_windows_by_layer) {
  const auto second = spec_from_config(small_config("qwen2"));
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_TRUE(second->layers[0].attention.qkv_bias);
  EXPECT_FALSE(second->layers[0].attention.output_bias);
  const auto third = spec_from_config(small_config("qwen3"));
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_TRUE(third->layers[0].attention.head_norm.has_value());
  EXPECT_FALSE(third->layers[0].attention.qkv_bias);

  const auto windowed = spec_from_config(small_config(
      "qwen2", R"("use_sliding_window": true, "sliding_window": 16, "max_window_layers": 1)"));
  ASSERT_TRUE(windowed) << windowed.error().message;
  EXPECT_EQ(windowed->layers[0].attention.window, 0u);
  EXPECT_EQ(windowed->layers[1].attention.window, 16u);
  for (const std::string_view more :
       {R"("layer_types": ["full_attention"])", R"("layer_types": 3)",
        R"("layer_types": ["full_attention", "sliding_attention"])"}) {
    EXPECT_TRUE(fails_with(spec_from_config(small_config("qwen2", more)), ErrorCode::corrupt_file,
                           {"layer_types"}));
  }
  EXPECT_TRUE(fails_with(
      spec_from_config(small_config("qwen2", R"("layer_types": ["full_attention", "linear"])")),
      ErrorCode::unsupported, {"layer_types", "linear"}));
}

TEST(Families, gpt2_has_learned_positions_and_scales_by_its_switches) {
  auto spec = gpt2_with("");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->learned_position, LearnedPosition{.positions = 32});
  EXPECT_TRUE(spec->tied_head);
  const Layer& layer = spec->layers[0];
  EXPECT_EQ(layer.ffn.hidden, 64u);
  EXPECT_EQ(layer.ffn.activation, ActivationFunction::gelu_tanh);
  EXPECT_EQ(layer.attention_norm.kind, NormKind::layer);
  EXPECT_EQ(layer.attention.scale, 0.5f);
  spec = gpt2_with(R"(, "scale_attn_by_inverse_layer_idx": true, "scale_attn_weights": false)");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->layers[0].attention.scale, 1.0f);
  EXPECT_EQ(spec->layers[1].attention.scale, 0.5f);
  EXPECT_TRUE(fails_with(gpt2_with(R"(, "add_cross_attention": true)"), ErrorCode::unsupported,
                         {"add_cross_attention"}));
  EXPECT_TRUE(
      fails_with(gpt2_with(R"(, "n_layer": 100000)"), ErrorCode::corrupt_file, {"100000 layers"}));
}

TEST(Families, gguf_llama_pairs_side_by_side_and_ties_where_no_head_is_stored) {
  testing::GgufWriter file = small_gguf("llama");
  auto spec = spec_from_gguf(file);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->name, "small");
  EXPECT_EQ(rope_of(*spec).pairing, RopePairing::adjacent);
  EXPECT_EQ(rope_of(*spec).dims, 4u);
  EXPECT_TRUE(spec->tied_head);
  EXPECT_FALSE(spec->layers[0].attention.qkv_bias);
  file.add_zeros("output.weight", {16, 32}).add_zeros("blk.0.attn_q.bias", {16});
  spec = spec_from_gguf(file);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_FALSE(spec->tied_head);
  EXPECT_TRUE(spec->layers[1].attention.qkv_bias);
  EXPECT_FALSE(spec->layers[1].attention.output_bias);
}

TEST(Families, gguf_sizes_come_from_the_keys_and_the_list_of_tokens) {
  testing::GgufWriter file = small_gguf("qwen3");
  file.add_texts("tokenizer.ggml.tokens", std::vector<std::string>(33, "x"));
  file.add("qwen3.attention.key_length", 8U).add("qwen3.attention.value_length", 8U);
  auto spec = spec_from_gguf(file);
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->vocabulary, 33u);
  EXPECT_EQ(spec->layers[0].attention.head_length, 8u);
  EXPECT_EQ(rope_of(*spec).pairing, RopePairing::halves);

  file = small_gguf("qwen3");
  file.add("qwen3.attention.key_length", 8U).add("qwen3.attention.value_length", 16U);
  EXPECT_TRUE(fails_with(spec_from_gguf(file), ErrorCode::unsupported, {"value_length", "16"}));
  file = small_gguf("llama");
  file.add("llama.expert_count", 8U);
  EXPECT_TRUE(fails_with(spec_from_gguf(file), ErrorCode::unsupported, {"llama.expert_count"}));
  file = small_gguf("llama");
  file.add("llama.expert_count", 0U);
  EXPECT_TRUE(spec_from_gguf(file));
}

TEST(Families, missing_and_wrong_keys_are_named) {
  using enum ErrorCode;
  EXPECT_TRUE(fails_with(spec_from_config(small_config("llama", R"("hidden_size": null)")),
                         corrupt_file, {"config.json", "hidden_size", "missing"}));
  EXPECT_TRUE(fails_with(spec_from_config(small_config("llama", R"("hidden_size": "64")")),
                         corrupt_file, {"hidden_size", "whole number"}));
  EXPECT_TRUE(fails_with(spec_from_config(small_config("llama", R"("hidden_size": -64)")),
                         corrupt_file, {"hidden_size", "whole number"}));
  EXPECT_TRUE(fails_with(spec_from_config(small_config("llama", R"("attention_bias": 1)")),
                         corrupt_file, {"attention_bias", "true or false"}));
  EXPECT_TRUE(fails_with(spec_from_config(small_config("llama", R"("hidden_act": "mish")")),
                         unsupported, {"hidden_act", "mish"}));
  EXPECT_TRUE(
      fails_with(spec_from_config(small_config("llama", R"("quantization_config": {"bits": 4})")),
                 unsupported, {"quantization_config", "GGUF"}));
  testing::GgufWriter file;
  file.add("general.architecture", "llama").add("llama.vocab_size", 32U);
  EXPECT_TRUE(fails_with(spec_from_gguf(file), corrupt_file, {"llama.embedding_length"}));
}

TEST(Families, an_unknown_family_is_refused_by_name_with_the_known_ones) {
  const std::vector<std::string> words{"\"mamba\"", "gpt2, llama, qwen2, qwen3"};
  EXPECT_TRUE(
      fails_with(spec_from_config(R"({"model_type": "mamba"})"), ErrorCode::unsupported, words));
  testing::GgufWriter file;
  file.add("general.architecture", "mamba");
  EXPECT_TRUE(fails_with(spec_from_gguf(file), ErrorCode::unsupported, words));
  EXPECT_TRUE(fails_with(spec_from_config("{}"), ErrorCode::corrupt_file, {"model_type"}));
  EXPECT_TRUE(fails_with(spec_from_gguf(testing::GgufWriter()), ErrorCode::corrupt_file,
                         {"general.architecture"}));
  EXPECT_TRUE(fails_with(spec_from_config(small_config(
                             "llama", R"("architectures": ["LlamaForTokenClassification"])")),
                         ErrorCode::unsupported,
                         {"LlamaForTokenClassification", "LlamaForCausalLM"}));
}

}  // namespace
}  // namespace zhuzi
