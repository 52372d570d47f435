// describe: a spec as people read it, runs of identical layers as one.
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "model/model_file.h"

namespace zhuzi {
namespace {

std::string text_of(const Norm& norm) {
  return fmt::format("{} norm, epsilon {:g}{}", norm.kind == NormKind::rms ? "RMS" : "layer",
                     norm.epsilon, norm.bias ? ", with bias" : "");
}

std::string text_of(const NoScaling&) { return "not scaled"; }
std::string text_of(const LinearScaling& linear) {
  return fmt::format("scaled linearly by {:g}", linear.factor);
}
std::string text_of(const Llama3Scaling& blended) {
  return fmt::format(
      "long waves scaled by {:g} (waves in {:g} positions: below {:g}; kept above {:g})",
      blended.factor, blended.original_context, blended.low_frequency_factor,
      blended.high_frequency_factor);
}
std::string text_of(const YarnScaling& yarn) {
  return fmt::format(
      "YaRN by {:g} from {:g} positions, between {:g} and {:g} turns{}, magnitude {:g}",
      yarn.factor, yarn.original_context, yarn.beta_slow, yarn.beta_fast,
      yarn.truncate ? "" : " (not rounded)", yarn.attention_factor);
}
std::string text_of(const FrequencyDivisors& own) {
  return fmt::format("each of {} frequencies divided by the file's own number",
                     own.divisors.size());
}

std::string text_of(const NoPosition&) { return "none in the heads"; }
std::string text_of(const Rope& rope) {
  return fmt::format("rotary, {} dims, theta {}, {}, pairs {}", rope.dims, rope.theta,
                     std::visit([](const auto& scaling) { return text_of(scaling); }, rope.scaling),
                     rope.pairing == RopePairing::halves ? "in halves" : "side by side");
}

std::string_view text_of(ActivationFunction function) {
  constexpr std::array<std::string_view, 6> names{"SiLU",       "GELU (erf)", "GELU (tanh)",
                                                  "quick GELU", "ReLU",       "squared ReLU"};
  return names[static_cast<std::size_t>(function)];
}

std::string_view bias_text(const HeadAttention& attention) {
  if (attention.qkv_bias) {
    return attention.output_bias ? "bias on query, key, value and output"
                                 : "bias on query, key and value";
  }
  return attention.output_bias ? "bias on the output" : "no bias";
}

std::string text_of(const Layer& layer) {
  const HeadAttention& attention = layer.attention;
  const DenseFfn& ffn = layer.ffn;
  std::string text = fmt::format("  before attention     {}\n", text_of(layer.attention_norm));
  text +=
      fmt::format("  attention            {} heads of {}, {} key/value heads, scale {:g}, {}, {}\n",
                  attention.heads, attention.head_length, attention.kv_heads, attention.scale,
                  bias_text(attention),
                  attention.window == 0 ? std::string("sees all positions")
                                        : fmt::format("sees {} positions", attention.window));
  if (attention.head_norm) {
    text += fmt::format("  queries and keys     {}\n", text_of(*attention.head_norm));
  }
  text +=
      fmt::format("  positions            {}\n",
                  std::visit([](const auto& kind) { return text_of(kind); }, attention.position));
  text += fmt::format("  before feed-forward  {}\n", text_of(layer.ffn_norm));
  text += fmt::format("  feed-forward         {} wide, {}{}, {}\n", ffn.hidden,
                      ffn.gated ? "gated by " : "", text_of(ffn.activation),
                      ffn.bias ? "with bias" : "no bias");
  return text;
}

}  // namespace

std::string describe(const ModelSpec& spec) {
  std::string text =
      fmt::format("family {}{}{}\n", spec.family, spec.name.empty() ? "" : ", ", spec.name);
  text += fmt::format("vocabulary {}, width {}, context {} positions, {} layers\n", spec.vocabulary,
                      spec.width, spec.context, spec.layers.size());
  if (spec.learned_position) {
    text += fmt::format("learned positions: {}, from row {}\n", spec.learned_position->positions,
                        spec.learned_position->offset);
  }
  for (std::size_t first = 0; first < spec.layers.size();) {
    std::size_t end = first + 1;
    while (end < spec.layers.size() && spec.layers[end] == spec.layers[first]) ++end;
    text += end - first == 1 ? fmt::format("layer {}:\n", first)
                             : fmt::format("layers {}-{}:\n", first, end - 1);
    text += text_of(spec.layers[first]);
    first = end;
  }
  text += fmt::format("at the end: {}; head {}\n", text_of(spec.final_norm),
                      spec.tied_head ? "tied to the embedding" : "of its own");
  return text;
}

}  // namespace zhuzi
