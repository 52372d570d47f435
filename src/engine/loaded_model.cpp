#include "engine/loaded_model.h"

#include <algorithm>
#include <utility>

#include "engine/receipt.h"
#include "model/model_file.h"

namespace zhuzi {
namespace {

std::string served_name(std::string name) {
  for (char& letter : name) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (letter == ' ') letter = '-';
  }
  return name;
}

Result<std::optional<ChatTemplate>> template_of(std::string_view source) {
  if (source.empty()) return std::optional<ChatTemplate>{};
  auto parsed = ChatTemplate::parse(source);
  if (!parsed) {
    return fail(ErrorCode::unsupported, "the model's chat template cannot be read, line {}: {}",
                parsed.error().line, parsed.error().message);
  }
  return std::optional(std::move(*parsed));
}

}  // namespace

Result<LoadedModel> load_model(const std::filesystem::path& path, const EngineOptions& options) {
  const ModelFile file = TRY(ModelFile::open(path));
  const auto* gguf = std::get_if<GgufFile>(&file.source);
  if (gguf == nullptr) {
    return fail(ErrorCode::unsupported,
                "{} is a folder of safetensors: `zhuzi inspect` reads it, but its tokenizer.json "
                "cannot be read yet; use a GGUF file of the model",
                path.string());
  }
  LoadedModel model;
  model.name = served_name(file.spec.name.empty() ? path.stem().string() : file.spec.name);
  model.tokenizer = std::make_unique<Tokenizer>(TRY(Tokenizer::from_gguf(*gguf)));
  const std::string_view source = TRY(gguf->text("tokenizer.chat_template")).value_or("");
  model.chat_template = TRY(template_of(source));
  model.engine = TRY(Engine::make(file.spec, file.weights, *model.tokenizer, options));
  model.receipt = receipt_of({.tensors = &gguf->tensors(),
                              .tokenizer = model.tokenizer->fingerprint(),
                              .chat_template = source,
                              .kv_format = options.kv_format},
                             *model.engine->context().threads);
  for (const NamedTensor& tensor : gguf->tensors()) model.file_bytes += tensor.view.bytes.size();
  return model;
}

}  // namespace zhuzi
