// LoadedModel: everything that serves one model, from one path.
//
// Place in the journey: the first thing that a command does. The files are mapped while they are
// read and repacked, and unmapped before this returns.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "engine/engine.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace zhuzi {

struct LoadedModel {
  std::string name;  ///< general.name, else the file's stem; lower case, blanks as '-'.
  std::unique_ptr<Tokenizer> tokenizer;
  std::optional<ChatTemplate> chat_template;
  std::unique_ptr<Engine> engine;  ///< Uses the tokenizer.
  std::string receipt;             ///< Same receipt and same request: same answer (NUMERICS, 12).
  std::size_t file_bytes = 0;
};

/// Errors: everything that the readers, the binder, the tokenizer, the template's parser and the
/// engine refuse.
[[nodiscard]] Result<LoadedModel> load_model(const std::filesystem::path& path,
                                             const EngineOptions& options);

}  // namespace zhuzi
