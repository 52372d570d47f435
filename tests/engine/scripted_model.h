// A model that says exactly what a test scripts, made in memory and loaded like any other.
//
// GPT-2's shape with one layer of zero weights and one-hot position embeddings: the logits row at
// absolute position p is whatever the script says for p, whatever the tokens are. Ids 0 to 255 are
// the single bytes; further tokens follow in the order of `tokens`.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/scratch_folder.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "formats/gguf_writer.h"
#include "model/model_file.h"
#include "text/tokenizer.h"

namespace zhuzi::testing {

struct Script {
  std::size_t context = 64;               ///< A multiple of 64.
  std::vector<std::string> tokens = {};   ///< Bytes of tokens 256, 257, ...
  std::vector<std::string> control = {};  ///< Control tokens behind them; the first ends answers.
  std::map<std::size_t, std::map<std::int32_t, float>> rows = {};  ///< Position: token: logit.
  float floor = -30.0f;                                            ///< Logit of every other token.
  float value_bias = 0;  ///< Of every V: to test what the KV format can hold.

  /// From position `start` on, these tokens are the likeliest one after the other.
  Script& say(std::size_t start, const std::vector<std::int32_t>& ids) {
    for (std::size_t i = 0; i < ids.size(); ++i) rows[start + i] = {{ids[i], 20.0f}};
    return *this;
  }
};

/// GPT-2's printable spelling of a byte.
inline std::string spelling_of(unsigned char byte) {
  const auto is_kept = [](int b) {
    return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || (b >= 174 && b <= 255);
  };
  char32_t code_point = byte;
  if (!is_kept(byte)) {
    char32_t extra = 0;
    for (int b = 0; b < byte; ++b) extra += is_kept(b) ? 0 : 1;
    code_point = 256 + extra;
  }
  std::string text;
  utf8::append(text, code_point);
  return text;
}

class ScriptedModel {
 public:
  explicit ScriptedModel(const Script& script) {
    const std::filesystem::path path = folder_.path() / "scripted.gguf";
    const Bytes bytes = file_of(script);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    Result<ModelFile> file = ModelFile::open(path);
    if (!file) throw std::runtime_error(file.error().message);
    file_ = std::make_unique<ModelFile>(std::move(*file));
    Result<Tokenizer> tokenizer = Tokenizer::from_gguf(std::get<GgufFile>(file_->source));
    if (!tokenizer) throw std::runtime_error(tokenizer.error().message);
    tokenizer_ = std::make_unique<Tokenizer>(std::move(*tokenizer));
  }

  [[nodiscard]] std::unique_ptr<Engine> engine(const EngineOptions& options) const {
    auto made = Engine::make(file_->spec, file_->weights, *tokenizer_, options);
    if (!made) throw std::runtime_error(made.error().message);
    return std::move(*made);
  }
  [[nodiscard]] const Tokenizer& tokenizer() const { return *tokenizer_; }
  [[nodiscard]] std::unique_ptr<Tokenizer> copy_of_tokenizer() const {
    return std::make_unique<Tokenizer>(
        Tokenizer::from_gguf(std::get<GgufFile>(file_->source)).value());
  }

