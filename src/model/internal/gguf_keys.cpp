// See gguf_keys.h.
#include "model/internal/gguf_keys.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace zhuzi {

std::string GgufKeys::full(std::string_view key) const {
  return fmt::format("{}.{}", architecture_, key);
}

Result<std::size_t> GgufKeys::size(std::string_view key) const {
  const std::optional<std::uint64_t> value = TRY(file_.integer(full(key)));
  if (!value) return fail(ErrorCode::corrupt_file, "The key {} is missing.", full(key));
  return static_cast<std::size_t>(*value);
}

Result<double> GgufKeys::real(std::string_view key) const {
  const std::optional<double> value = TRY(file_.real(full(key)));
  if (!value) return fail(ErrorCode::corrupt_file, "The key {} is missing.", full(key));
  return *value;
}

Result<std::size_t> GgufKeys::size_or(std::string_view key, std::size_t fallback) const {
  return has(key) ? size(key) : fallback;
}

Result<double> GgufKeys::real_or(std::string_view key, double fallback) const {
  return has(key) ? real(key) : fallback;
}

Result<std::string_view> GgufKeys::text_or(std::string_view key, std::string_view fallback) const {
  const std::optional<std::string_view> value = TRY(file_.text(full(key)));
  return value.value_or(fallback);
}

Result<std::string> GgufKeys::name() const {
  const std::optional<std::string_view> value = TRY(file_.text("general.name"));
  return std::string(value.value_or(""));
}

Result<std::size_t> GgufKeys::vocabulary() const {
  const std::vector<std::string_view>* tokens = TRY(file_.texts("tokenizer.ggml.tokens"));
  if (tokens != nullptr) return tokens->size();
  return size("vocab_size");
}

const TensorView* GgufKeys::tensor(std::string_view name) const {
  for (const NamedTensor& tensor : file_.tensors()) {
    if (tensor.name == name) return &tensor.view;
  }
  return nullptr;
}

}  // namespace zhuzi
