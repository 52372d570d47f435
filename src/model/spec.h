// ModelSpec: a model as data. Families make it from a file's metadata, forward walks it.
//
// Place in the journey: file metadata -> family -> spec -> binder (names to tensors) -> forward.
// Plain structs; exclusive kinds are variants, each alternative with exactly one executor in
// forward. Facts are explicit: nothing is inferred from which tensors exist. A spec that `validate`
// has passed is consistent and bounded; everybody after ModelFile::open relies on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"

namespace zhuzi {

// ------------------------------------------------------------------------------------ positions

/// How long contexts stretch the rotary frequencies.
struct NoScaling {
  bool operator==(const NoScaling&) const = default;
};
/// Position interpolation (Chen et al. 2023).
struct LinearScaling {
  double factor = 1;
  bool operator==(const LinearScaling&) const = default;
};
/// Long waves are stretched, short ones kept, those between blended (Llama 3.1).
struct Llama3Scaling {
  double factor = 8, low_frequency_factor = 1, high_frequency_factor = 4;
  double original_context = 8192;
  bool operator==(const Llama3Scaling&) const = default;
};
/// The same by the number of turns in the original context (Peng et al. 2023).
struct YarnScaling {
  double factor = 1, original_context = 0, beta_fast = 32, beta_slow = 1;
  double attention_factor = 1;  ///< Multiplies cos and sin; resolved by the reader of the file.
  bool truncate = true;
  bool operator==(const YarnScaling&) const = default;
};
/// GGUF's rope_freqs tensor: each inverse frequency is divided by its own.
struct FrequencyDivisors {
  std::vector<float> divisors;
  bool operator==(const FrequencyDivisors&) const = default;
};
using RopeScaling =
    std::variant<NoScaling, LinearScaling, Llama3Scaling, YarnScaling, FrequencyDivisors>;

/// How the file pairs the dims of a head. The binder brings both to halves.
enum class RopePairing : std::uint8_t { halves, adjacent };

struct NoPosition {
  bool operator==(const NoPosition&) const = default;
};
struct LearnedPosition {  ///< Rows of a table, added to the embedding.
  std::size_t positions = 0;
  std::size_t offset = 0;  ///< Token i uses row i + offset; the table has positions + offset rows.
  bool operator==(const LearnedPosition&) const = default;
};
struct Rope {
  RopePairing pairing = RopePairing::halves;
  std::size_t dims = 0;  ///< Of a head; the rest passes through. Even.
  double theta = 10000;
  RopeScaling scaling{};
  bool operator==(const Rope&) const = default;
};

// --------------------------------------------------------------------------------------- layers

enum class NormKind : std::uint8_t { rms, layer };
struct Norm {
  NormKind kind = NormKind::rms;
  float epsilon = 1e-5f;
  bool bias = false;
  bool operator==(const Norm&) const = default;
};

enum class ActivationFunction : std::uint8_t {
  silu,
  gelu_erf,
  gelu_tanh,
  quick_gelu,
  relu,
  relu_squared,
};

struct HeadAttention {
  std::size_t heads = 0;
  std::size_t kv_heads = 0;
  std::size_t head_length = 0;
  bool qkv_bias = false;
  bool output_bias = false;
  std::optional<Norm> head_norm{};  ///< Of each q and k head, before rotation.
  std::variant<NoPosition, Rope> position{};
  float scale = 0;         ///< Of the scores, usually head_length^-0.5.
  std::size_t window = 0;  ///< Keys visible to a query, itself among them; 0: all.
  bool operator==(const HeadAttention&) const = default;
};

struct DenseFfn {
  std::size_t hidden = 0;
  ActivationFunction activation = ActivationFunction::silu;
  bool gated = true;
  bool bias = false;
  bool operator==(const DenseFfn&) const = default;
};

struct Layer {
  Norm attention_norm{};  ///< Before attention.
  HeadAttention attention{};
  Norm ffn_norm{};  ///< Before the feed-forward block.
  DenseFfn ffn{};
  bool operator==(const Layer&) const = default;
};

// ---------------------------------------------------------------------------------------- model

struct ModelSpec {
  std::string family{};
  std::string name{};
  std::size_t vocabulary = 0;  ///< Rows of the embedding.
  std::size_t width = 0;       ///< Of the residual stream.
  std::size_t context = 0;     ///< Positions that the file allows.
  std::optional<LearnedPosition> learned_position{};
  std::vector<Layer> layers{};
  Norm final_norm{};
  bool tied_head = false;
  bool operator==(const ModelSpec&) const = default;
};

/// What a file may ask for. Larger numbers are refused before anything is made of them.
struct SpecLimits {
  static constexpr std::size_t vocabulary = 1 << 22;
  static constexpr std::size_t width = 1 << 18;
  static constexpr std::size_t hidden = 1 << 20;
  static constexpr std::size_t context = 1 << 26;
  static constexpr std::size_t layers = 1 << 12;
  static constexpr std::size_t heads = 1 << 12;
  static constexpr std::size_t head_length = 1 << 12;
};

/// Error: corrupt_file, one sentence with the layer and the numbers that do not go together.
[[nodiscard]] Result<void> validate(const ModelSpec& spec);

}  // namespace zhuzi