 private:
  static Bytes floats(const std::vector<float>& values) {
    Bytes bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  static WrittenTensor tensor(std::string name, std::vector<std::uint64_t> extents,
                              const std::vector<float>& values) {
    return {
        .name = std::move(name), .extents = std::move(extents), .type = 0, .data = floats(values)};
  }
  static Bytes file_of(const Script& script);

  ScratchFolder folder_;
  std::unique_ptr<ModelFile> file_;
  std::unique_ptr<Tokenizer> tokenizer_;
};

/// What the file says about itself: GPT-2 of one layer, with this vocabulary.
inline void add_metadata(GgufWriter& writer, const Script& script,
                         const std::vector<std::string>& spelled,
                         const std::vector<std::int32_t>& kinds) {
  const std::size_t n = script.context;
  writer.add("general.architecture", "gpt2").add("general.name", "scripted");
  writer.add("gpt2.context_length", static_cast<std::uint32_t>(n));
  writer.add("gpt2.embedding_length", static_cast<std::uint32_t>(n));
  writer.add("gpt2.block_count", std::uint32_t{1});
  writer.add("gpt2.feed_forward_length", std::uint32_t{64});
  writer.add("gpt2.attention.head_count", static_cast<std::uint32_t>(n / 64));
  writer.add("gpt2.attention.layer_norm_epsilon", 1e-12f);
  writer.add("tokenizer.ggml.model", "gpt2").add("tokenizer.ggml.pre", "gpt-2");
  writer.add_texts("tokenizer.ggml.tokens", spelled);
  writer.add_array("tokenizer.ggml.token_type", kinds);
  writer.add_texts("tokenizer.ggml.merges", {});
  if (!script.control.empty()) {
    writer.add("tokenizer.ggml.eos_token_id",
               static_cast<std::uint32_t>(256 + script.tokens.size()));
  }
}

inline Bytes ScriptedModel::file_of(const Script& script) {
  const std::size_t n = script.context;
  std::vector<std::string> spelled;
  std::vector<std::int32_t> kinds(256 + script.tokens.size(), 1);
  for (int byte = 0; byte < 256; ++byte)
    spelled.push_back(spelling_of(static_cast<unsigned char>(byte)));
  for (const std::string& token : script.tokens) {
    std::string text;
    for (const char byte : token) text += spelling_of(static_cast<unsigned char>(byte));
    spelled.push_back(text);
  }
  for (const std::string& token : script.control) {
    spelled.push_back(token);
    kinds.push_back(3);
  }
  const std::size_t vocabulary = spelled.size();
  GgufWriter writer;
  add_metadata(writer, script, spelled, kinds);

  // The layer norm of a one-hot row is this at the position and 0 elsewhere, once the bias is
  // added.
  const double width = static_cast<double>(n);
  const double peak = std::sqrt(width - 1) + 1 / std::sqrt(width - 1);
  std::vector<float> positions(n * n, 0.0f);
  for (std::size_t i = 0; i < n; ++i) positions[i * n + i] = 1.0f;
  std::vector<float> head(vocabulary * n, 0.0f);
  for (const auto& [position, row] : script.rows) {
    for (std::size_t token = 0; token < vocabulary; ++token) {
      head[token * n + position] = script.floor / static_cast<float>(peak);
    }
    for (const auto& [token, logit] : row) {
      // An infinite logit comes from the largest finite weight: weights themselves are finite.
      head[static_cast<std::size_t>(token) * n + position] =
          std::min(logit / static_cast<float>(peak), std::numeric_limits<float>::max());
    }
  }
  std::vector<float> qkv_bias(3 * n, 0.0f);
  std::fill(qkv_bias.begin() + static_cast<std::ptrdiff_t>(2 * n), qkv_bias.end(),
            script.value_bias);
  const std::vector<float> ones(n, 1.0f);
  writer.add_zeros("token_embd.weight", {n, vocabulary});
  writer.add_tensor(tensor("position_embd.weight", {n, n}, positions));
  writer.add_tensor(tensor("output_norm.weight", {n}, ones));
  writer.add_tensor(tensor("output_norm.bias", {n},
                           std::vector<float>(n, static_cast<float>(1 / std::sqrt(width - 1)))));
  writer.add_tensor(tensor("output.weight", {n, vocabulary}, head));
  for (const char* name : {"attn_norm", "ffn_norm"}) {
    writer.add_tensor(tensor(std::string("blk.0.") + name + ".weight", {n}, ones));
    writer.add_zeros(std::string("blk.0.") + name + ".bias", {n});
  }
  writer.add_zeros("blk.0.attn_qkv.weight", {n, 3 * n});
  writer.add_tensor(tensor("blk.0.attn_qkv.bias", {3 * n}, qkv_bias));
  writer.add_zeros("blk.0.attn_output.weight", {n, n}).add_zeros("blk.0.attn_output.bias", {n});
  writer.add_zeros("blk.0.ffn_up.weight", {n, 64}).add_zeros("blk.0.ffn_up.bias", {64});
  writer.add_zeros("blk.0.ffn_down.weight", {64, n}).add_zeros("blk.0.ffn_down.bias", {n});
  return writer.bytes();
}

}  // namespace zhuzi::testing
