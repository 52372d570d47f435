#include "cli/places.h"

#include <cstdlib>

namespace zhuzi::cli {
namespace {

/// Nullptr and "" are the same to a user.
std::filesystem::path folder_from(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

std::filesystem::path models_folder() {
  const std::filesystem::path cache = folder_from("XDG_CACHE_HOME");
  return (cache.empty() ? folder_from("HOME") / ".cache" : cache) / "zhuzi" / "models";
}

std::filesystem::path default_model() {
  return models_folder() / "SmolLM2-135M-Instruct.Q4_1.gguf";
}

Result<std::filesystem::path> model_path(const std::filesystem::path& given) {
  std::error_code ignored;
  if (!given.empty()) {
    if (std::filesystem::exists(given, ignored)) return given;
    return fail(ErrorCode::not_found, "there is no model at {}; give a GGUF file with --model",
                given.string());
  }
  if (std::filesystem::exists(default_model(), ignored)) return default_model();
  return fail(ErrorCode::not_found,
              "the default model is not at {}; `./dev serve` in the source folder fetches it, or "
              "give a GGUF file with --model",
              default_model().string());
}

}  // namespace zhuzi::cli
