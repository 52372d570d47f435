// GgufKeys: the keys of a GGUF file that belong to its architecture, by the part behind the dot.
//
// Place in the journey: families read GGUF metadata through it, as they read config.json through
// ConfigReader.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/gguf.h"

namespace zhuzi {

class GgufKeys {
 public:
  /// Keys are "<architecture>.<key>". `file` outlives the reader.
  GgufKeys(const GgufFile& file, std::string_view architecture)
      : file_(file), architecture_(architecture) {}

  [[nodiscard]] const GgufFile& file() const { return file_; }
  [[nodiscard]] std::string full(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return file_.find(full(key)) != nullptr; }

  // Error: corrupt_file where the key is missing or has another type.
  [[nodiscard]] Result<std::size_t> size(std::string_view key) const;
  [[nodiscard]] Result<double> real(std::string_view key) const;
  [[nodiscard]] Result<std::size_t> size_or(std::string_view key, std::size_t fallback) const;
  [[nodiscard]] Result<double> real_or(std::string_view key, double fallback) const;
  [[nodiscard]] Result<std::string_view> text_or(std::string_view key,
                                                 std::string_view fallback) const;

  /// `general.name`, or nothing.
  [[nodiscard]] Result<std::string> name() const;
  /// Entries of the tokenizer's list; the key `vocab_size` where a file has no tokenizer.
  [[nodiscard]] Result<std::size_t> vocabulary() const;
  /// For the few facts that GGUF has no key for. Nullptr where there is no such tensor.
  [[nodiscard]] const TensorView* tensor(std::string_view name) const;

 private:
  const GgufFile& file_;
  std::string_view architecture_;
};

}  // namespace zhuzi
