// GGUF, versions 2 and 3: one file of metadata and tensors, little endian, as llama.cpp's
// ecosystem ships models. Specification: docs/gguf.md of the ggml project.
//
//   [magic "GGUF"][version u32][tensor count u64][pair count u64]
//   [pairs: key, type, value] [tensors: name, rank, extents, type, offset]
//   [padding to general.alignment] [data]
//
// Invariant: everything in a GgufFile has been checked against the file's real size; views point
// into the mapped file and live as long as it does. Reading a hostile file is bounded work: no
// allocation is larger than the bytes that are left justify.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/file_map.h"
#include "base/result.h"
#include "tensor/view.h"

namespace zhuzi {

/// An array of a GGUF value. Numbers of every width are kept in the widest type of their kind;
/// strings are views into the file. Arrays of arrays are refused: no model uses them.
using GgufArray =
    std::variant<std::vector<std::uint64_t>, std::vector<std::int64_t>, std::vector<double>,
                 std::vector<bool>, std::vector<std::string_view>>;
using GgufValue =
    std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view, GgufArray>;

struct GgufPair {
  std::string_view key;
  GgufValue value;
};

struct NamedTensor {
  std::string name;
  TensorView view;
};

class GgufFile {
 public:
  /// Errors: not_found, io, corrupt_file (names the key or tensor and the two numbers that do not
  /// agree), unsupported (version, big endian, unknown tensor type, by name).
  [[nodiscard]] static Result<GgufFile> open(const std::filesystem::path& path);
  /// The same over memory that outlives the result: for tests and fuzzing.
  [[nodiscard]] static Result<GgufFile> read(std::span<const std::byte> bytes);

  [[nodiscard]] std::uint32_t version() const { return version_; }
  [[nodiscard]] const std::vector<GgufPair>& pairs() const { return pairs_; }
  [[nodiscard]] const std::vector<NamedTensor>& tensors() const { return tensors_; }

  [[nodiscard]] const GgufValue* find(std::string_view key) const;
  /// Missing key: empty. Wrong type or out of range: corrupt_file that names the key.
  [[nodiscard]] Result<std::optional<std::uint64_t>> integer(std::string_view key) const;
  [[nodiscard]] Result<std::optional<double>> real(std::string_view key) const;
  [[nodiscard]] Result<std::optional<bool>> boolean(std::string_view key) const;
  [[nodiscard]] Result<std::optional<std::string_view>> text(std::string_view key) const;
  /// Nullptr where the key is missing.
  [[nodiscard]] Result<const std::vector<std::string_view>*> texts(std::string_view key) const;
  /// Any integer array, as signed numbers; empty optional where the key is missing.
  [[nodiscard]] Result<std::optional<std::vector<std::int64_t>>> integers(
      std::string_view key) const;

 private:
  FileMap map_;
  std::uint32_t version_ = 0;
  std::vector<GgufPair> pairs_;
  std::vector<NamedTensor> tensors_;
};

}  // namespace zhuzi
