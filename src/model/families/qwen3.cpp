// Qwen3 (Yang et al. 2025): query and key heads are normed before they turn.
#include "model/families/family.h"
#include "model/internal/config_reader.h"
#include "model/internal/gated_decoder.h"
#include "model/internal/gguf_keys.h"

namespace zhuzi {
namespace {

Result<ModelSpec> from_config(const json::Value& value) {
  const ConfigReader config(value, "config.json");
  GatedDecoder decoder = TRY(gated_decoder_from_config(config, {.head_length = 128}));
  decoder.head_norm = true;
  decoder.qkv_bias = TRY(config.boolean_or("attention_bias", false));
  decoder.output_bias = decoder.qkv_bias;
  return spec_of(decoder);
}

Result<ModelSpec> from_gguf(const GgufFile& file) {
  GatedDecoder decoder = TRY(gated_decoder_from_gguf(GgufKeys(file, "qwen3")));
  decoder.head_norm = true;
  return spec_of(decoder);
}

}  // namespace

extern const Family qwen3;
const Family qwen3{
    .architecture = "qwen3",
    .model_type = "qwen3",
    .model_class = "Qwen3ForCausalLM",
    .from_gguf = from_gguf,
    .from_config = from_config,
    .gguf = {.names = gguf_names},
    .hugging_face = {.names = projection_names},
};

}  // namespace zhuzi
