// Where things lie on the user's disk. The environment is read here and in options alone.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace zhuzi::cli {

/// $XDG_CACHE_HOME/zhuzi/models, else ~/.cache/zhuzi/models.
[[nodiscard]] std::filesystem::path models_folder();

/// The file that ./dev fetches: SmolLM2-135M-Instruct, Q4_1.
[[nodiscard]] std::filesystem::path default_model();

/// `given` where it is not empty, else the default model. Error: not_found, with the way out.
[[nodiscard]] Result<std::filesystem::path> model_path(const std::filesystem::path& given);

}  // namespace zhuzi::cli
