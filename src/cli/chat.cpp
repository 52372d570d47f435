// zhuzi chat: a conversation in the terminal, or line by line from a pipe.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <string>

#include "base/utf8.h"
#include "cli/chat_session.h"
#include "cli/commands.h"
#include "cli/places.h"
#include "cli/terminal.h"

namespace zhuzi::cli {
namespace {

struct ChatOptions {
  ModelOptions model;
  AnswerOptions answer;
  std::string system;
};

/// The next line of stdin; empty at its end. Ctrl-C at the prompt gives an empty line.
std::optional<std::string> read_line(bool is_interactive) {
  if (is_interactive) show("\n> ");
  std::string line;
  if (std::getline(std::cin, line)) return line;
  if (is_interactive && take_interrupt()) {
    std::cin.clear();
    std::clearerr(stdin);
    show("\n(/exit or Ctrl-D leaves)\n");
    return "";
  }
  return std::nullopt;
}

Result<int> converse(LoadedModel& model, const ChatOptions& options) {
  ChatSession session(model, options.answer, options.system);
  const bool is_interactive = is_terminal_input() && is_terminal_output();
  if (is_interactive) {
    show(fmt::format("{} is ready. Write a message; /help lists the commands.\n", model.name));
  }
  bool is_read = true;
  int code = exit_done;
  const auto sink = [&](std::string_view text) { return is_read = is_read && show(text); };
  while (is_read) {
    const std::optional<std::string> line = read_line(is_interactive);
    if (!line) break;
    if (!utf8::is_valid(*line)) {
      code = report({ErrorCode::invalid_argument, "the line is not UTF-8 text"});
      continue;
    }
    const Result<ChatSession::Next> next = session.line(*line, sink, take_interrupt);
    if (!next) {
      code = report(next.error());
      continue;
    }
    if (*next == ChatSession::Next::leave) break;
    if (!is_interactive && take_interrupt()) return exit_interrupted;
  }
  if (is_interactive) show("\n");
  return is_interactive ? exit_done : code;
}

Result<int> chat(const ChatOptions& options) {
  const std::filesystem::path path = TRY(model_path(options.model.model));
  const EngineOptions engine = TRY(engine_options(options.model));
  LoadedModel model = TRY(load_model(path, engine));
  if (!model.chat_template) {
    return fail(ErrorCode::invalid_argument,
                "the model's file has no chat template; `zhuzi run --raw` continues a plain text");
  }
  catch_interrupts();
  return converse(model, options);
}

constexpr const char* examples = R"(
Examples:
  zhuzi chat
  zhuzi chat --system "You answer in one sentence." --temperature 0
  printf 'Hello!\nAnd again?\n' | zhuzi chat
In the conversation: /system TEXT, /regen, /clear, /stats, /save FILE, /exit.
Ctrl-C stops an answer.)";

}  // namespace

void add_chat(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<ChatOptions>();
  CLI::App* command = program.add_subcommand("chat", "Talk to a model");
  command->add_option("--system", options->system, "The system message");
  add_model_options(*command, options->model);
  add_answer_options(*command, options->answer);
  command->footer(examples);
  command->callback([options, &exit_code] {
    const Result<int> code = chat(*options);
    exit_code = code ? *code : report(code.error());
  });
}

}  // namespace zhuzi::cli
