// See model_file.h. The path decides nothing by its name alone: a GGUF file is known by its magic,
// a folder by its config.json.
#include "model/model_file.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file_map.h"
#include "formats/text_file.h"
#include "model/binder.h"
#include "model/families/registry.h"

namespace zhuzi {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view weights_name = "model.safetensors";
constexpr std::string_view index_name = "model.safetensors.index.json";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Adds the path to an error of a reader that does not know it.
std::unexpected<Error> in_file(const fs::path& path, Error error) {
  return fail(error.code, "{}: {}", path.string(), error.message);
}

Result<ModelFile> bind_gguf(GgufFile file) {
  const Family* family = TRY(family_of(file));
  ModelSpec spec = TRY(family->from_gguf(file));
  std::vector<const NamedTensor*> tensors;
  for (const NamedTensor& tensor : file.tensors()) tensors.push_back(&tensor);
  ModelWeights weights = TRY(bind_weights(spec, family->gguf, tensors));
  return ModelFile{std::move(file), std::move(spec), std::move(weights)};
}

Result<ModelFile> bind_folder(HuggingFaceFolder folder) {
  const Family* family = TRY(family_of(folder.config));
  ModelSpec spec = TRY(family->from_config(folder.config));
  if (spec.name.empty()) spec.name = folder.path.filename().string();
  std::vector<const NamedTensor*> tensors;
  for (const SafetensorsFile& shard : folder.shards) {
    for (const NamedTensor& tensor : shard.tensors()) tensors.push_back(&tensor);
  }
  ModelWeights weights = TRY(bind_weights(spec, family->hugging_face, tensors));
  return ModelFile{std::move(folder), std::move(spec), std::move(weights)};
}

Result<ModelFile> open_gguf(const fs::path& path) {
  GgufFile file = TRY(GgufFile::open(path));
  auto model = bind_gguf(std::move(file));
  if (!model) return in_file(path, std::move(model).error());
  return model;
}

Result<ModelFile> open_folder(const fs::path& path) {
  const fs::path config = path / "config.json";
  if (!is_there(config)) {
    return fail(ErrorCode::not_found,
                "{} has no config.json, so it is no model folder. A GGUF file is named itself, not "
                "its folder.",
                path.string());
  }
  HuggingFaceFolder folder;
  std::error_code ignored;
  folder.path = fs::absolute(path, ignored).lexically_normal();
  if (!folder.path.has_filename()) folder.path = folder.path.parent_path();
  folder.config = TRY(read_json_file(config));
  const fs::path generation = path / "generation_config.json";
  if (is_there(generation)) folder.generation = TRY(read_json_file(generation));
  folder.shards = TRY(open_safetensors_folder(path));
  auto model = bind_folder(std::move(folder));
  if (!model) return in_file(path, std::move(model).error());
  return model;
}

/// A safetensors file stands for its folder only where the folder's weights are in it.
Result<ModelFile> open_safetensors(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const std::string name = path.filename().string();
  const bool shard = name.starts_with("model-") && is_there(folder / index_name);
  if (name == weights_name || shard) return open_folder(folder);
  return fail(ErrorCode::unsupported,
              "{} is not the {} of a model folder. Name a folder with config.json and its weights.",
              path.string(), weights_name);
}

Result<bool> begins_with_gguf_magic(const fs::path& path) {
  constexpr std::string_view magic = "GGUF";
  const FileMap map = TRY(FileMap::open(path));
  const auto bytes = map.bytes().first(std::min(map.bytes().size(), magic.size()));
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == magic;
}

}  // namespace

Result<ModelFile> ModelFile::open(const fs::path& path) {
  std::error_code ignored;
  if (!is_there(path)) return fail(ErrorCode::not_found, "{} does not exist.", path.string());
  if (fs::is_directory(path, ignored)) return open_folder(path);
  if (path.extension() == ".safetensors") return open_safetensors(path);
  if (TRY(begins_with_gguf_magic(path))) return open_gguf(path);
  return fail(ErrorCode::unsupported,
              "{} is neither a GGUF file nor a folder with config.json and safetensors. PyTorch's "
              ".bin and .pt files are not read, as they can run code.",
              path.string());
}

}  // namespace zhuzi
