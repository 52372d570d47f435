// Goldens: what a model computes in float64, as the files beside tiny models say it.
//
//   golden.json         prompts (ids), greedy continuations with their margins
//   golden.safetensors  short.logits [7 x V], long.logits [45 x V], and for the short prompt
//                       short.embed, short.layer0.., short.final_norm [7 x width]
#pragma once

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/json.h"
#include "formats/safetensors.h"
#include "formats/text_file.h"

namespace zhuzi::reference {

struct GoldenArray {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;
};

struct GoldenPrompt {
  std::string name;  ///< "short" or "long".
  std::vector<TokenId> ids;
  std::vector<TokenId> greedy;  ///< The argmax at the end of ids, then after each of these.
  std::vector<double> margins;  ///< Of each greedy token over the second best logit.
};

struct Golden {
  std::vector<GoldenPrompt> prompts;
  std::map<std::string, GoldenArray> arrays;

  /// Nullptr where the golden has no such array.
  [[nodiscard]] const GoldenArray* find(const std::string& name) const {
    const auto found = arrays.find(name);
    return found == arrays.end() ? nullptr : &found->second;
  }
};

/// A model with its golden: the path that ModelFile::open takes, and the stem of the golden's
/// files.
struct GoldenModel {
  std::string name;
  std::filesystem::path model;
  std::filesystem::path golden;
  bool quantized = false;
};

/// All tiny models of the test data.
inline std::vector<GoldenModel> golden_models() {
  const std::filesystem::path data = ZHUZI_TEST_DATA;
  std::vector<GoldenModel> models;
  for (const std::string name : {"llama_mha", "llama_gqa_llama3rope", "llama_linear", "llama_yarn",
                                 "llama_bias_tied", "qwen2", "qwen2_swa_mixed", "qwen3", "gpt2"}) {
    const auto folder = data / "models" / name;
    models.push_back({.name = name, .model = folder, .golden = folder / "golden"});
  }
  for (const std::string name : {"llama", "qwen3"}) {
    const auto stem = data / "gguf_models" / name;
    models.push_back({.name = "gguf_" + name,
                      .model = stem.string() + ".gguf",
                      .golden = stem.string() + ".golden",
                      .quantized = true});
  }
  return models;
}

namespace internal {

inline std::vector<TokenId> ids_of(const json::Value* list) {
  check(list != nullptr && list->array() != nullptr, "the golden has the ids");
  std::vector<TokenId> ids;
  for (const json::Value& id : *list->array()) {
    ids.push_back(static_cast<TokenId>(id.integer().value()));
  }
  return ids;
}

inline GoldenPrompt prompt_of(const json::Value& value) {
  const json::Value* greedy = value.find("greedy");
  check(greedy != nullptr && value.find("name") != nullptr, "the golden has the prompt");
  GoldenPrompt prompt{.name = *value.find("name")->string(),
                      .ids = ids_of(value.find("ids")),
                      .greedy = ids_of(greedy->find("ids")),
                      .margins = {}};
  for (const json::Value& margin : *greedy->find("margins")->array()) {
    prompt.margins.push_back(margin.real().value());
  }
  return prompt;
}

}  // namespace internal

/// Of `stem`.json and `stem`.safetensors; a broken golden ends the test program.
inline Golden read_golden(const std::filesystem::path& stem) {
  const auto json = read_json_file(stem.string() + ".json");
  check(json.has_value(), "the golden's JSON can be read");
  const auto tensors = SafetensorsFile::open(stem.string() + ".safetensors");
  check(tensors.has_value(), "the golden's arrays can be read");
  Golden golden;
  for (const json::Value& prompt : *json->find("prompts")->array()) {
    golden.prompts.push_back(internal::prompt_of(prompt));
  }
  for (const NamedTensor& tensor : tensors->tensors()) {
    check(tensor.view.type == ElementType::f32, "a golden is F32");
    GoldenArray array{.rows = tensor.view.shape.rows(),
                      .columns = tensor.view.shape.columns(),
                      .values = std::vector<float>(tensor.view.shape.elements())};
    std::memcpy(array.values.data(), tensor.view.bytes.data(), tensor.view.bytes.size());
    golden.arrays.emplace(tensor.name, std::move(array));
  }
  return golden;
}

}  // namespace zhuzi::reference
