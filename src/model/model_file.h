// ModelFile: a model on disk, opened: a GGUF file, or a folder of safetensors with its config.json.
//
// Place in the journey: the command line names a path; this finds out what it is, asks the family
// for the spec and the binder for the weights. Views in `weights` point into the mapped files and
// live as long as the ModelFile.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "formats/gguf.h"
#include "formats/safetensors.h"
#include "model/spec.h"
#include "model/weights.h"

namespace zhuzi {

/// A folder as Hugging Face writes it.
struct HuggingFaceFolder {
  std::filesystem::path path;
  json::Value config;                     ///< config.json
  std::optional<json::Value> generation;  ///< generation_config.json
  std::vector<SafetensorsFile> shards;
};

struct ModelFile {
  std::variant<GgufFile, HuggingFaceFolder> source;
  ModelSpec spec;
  ModelWeights weights;

  /// Errors: not_found, corrupt_file, unsupported (names the family, or the tensor type that no
  /// kernel computes with); the binder's error lists all tensors that do not fit.
  [[nodiscard]] static Result<ModelFile> open(const std::filesystem::path& path);
};

/// The spec as text for people (`zhuzi inspect`): also its documentation.
[[nodiscard]] std::string describe(const ModelSpec& spec);

}  // namespace zhuzi
