// See registry.h. A family is declared and listed here and nowhere else.
#include "model/families/registry.h"

#include <string>
#include <string_view>

#include "model/internal/config_reader.h"

namespace zhuzi {

extern const Family gpt2, llama, qwen2, qwen3;

namespace {

constexpr const Family* families[] = {&gpt2, &llama, &qwen2, &qwen3};

std::unexpected<Error> unknown(std::string_view kind, std::string_view name,
                               std::string_view Family::* column) {
  std::string known;
  for (const Family* family : families) {
    if (!known.empty()) known += ", ";
    known += family->*column;
  }
  return fail(ErrorCode::unsupported, "The {} \"{}\" is not known here; known are {}.", kind, name,
              known);
}

/// A folder may hold the body of a model without a head, or one with another head.
Result<void> check_class(const ConfigReader& config, const Family& family) {
  const json::Value* classes = config.find("architectures");
  if (classes == nullptr) return {};
  if (classes->array() == nullptr) {
    return fail(ErrorCode::corrupt_file, "{}: the key \"architectures\" must be a list.",
                config.where());
  }
  std::string_view last = "";
  for (const json::Value& value : *classes->array()) {
    last = value.string() != nullptr ? std::string_view(*value.string()) : "";
    if (last == family.model_class) return {};
  }
  return fail(ErrorCode::unsupported,
              "{}: \"architectures\" names \"{}\"; of this family only {} is known here.",
              config.where(), last, family.model_class);
}

}  // namespace

Result<const Family*> family_of(const GgufFile& file) {
  const auto name = TRY(file.text("general.architecture"));
  if (!name) return fail(ErrorCode::corrupt_file, "The key general.architecture is missing.");
  for (const Family* family : families) {
    if (family->architecture == *name) return family;
  }
  return unknown("architecture", *name, &Family::architecture);
}

Result<const Family*> family_of(const json::Value& value) {
  const ConfigReader config(value, "config.json");
  const std::string_view name = TRY(config.text("model_type"));
  for (const Family* family : families) {
    if (family->model_type != name) continue;
    TRY(check_class(config, *family));
    return family;
  }
  return unknown("model_type", name, &Family::model_type);
}

}  // namespace zhuzi
