// TensorTable: a file's tensors by name, and all that is wrong with them in one report.
//
// Invariant: `take` marks a tensor as used whether or not it fits, so each appears in the report
// once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "formats/gguf.h"
#include "tensor/view.h"

namespace zhuzi {

class TensorTable {
 public:
  explicit TensorTable(std::span<const NamedTensor* const> tensors);

  /// The tensor of that name and shape; nullptr, and a line of the report, where there is none.
  const TensorView* take(const std::string& name, const TensorShape& shape);
  /// Marks the tensor as used and gives it back; nullptr where there is none.
  const TensorView* take_if_there(std::string_view name);
  [[nodiscard]] bool any_begins_with(std::string_view prefix) const;

  // Further lines of the report.
  void report_type(std::string_view name, ElementType type);
  void report(std::string sentence) { broken_.push_back(std::move(sentence)); }

  /// Also reports what nobody took.
  [[nodiscard]] Result<void> result() const;

 private:
  struct Entry {
    const NamedTensor* tensor;
    bool used = false;
  };
  std::vector<Entry> entries_;  ///< In the order of the file.
  std::unordered_map<std::string_view, std::size_t> positions_;
  std::vector<std::string> missing_, misshapen_, types_, broken_;
};

}  // namespace zhuzi
