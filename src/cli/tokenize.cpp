// zhuzi tokenize: text to ids, with the bytes of each token.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/places.h"
#include "cli/terminal.h"
#include "formats/gguf.h"
#include "text/tokenizer.h"

namespace zhuzi::cli {
namespace {

struct TokenizeOptions {
  std::filesystem::path model;
  std::string text;
  bool control = false;
  bool json = false;
};

/// Printable text as it is, everything else as \xNN.
std::string shown(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const utf8::Piece piece = utf8::first_piece(bytes);
    const bool is_plain =
        piece.kind == utf8::Kind::character && piece.code_point >= 0x20 && piece.code_point != 0x7F;
    for (const char byte : bytes.substr(0, piece.length)) {
      text += is_plain ? std::string(1, byte)
                       : fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    bytes.remove_prefix(piece.length);
  }
  return text;
}

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string as_json(const Tokenizer& tokenizer, std::span<const TokenId> tokens) {
  json::Writer json;
  json.begin_object().member("count", tokens.size()).key("tokens").begin_array();
  for (const TokenId token : tokens) {
    const std::string_view bytes = tokenizer.bytes(token);
    json.begin_object().member("id", static_cast<std::int32_t>(token));
    json.member("text", utf8::lossy(bytes)).member("hex", hex(bytes)).end_object();
  }
  return json.end_array().end_object().text() + "\n";
}

std::string as_table(const Tokenizer& tokenizer, std::span<const TokenId> tokens) {
  std::string table;
  for (const TokenId token : tokens) {
    const std::string_view bytes = tokenizer.bytes(token);
    table += fmt::format("{:>8}  {:<24}  {}\n", static_cast<std::int32_t>(token),
                         "'" + shown(bytes) + "'", hex(bytes));
  }
  return table + fmt::format("{} tokens\n", tokens.size());
}

Result<int> tokenize(const TokenizeOptions& options) {
  const std::filesystem::path path = TRY(model_path(options.model));
  const bool reads_input = options.text.empty() && !is_terminal_input();
  const std::string text = reads_input ? TRY(read_input()) : options.text;
  if (!utf8::is_valid(text)) return fail(ErrorCode::invalid_argument, "the text is not UTF-8");
  const GgufFile file = TRY(GgufFile::open(path));
  const Tokenizer tokenizer = TRY(Tokenizer::from_gguf(file));
  const std::vector<TokenId> tokens = tokenizer.encode(text, options.control);
  show(options.json ? as_json(tokenizer, tokens) : as_table(tokenizer, tokens));
  return exit_done;
}

constexpr const char* examples = R"(
Examples:
  zhuzi tokenize "How many tokens is this?"
  zhuzi tokenize --control "<|im_start|>user"   control tokens count as such
  zhuzi tokenize --json < letter.txt)";

}  // namespace

void add_tokenize(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<TokenizeOptions>();
  CLI::App* command = program.add_subcommand("tokenize", "Show the tokens of a text");
  command->add_option("text", options->text, "The text; nothing: read it from a pipe");
  command->add_option("-m,--model", options->model, "GGUF file (the default model where absent)")
      ->envname("ZHUZI_MODEL");
  command->add_flag("--control", options->control, "Recognize control tokens in the text");
  command->add_flag("--json", options->json, "One JSON object");
  command->footer(examples);
  command->callback([options, &exit_code] {
    const Result<int> code = tokenize(*options);
    exit_code = code ? *code : report(code.error());
  });
}

}  // namespace zhuzi::cli
