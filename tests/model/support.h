// Small configurations and files for the tests of this room.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "formats/gguf.h"
#include "formats/gguf_writer.h"
#include "model/families/registry.h"
#include "model/spec.h"

namespace zhuzi::testing {

inline json::Value parse_config(std::string_view text) {
  auto value = json::parse(text, {.duplicates = json::Object::Duplicates::last_wins});
  EXPECT_TRUE(value) << value.error().message << "\n" << text;
  return value ? *std::move(value) : json::Value();
}

/// A small gated decoder; members in `more` replace what stands before them.
inline std::string small_config(std::string_view model_type, std::string_view more = "") {
  std::string text = R"({"vocab_size": 32, "hidden_size": 16, "intermediate_size": 24,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "head_dim": 4, "model_type": ")";
  text += std::string(model_type) + "\"";
  if (!more.empty()) text += ", " + std::string(more);
  return text + "}";
}

inline Result<ModelSpec> spec_from_config(std::string_view text) {
  const json::Value config = parse_config(text);
  const Family* family = TRY(family_of(config));
  return family->from_config(config);
}

/// The metadata of a small gated decoder as GGUF; a test adds pairs and tensors.
inline GgufWriter small_gguf(const std::string& architecture) {
  GgufWriter file;
  file.add("general.architecture", architecture);
  file.add("general.name", "small");
  const std::string prefix = architecture + ".";
  file.add(prefix + "vocab_size", 32U);
  file.add(prefix + "embedding_length", 16U);
  file.add(prefix + "feed_forward_length", 24U);
  file.add(prefix + "block_count", 2U);
  file.add(prefix + "attention.head_count", 4U);
  file.add(prefix + "attention.head_count_kv", 2U);
  file.add(prefix + "attention.layer_norm_rms_epsilon", 1e-5F);
  file.add(prefix + "context_length", 64U);
  return file;
}

inline Result<ModelSpec> spec_from_gguf(const GgufWriter& writer) {
  const Bytes bytes = writer.bytes();
  const GgufFile file = TRY(GgufFile::read(bytes));
  const Family* family = TRY(family_of(file));
  return family->from_gguf(file);
}

inline const Rope& rope_of(const ModelSpec& spec) {
  return std::get<Rope>(spec.layers.front().attention.position);
}

/// The call failed, with every one of the words in its message.
template <typename T>
::testing::AssertionResult fails_with(const Result<T>& result, ErrorCode code,
                                      const std::vector<std::string>& words) {
  if (result) return ::testing::AssertionFailure() << "it succeeded";
  for (const std::string& word : words) {
    if (result.error().message.find(word) == std::string::npos) {
      return ::testing::AssertionFailure()
             << "no \"" << word << "\" in: " << result.error().message;
    }
  }
  if (result.error().code == code) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "another code for: " << result.error().message;
}

}  // namespace zhuzi::testing
