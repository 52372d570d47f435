// Qwen2 and Qwen2.5 (Yang et al. 2024): query, key and value have biases.
#include "model/families/family.h"
#include "model/internal/config_reader.h"
#include "model/internal/gated_decoder.h"
#include "model/internal/gguf_keys.h"

namespace zhuzi {
namespace {

Result<ModelSpec> from_config(const json::Value& value) {
  GatedDecoder decoder = TRY(gated_decoder_from_config(ConfigReader(value, "config.json"), {}));
  decoder.qkv_bias = true;
  return spec_of(decoder);
}

Result<ModelSpec> from_gguf(const GgufFile& file) {
  GatedDecoder decoder = TRY(gated_decoder_from_gguf(GgufKeys(file, "qwen2")));
  decoder.qkv_bias = true;
  return spec_of(decoder);
}

}  // namespace

extern const Family qwen2;
const Family qwen2{
    .architecture = "qwen2",
    .model_type = "qwen2",
    .model_class = "Qwen2ForCausalLM",
    .from_gguf = from_gguf,
    .from_config = from_config,
    .gguf = {.names = gguf_names},
    .hugging_face = {.names = projection_names},
};

}  // namespace zhuzi
