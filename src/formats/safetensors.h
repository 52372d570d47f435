// safetensors: named tensors after one JSON header, in one file or in shards with an index.
// Specification: the safetensors project's README ("Format").
//
//   [header length u64][header: one JSON object][data]
//
// Invariant: the ranges of all tensors are inside the file, in the size that type and shape ask
// for, without overlap or hole; views point into the mapped files.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "base/file_map.h"
#include "base/result.h"
#include "formats/gguf.h"

namespace zhuzi {

class SafetensorsFile {
 public:
  /// Errors: not_found, io, corrupt_file (names tensor and numbers), unsupported (dtype by name).
  [[nodiscard]] static Result<SafetensorsFile> open(const std::filesystem::path& path);
  [[nodiscard]] static Result<SafetensorsFile> read(std::span<const std::byte> bytes);

  [[nodiscard]] const std::vector<NamedTensor>& tensors() const { return tensors_; }

 private:
  FileMap map_;
  std::vector<NamedTensor> tensors_;
};

/// All tensors of a Hugging Face model folder: `model.safetensors`, or the shards that
/// `model.safetensors.index.json` names (each must lie in the folder itself). A tensor that the
/// index promises and no shard has, or that two shards have, is corrupt_file by name.
[[nodiscard]] Result<std::vector<SafetensorsFile>> open_safetensors_folder(
    const std::filesystem::path& folder);

}  // namespace zhuzi
