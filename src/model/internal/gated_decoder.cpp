// See gated_decoder.h.
#include "model/internal/gated_decoder.h"

#include <cmath>
#include <optional>
#include <string_view>

#include "base/json.h"
#include "model/internal/rope_reader.h"

namespace zhuzi {
namespace {

/// Windows by layer: as `layer_types` lists them, or of the layers from `max_window_layers` on.
Result<std::vector<std::size_t>> windows_from_config(const ConfigReader& config,
                                                     std::size_t layers) {
  const bool used = TRY(config.boolean_or("use_sliding_window", false));
  const std::size_t window = used ? TRY(config.size("sliding_window")) : 0;
  std::vector<std::size_t> windows;
  const json::Value* types = config.find("layer_types");
  if (types == nullptr) {
    if (!used) return windows;
    const std::size_t first = TRY(config.size("max_window_layers"));
    for (std::size_t i = 0; i < layers; ++i) windows.push_back(i >= first ? window : 0);
    return windows;
  }
  if (types->array() == nullptr || types->array()->size() != layers) {
    return fail(
        ErrorCode::corrupt_file,
        "{}: \"layer_types\" must be a list of as many names as \"num_hidden_layers\" ({}).",
        config.where(), layers);
  }
  for (const json::Value& type : *types->array()) {
    const std::string_view name = type.string() != nullptr ? std::string_view(*type.string()) : "";
    const bool windowed = name == "sliding_attention";
    if (!windowed && name != "full_attention") {
      return fail(ErrorCode::unsupported, "{}: \"layer_types\" names \"{}\", which is unknown.",
                  config.where(), name);
    }
    if (windowed && window == 0) {
      return fail(ErrorCode::corrupt_file,
                  "{}: \"layer_types\" has windows, \"use_sliding_window\" and \"sliding_window\" "
                  "have none.",
                  config.where());
    }
    windows.push_back(windowed ? window : 0);
  }
  return windows;
}

/// Keys of GGUF that change the numbers and belong to relatives of these families.
Result<void> refuse_foreign_keys(const GgufKeys& keys) {
  constexpr std::string_view foreign[] = {"expert_count",
                                          "attention.sliding_window",
                                          "attention.clamp_kqv",
                                          "attention.scale",
                                          "logit_scale",
                                          "residual_scale",
                                          "embedding_scale",
                                          "final_logit_softcapping",
                                          "attn_logit_softcapping",
                                          "attention.max_alibi_bias"};
  for (const std::string_view key : foreign) {
    if (!keys.has(key)) continue;
    const auto number = keys.file().real(keys.full(key));
    const auto whole = keys.file().integer(keys.full(key));
    const bool zero = (number && *number == 0.0) || (whole && *whole == std::uint64_t{0});
    if (!zero) {
      return fail(ErrorCode::unsupported, "The key {} asks for something that is not computed yet.",
                  keys.full(key));
    }
  }
  return {};
}

}  // namespace

Result<std::size_t> even_head_length(std::size_t width, std::size_t heads) {
  if (heads != 0 && width % heads == 0) return width / heads;
  return fail(ErrorCode::corrupt_file, "A width of {} does not divide into {} attention heads.",
              width, heads);
}

Result<void> refuse_foreign_settings(const ConfigReader& config) {
  if (config.has("quantization_config")) {
    return fail(ErrorCode::unsupported,
                "{}: the weights are quantized (\"quantization_config\"), which is not read yet; "
                "take the original or a GGUF file.",
                config.where());
  }
  return {};
}

Result<GatedDecoder> gated_decoder_from_config(const ConfigReader& config,
                                               const GatedDefaults& defaults) {
  TRY(refuse_foreign_settings(config));
  GatedDecoder decoder;
  decoder.family = TRY(config.text("model_type"));
  decoder.vocabulary = TRY(config.size("vocab_size"));
  decoder.width = TRY(config.size("hidden_size"));
  decoder.hidden = TRY(config.size("intermediate_size"));
  decoder.layers = TRY(config.size("num_hidden_layers"));
  decoder.heads = TRY(config.size("num_attention_heads"));
  decoder.kv_heads = TRY(config.size_or("num_key_value_heads", decoder.heads));
  decoder.head_length = config.has("head_dim") ? TRY(config.size("head_dim"))
                        : defaults.head_length != 0
                            ? defaults.head_length
                            : TRY(even_head_length(decoder.width, decoder.heads));
  decoder.epsilon = TRY(config.real_or("rms_norm_eps", defaults.epsilon));
  decoder.activation = TRY(config.activation_or("hidden_act", ActivationFunction::silu));
  decoder.tied_head = TRY(config.boolean_or("tie_word_embeddings", false));
  decoder.rope = TRY(rope_from_config(config, decoder.head_length, defaults.theta));
  const std::size_t context = TRY(config.size("max_position_embeddings"));
  decoder.context = stretched_context(context, decoder.rope);
  if (decoder.layers <= SpecLimits::layers) {  // Else spec_of refuses it.
    decoder.windows = TRY(windows_from_config(config, decoder.layers));
  }
  return decoder;
}

Result<GatedDecoder> gated_decoder_from_gguf(const GgufKeys& keys) {
  TRY(refuse_foreign_keys(keys));
  GatedDecoder decoder;
  decoder.family = TRY(keys.file().text("general.architecture")).value_or("");
  decoder.name = TRY(keys.name());
  decoder.vocabulary = TRY(keys.vocabulary());
  decoder.width = TRY(keys.size("embedding_length"));
  decoder.hidden = TRY(keys.size("feed_forward_length"));
  decoder.layers = TRY(keys.size("block_count"));
  decoder.heads = TRY(keys.size("attention.head_count"));
  decoder.kv_heads = TRY(keys.size_or("attention.head_count_kv", decoder.heads));
  decoder.head_length = keys.has("attention.key_length")
                            ? TRY(keys.size("attention.key_length"))
                            : TRY(even_head_length(decoder.width, decoder.heads));
  const std::size_t values = TRY(keys.size_or("attention.value_length", decoder.head_length));
  if (values != decoder.head_length) {
    return fail(ErrorCode::unsupported, "The key {} is {} where keys have {}.",
                keys.full("attention.value_length"), values, decoder.head_length);
  }
  decoder.epsilon = TRY(keys.real("attention.layer_norm_rms_epsilon"));
  decoder.rope = TRY(rope_from_gguf(keys, decoder.head_length));
  const std::size_t context = TRY(keys.size("context_length"));
  decoder.context = stretched_context(context, decoder.rope);
  // GGUF has no key for it: a file without a head means the embedding.
  decoder.tied_head = keys.tensor("output.weight") == nullptr;
  return decoder;
}

Result<ModelSpec> spec_of(const GatedDecoder& decoder) {
  if (decoder.layers > SpecLimits::layers) {
    return fail(ErrorCode::corrupt_file, "The model has {} layers; at most {} are read.",
                decoder.layers, SpecLimits::layers);
  }
  const Norm norm{.kind = NormKind::rms, .epsilon = static_cast<float>(decoder.epsilon)};
  Layer layer{.attention_norm = norm, .ffn_norm = norm};
  HeadAttention& attention = layer.attention;
  attention.heads = decoder.heads;
  attention.kv_heads = decoder.kv_heads;
  attention.head_length = decoder.head_length;
  attention.qkv_bias = decoder.qkv_bias;
  attention.output_bias = decoder.output_bias;
  if (decoder.head_norm) attention.head_norm = norm;
  attention.position = decoder.rope;
  attention.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(decoder.head_length)));
  layer.ffn = {.hidden = decoder.hidden,
               .activation = decoder.activation,
               .gated = true,
               .bias = decoder.ffn_bias};

  ModelSpec spec{.family = decoder.family, .name = decoder.name};
  spec.vocabulary = decoder.vocabulary;
  spec.width = decoder.width;
  spec.context = decoder.context;
  spec.layers.assign(decoder.layers, layer);
  for (std::size_t i = 0; i < decoder.windows.size(); ++i) {
    spec.layers[i].attention.window = decoder.windows[i];
  }
  spec.final_norm = norm;
  spec.tied_head = decoder.tied_head;
  TRY(validate(spec));
  return spec;
}

}  // namespace zhuzi
