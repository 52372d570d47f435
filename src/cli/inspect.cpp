// zhuzi inspect: what a model file says about itself, and what we make of it.
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/places.h"
#include "cli/terminal.h"
#include "model/model_file.h"

namespace zhuzi::cli {
namespace {

struct InspectOptions {
  std::filesystem::path model;
  bool tensors = false;
  bool json = false;
};

std::vector<const NamedTensor*> tensors_of(const ModelFile& file) {
  std::vector<const NamedTensor*> all;
  if (const auto* gguf = std::get_if<GgufFile>(&file.source)) {
    for (const NamedTensor& tensor : gguf->tensors()) all.push_back(&tensor);
  } else {
    for (const SafetensorsFile& shard : std::get<HuggingFaceFolder>(file.source).shards) {
      for (const NamedTensor& tensor : shard.tensors()) all.push_back(&tensor);
    }
  }
  return all;
}

std::string shape_text(const TensorShape& shape) {
  std::string text;
  for (std::size_t i = 0; i < shape.rank; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : " x ", shape.extents[i]);
  }
  return text;
}

struct TypeTotals {
  std::size_t tensors = 0, elements = 0, bytes = 0;
};

std::map<std::string_view, TypeTotals> totals_of(const std::vector<const NamedTensor*>& tensors) {
  std::map<std::string_view, TypeTotals> totals;
  for (const NamedTensor* tensor : tensors) {
    TypeTotals& total = totals[info(tensor->view.type).name];
    ++total.tensors;
    total.elements += tensor->view.shape.elements();
    total.bytes += tensor->view.bytes.size();
  }
  return totals;
}

std::string as_text(const ModelFile& file, bool lists_tensors) {
  const std::vector<const NamedTensor*> tensors = tensors_of(file);
  std::string text = describe(file.spec) + "\n";
  std::size_t elements = 0;
  std::size_t bytes = 0;
  for (const auto& [name, total] : totals_of(tensors)) {
    text += fmt::format("{:<6} {:>4} tensors {:>12} weights {:>9.1f} MB\n", name, total.tensors,
                        total.elements, static_cast<double>(total.bytes) / 1e6);
    elements += total.elements;
    bytes += total.bytes;
  }
  text += fmt::format("total  {:>4} tensors {:>12} weights {:>9.1f} MB\n", tensors.size(), elements,
                      static_cast<double>(bytes) / 1e6);
  if (!lists_tensors) return text;
  for (const NamedTensor* tensor : tensors) {
    text += fmt::format("{:<6} {:<20} {}\n", info(tensor->view.type).name,
                        shape_text(tensor->view.shape), tensor->name);
  }
  return text;
}

std::string as_json(const ModelFile& file) {
  json::Writer json;
  const ModelSpec& spec = file.spec;
  json.begin_object().member("family", spec.family).member("name", spec.name);
  json.member("vocabulary", spec.vocabulary).member("width", spec.width);
  json.member("context", spec.context).member("layers", spec.layers.size());
  json.member("tied_head", spec.tied_head).member("description", describe(spec));
  json.key("tensors").begin_array();
  for (const NamedTensor* tensor : tensors_of(file)) {
    json.begin_object().member("name", tensor->name);
    json.member("type", info(tensor->view.type).name).key("shape").begin_array();
    for (std::size_t i = 0; i < tensor->view.shape.rank; ++i)
      json.value(tensor->view.shape.extents[i]);
    json.end_array().member("bytes", tensor->view.bytes.size()).end_object();
  }
  return json.end_array().end_object().text() + "\n";
}

Result<int> inspect(const InspectOptions& options) {
  const std::filesystem::path path = TRY(model_path(options.model));
  const ModelFile file = TRY(ModelFile::open(path));
  show(options.json ? as_json(file) : as_text(file, options.tensors));
  return exit_done;
}

constexpr const char* examples = R"(
Examples:
  zhuzi inspect
  zhuzi inspect --tensors model.gguf
  zhuzi inspect folder-with-safetensors --json)";

}  // namespace

void add_inspect(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command = program.add_subcommand("inspect", "Show what a model file holds");
  command->add_option("model", options->model, "GGUF file, or a folder of safetensors")
      ->envname("ZHUZI_MODEL");
  command->add_flag("--tensors", options->tensors, "List every tensor");
  command->add_flag("--json", options->json, "One JSON object");
  command->footer(examples);
  command->callback([options, &exit_code] {
    const Result<int> code = inspect(*options);
    exit_code = code ? *code : report(code.error());
  });
}

}  // namespace zhuzi::cli
