// Llama (Touvron et al. 2023; Dubey et al. 2024), and what borrows its name, such as SmolLM2.
//
// GGUF files keep the rotary pairs of a head side by side, as Meta's own files do.
#include "model/families/family.h"
#include "model/internal/config_reader.h"
#include "model/internal/gated_decoder.h"
#include "model/internal/gguf_keys.h"

namespace zhuzi {
namespace {

Result<ModelSpec> from_config(const json::Value& value) {
  const ConfigReader config(value, "config.json");
  GatedDecoder decoder = TRY(gated_decoder_from_config(config, {}));
  decoder.qkv_bias = TRY(config.boolean_or("attention_bias", false));
  decoder.output_bias = decoder.qkv_bias;
  decoder.ffn_bias = TRY(config.boolean_or("mlp_bias", false));
  return spec_of(decoder);
}

Result<ModelSpec> from_gguf(const GgufFile& file) {
  const GgufKeys keys(file, "llama");
  GatedDecoder decoder = TRY(gated_decoder_from_gguf(keys));
  decoder.rope.pairing = RopePairing::adjacent;
  // GGUF has no keys for biases; a file has them in all layers or in none.
  decoder.qkv_bias = keys.tensor("blk.0.attn_q.bias") != nullptr;
  decoder.output_bias = keys.tensor("blk.0.attn_output.bias") != nullptr;
  decoder.ffn_bias = keys.tensor("blk.0.ffn_up.bias") != nullptr;
  return spec_of(decoder);
}

}  // namespace

extern const Family llama;
const Family llama{
    .architecture = "llama",
    .model_type = "llama",
    .model_class = "LlamaForCausalLM",
    .from_gguf = from_gguf,
    .from_config = from_config,
    .gguf = {.names = gguf_names},
    .hugging_face = {.names = projection_names},
};

}  // namespace zhuzi
