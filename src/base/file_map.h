// FileMap: a whole file as read-only memory, unmapped when the last owner goes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "base/result.h"

namespace zhuzi {

class FileMap {
 public:
  /// Errors: not_found, io (with the system's words), corrupt_file for an empty file or a folder.
  [[nodiscard]] static Result<FileMap> open(const std::filesystem::path& path);

  FileMap() = default;
  FileMap(FileMap&& other) noexcept;
  FileMap& operator=(FileMap&& other) noexcept;
  ~FileMap();

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace zhuzi
