// Weight names as data: one table for GGUF, one for each Hugging Face naming style.
//
// Place in the journey: the registry gives each family its tables; the binder makes names from
// them: <prefix><part>.weight, <prefix><layers>.<number>.<part>.weight, and .bias.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace zhuzi {

struct WeightNames {
  std::string_view prefix{};  ///< Of everything but the head. Some exporters leave it out.
  std::string_view embedding{};
  std::string_view positions{};
  std::string_view final_norm{};
  std::string_view head{};

  std::string_view layers{};
  std::string_view attention_norm{};
  std::string_view query{};
  std::string_view key{};
  std::string_view value{};
  std::string_view query_key_value{};
  std::string_view attention_output{};
  std::string_view query_norm{};
  std::string_view key_norm{};
  std::string_view ffn_norm{};
  std::string_view gate{};
  std::string_view up{};
  std::string_view down{};

  /// Whole names of tensors, and of tensors of a layer, that files carry and nobody needs: buffers
  /// that the spec already says, such as causal masks.
  std::array<std::string_view, 2> ignored{};
  std::array<std::string_view, 2> ignored_in_layer{};
};

/// How query, key and value lie in a file: one tensor each, or their rows one after the other.
enum class QkvStorage : std::uint8_t { separate, stacked };

/// How a family's files of one kind store its weights.
struct Storage {
  WeightNames names;
  QkvStorage qkv = QkvStorage::separate;
  /// The matrices of the layers are stored as [inputs x outputs].
  bool transposed = false;
};

inline constexpr WeightNames gguf_names{
    .prefix = "",
    .embedding = "token_embd",
    .positions = "position_embd",
    .final_norm = "output_norm",
    .head = "output",
    .layers = "blk",
    .attention_norm = "attn_norm",
    .query = "attn_q",
    .key = "attn_k",
    .value = "attn_v",
    .query_key_value = "attn_qkv",
    .attention_output = "attn_output",
    .query_norm = "attn_q_norm",
    .key_norm = "attn_k_norm",
    .ffn_norm = "ffn_norm",
    .gate = "ffn_gate",
    .up = "ffn_up",
    .down = "ffn_down",
    .ignored = {"rope_freqs.weight"},  // Read with the metadata.
};

/// What most decoders on Hugging Face use.
inline constexpr WeightNames projection_names{
    .prefix = "model.",
    .embedding = "embed_tokens",
    .final_norm = "norm",
    .head = "lm_head",
    .layers = "layers",
    .attention_norm = "input_layernorm",
    .query = "self_attn.q_proj",
    .key = "self_attn.k_proj",
    .value = "self_attn.v_proj",
    .attention_output = "self_attn.o_proj",
    .query_norm = "self_attn.q_norm",
    .key_norm = "self_attn.k_norm",
    .ffn_norm = "post_attention_layernorm",
    .gate = "mlp.gate_proj",
    .up = "mlp.up_proj",
    .down = "mlp.down_proj",
    .ignored_in_layer = {"self_attn.rotary_emb.inv_freq"},
};

}  // namespace zhuzi
