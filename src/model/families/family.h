// Family: the functions and tables that read the files of one family of models.
//
// Place in the journey: ModelFile asks the registry for the family that a file names, its reader
// for the spec, and the binder with its storage for the weights. A family is one file in this
// folder and one line in the registry.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "formats/gguf.h"
#include "model/spec.h"
#include "model/weight_names.h"

namespace zhuzi {

struct Family {
  std::string_view architecture;  ///< GGUF's `general.architecture`.
  std::string_view model_type;    ///< config.json's `model_type`.
  std::string_view model_class;   ///< The class with a language model's head in `architectures`.

  // Errors: corrupt_file (a key is missing or impossible, by name), unsupported (a setting that
  // nobody computes, by name). The spec has passed `validate`.
  Result<ModelSpec> (*from_gguf)(const GgufFile& file);
  Result<ModelSpec> (*from_config)(const json::Value& config);

  Storage gguf;
  Storage hugging_face;
};

}  // namespace zhuzi
