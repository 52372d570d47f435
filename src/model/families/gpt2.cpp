// GPT-2 (Radford et al. 2019): learned positions, layer norms, biases everywhere, a plain
// feed-forward block of four times the width. Its Hugging Face files store matrices transposed and
// query, key and value in one; GGUF files turn the matrices round and leave the three together.
#include <cmath>

#include "model/families/family.h"
#include "model/internal/config_reader.h"
#include "model/internal/gated_decoder.h"
#include "model/internal/gguf_keys.h"

namespace zhuzi {
namespace {

constexpr WeightNames hugging_face_names{
    .prefix = "transformer.",
    .embedding = "wte",
    .positions = "wpe",
    .final_norm = "ln_f",
    .head = "lm_head",
    .layers = "h",
    .attention_norm = "ln_1",
    .query_key_value = "attn.c_attn",
    .attention_output = "attn.c_proj",
    .ffn_norm = "ln_2",
    .up = "mlp.c_fc",
    .down = "mlp.c_proj",
    .ignored_in_layer = {"attn.bias", "attn.masked_bias"},  // The causal mask and its value.
};

struct Sizes {
  std::size_t width = 0;
  std::size_t heads = 0;
  std::size_t hidden = 0;
  double epsilon = 1e-5;
};

Result<Layer> layer_of(const Sizes& sizes) {
  const Norm norm{
      .kind = NormKind::layer, .epsilon = static_cast<float>(sizes.epsilon), .bias = true};
  Layer layer{.attention_norm = norm, .ffn_norm = norm};
  HeadAttention& attention = layer.attention;
  attention.heads = attention.kv_heads = sizes.heads;
  attention.head_length = TRY(even_head_length(sizes.width, sizes.heads));
  attention.qkv_bias = attention.output_bias = true;
  attention.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(attention.head_length)));
  layer.ffn = {.hidden = sizes.hidden,
               .activation = ActivationFunction::gelu_tanh,
               .gated = false,
               .bias = true};
  return layer;
}

/// Everything of the spec that follows from its sizes.
Result<ModelSpec> spec_of(const Sizes& sizes, std::size_t layers, std::size_t context) {
  ModelSpec spec{.family = "gpt2", .width = sizes.width, .context = context};
  spec.learned_position = LearnedPosition{.positions = context};
  const Layer layer = TRY(layer_of(sizes));
  if (layers > SpecLimits::layers) {
    return fail(ErrorCode::corrupt_file, "The model has {} layers; at most {} are read.", layers,
                SpecLimits::layers);
  }
  spec.layers.assign(layers, layer);
  spec.final_norm = layer.attention_norm;
  return spec;
}

Result<ModelSpec> from_config(const json::Value& value) {
  const ConfigReader config(value, "config.json");
  TRY(refuse_foreign_settings(config));
  if (TRY(config.boolean_or("add_cross_attention", false))) {
    return fail(ErrorCode::unsupported, "config.json: \"add_cross_attention\" is not computed.");
  }
  Sizes sizes;
  sizes.width = TRY(config.size("n_embd"));
  sizes.heads = TRY(config.size("n_head"));
  sizes.hidden = TRY(config.size_or("n_inner", 4 * sizes.width));
  sizes.epsilon = TRY(config.real_or("layer_norm_epsilon", sizes.epsilon));
  const std::size_t layers = TRY(config.size("n_layer"));
  const std::size_t context = TRY(config.size("n_positions"));
  ModelSpec spec = TRY(spec_of(sizes, layers, context));
  spec.vocabulary = TRY(config.size("vocab_size"));
  spec.tied_head = TRY(config.boolean_or("tie_word_embeddings", true));

  const bool scaled = TRY(config.boolean_or("scale_attn_weights", true));
  const bool by_layer = TRY(config.boolean_or("scale_attn_by_inverse_layer_idx", false));
  const ActivationFunction activation =
      TRY(config.activation_or("activation_function", ActivationFunction::gelu_tanh));
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    Layer& layer = spec.layers[i];
    layer.ffn.activation = activation;
    if (!scaled) layer.attention.scale = 1;
    if (by_layer) layer.attention.scale /= static_cast<float>(i + 1);
  }
  TRY(validate(spec));
  return spec;
}

Result<ModelSpec> from_gguf(const GgufFile& file) {
  const GgufKeys keys(file, "gpt2");
  Sizes sizes;
  sizes.width = TRY(keys.size("embedding_length"));
  sizes.heads = TRY(keys.size("attention.head_count"));
  sizes.hidden = TRY(keys.size("feed_forward_length"));
  sizes.epsilon = TRY(keys.real("attention.layer_norm_epsilon"));
  const std::size_t layers = TRY(keys.size("block_count"));
  const std::size_t context = TRY(keys.size("context_length"));
  ModelSpec spec = TRY(spec_of(sizes, layers, context));
  spec.name = TRY(keys.name());
  spec.vocabulary = TRY(keys.vocabulary());
  spec.tied_head = keys.tensor("output.weight") == nullptr;
  TRY(validate(spec));
  return spec;
}

}  // namespace

extern const Family gpt2;
const Family gpt2{
    .architecture = "gpt2",
    .model_type = "gpt2",
    .model_class = "GPT2LMHeadModel",
    .from_gguf = from_gguf,
    .from_config = from_config,
    .gguf = {.names = gguf_names, .qkv = QkvStorage::stacked},
    .hugging_face = {.names = hugging_face_names, .qkv = QkvStorage::stacked, .transposed = true},
};

}  // namespace zhuzi
