// See tensor_table.h.
#include "model/internal/tensor_table.h"

#include <algorithm>
#include <utility>

namespace zhuzi {
namespace {

/// Of each list of the report; a hostile file may have a million tensors.
constexpr std::size_t lines_max = 100;

std::string text_of(const TensorShape& shape) {
  std::string text;
  for (std::size_t i = 0; i < shape.rank; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : " x ", shape.extents[i]);
  }
  return "[" + text + "]";
}

void add_list(std::string& message, std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  message += fmt::format("\n  {}: ", title);
  for (std::size_t i = 0; i < std::min(lines.size(), lines_max); ++i) {
    message += (i == 0 ? "" : ", ") + lines[i];
  }
  if (lines.size() > lines_max) message += fmt::format(" and {} more", lines.size() - lines_max);
}

}  // namespace

TensorTable::TensorTable(std::span<const NamedTensor* const> tensors) {
  entries_.reserve(tensors.size());
  positions_.reserve(tensors.size());
  for (const NamedTensor* tensor : tensors) {
    if (!positions_.emplace(tensor->name, entries_.size()).second) {
      report(fmt::format("{} is there twice", tensor->name));
    }
    entries_.push_back({.tensor = tensor});
  }
}

const TensorView* TensorTable::take_if_there(std::string_view name) {
  const auto found = positions_.find(name);
  if (found == positions_.end()) return nullptr;
  Entry& entry = entries_[found->second];
  entry.used = true;
  return &entry.tensor->view;
}

const TensorView* TensorTable::take(const std::string& name, const TensorShape& shape) {
  const TensorView* view = take_if_there(name);
  if (view == nullptr) {
    missing_.push_back(fmt::format("{} {}", name, text_of(shape)));
    return nullptr;
  }
  if (view->shape == shape) return view;
  misshapen_.push_back(
      fmt::format("{} is {} and should be {}", name, text_of(view->shape), text_of(shape)));
  return nullptr;
}

bool TensorTable::any_begins_with(std::string_view prefix) const {
  return std::ranges::any_of(
      entries_, [&](const Entry& entry) { return entry.tensor->name.starts_with(prefix); });
}

void TensorTable::report_type(std::string_view name, ElementType type) {
  types_.push_back(fmt::format("{} is {}", name, info(type).name));
}

Result<void> TensorTable::result() const {
  std::vector<std::string> unused;
  for (const Entry& entry : entries_) {
    if (!entry.used) unused.push_back(entry.tensor->name);
  }
  if (missing_.empty() && misshapen_.empty() && types_.empty() && broken_.empty() &&
      unused.empty()) {
    return {};
  }
  std::string message = "The tensors do not fit the model that the file describes.";
  add_list(message, "Missing", missing_);
  add_list(message, "Of another shape", misshapen_);
  add_list(message, "Not used", unused);
  add_list(message, "Broken", broken_);
  add_list(message, "Of a type that is not computed yet", types_);
  const bool only_types =
      missing_.empty() && misshapen_.empty() && broken_.empty() && unused.empty();
  return std::unexpected(
      Error{only_types ? ErrorCode::unsupported : ErrorCode::corrupt_file, std::move(message)});
}

}  // namespace zhuzi
