// GatedDecoder: the decoder that most families are: RMS norms before each block, grouped attention
// with rotary positions, a gated feed-forward block. A family reads one and changes what is its
// own.
//
// Place in the journey: a file's metadata -> the facts here -> ModelSpec, all layers alike but for
// their windows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/internal/config_reader.h"
#include "model/internal/gguf_keys.h"
#include "model/spec.h"

namespace zhuzi {

struct GatedDecoder {
  std::string family;
  std::string name;
  std::size_t vocabulary = 0;
  std::size_t width = 0;
  std::size_t hidden = 0;
  std::size_t layers = 0;
  std::size_t heads = 0;
  std::size_t kv_heads = 0;
  std::size_t head_length = 0;
  std::size_t context = 0;
  double epsilon = 1e-6;
  Rope rope;
  ActivationFunction activation = ActivationFunction::silu;
  bool qkv_bias = false;
  bool output_bias = false;
  bool ffn_bias = false;
  bool head_norm = false;  ///< RMS norms of each query and key head.
  bool tied_head = false;
  std::vector<std::size_t> windows;  ///< Of each layer; empty: none has one.
};

/// What a family's published configuration leaves out means.
struct GatedDefaults {
  std::size_t head_length = 0;  ///< 0: width / heads.
  double theta = 10000;
  double epsilon = 1e-6;
};

[[nodiscard]] Result<GatedDecoder> gated_decoder_from_config(const ConfigReader& config,
                                                             const GatedDefaults& defaults);
[[nodiscard]] Result<GatedDecoder> gated_decoder_from_gguf(const GgufKeys& keys);

/// The validated spec.
[[nodiscard]] Result<ModelSpec> spec_of(const GatedDecoder& decoder);

/// width / heads, or corrupt_file that names both.
[[nodiscard]] Result<std::size_t> even_head_length(std::size_t width, std::size_t heads);

/// Refuses the settings of config.json that change the numbers in every family and that nobody here
/// computes, such as quantized storage.
[[nodiscard]] Result<void> refuse_foreign_settings(const ConfigReader& config);

}  // namespace zhuzi
