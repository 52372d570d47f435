// The program: reads the command line, names the commands, and ends with an exit code that means
// something (terminal.h).
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "cli/version.h"

namespace {

constexpr const char* examples = R"(
Examples:
  zhuzi chat                                   talk to the default model
  zhuzi run "Why is the sky blue?"             one answer
  echo "Say hello." | zhuzi run --json         from a pipe, with everything known about the answer
  zhuzi run --temperature 0 -m FILE.gguf "Name three rivers."
  zhuzi tokenize "How many tokens is this?"    ids and bytes
  zhuzi inspect FILE.gguf                      what a model file holds
  zhuzi bench --prompt 512 --generate 64       speed, beside what this machine can do

Every answer is a function of model, messages, parameters and seed: the same bits with any number
of threads, any instruction set, any step size.
Exit codes: 0 done, 1 failure, 2 usage, 130 stopped by Ctrl-C.)";

bool is_command(const CLI::App& program, std::string_view word) {
  const auto commands = program.get_subcommands([](const CLI::App*) { return true; });
  return std::ranges::any_of(commands,
                             [word](const CLI::App* each) { return each->get_name() == word; });
}

}  // namespace

int main(int argument_count, char** arguments) {
  namespace cli = zhuzi::cli;
  CLI::App program{"Zhuzi: an LLM inference engine that gives the same answer every time.",
                   "zhuzi"};
  program.set_version_flag("--version", std::string("zhuzi ") + cli::version);
  program.require_subcommand(1);
  program.footer(examples);
  program.get_formatter()->column_width(40);
  int exit_code = cli::exit_done;
  cli::add_chat(program, exit_code);
  cli::add_run(program, exit_code);
  cli::add_tokenize(program, exit_code);
  cli::add_inspect(program, exit_code);
  cli::add_bench(program, exit_code);
  if (argument_count == 1) {
    cli::show(program.help());
    return cli::exit_usage;
  }
  const std::string_view word = arguments[1];
  if (!word.starts_with('-') && !is_command(program, word)) {
    fmt::print(stderr, "zhuzi: there is no command '{}'. Try `zhuzi --help`.\n", word);
    return cli::exit_usage;
  }
  try {
    program.parse(argument_count, arguments);
  } catch (const CLI::ParseError& error) {
    // The library's boundary: help and version come this way too, with code 0.
    if (error.get_exit_code() == 0) return program.exit(error);
    fmt::print(stderr, "zhuzi: {}\nTry `zhuzi --help`, or `zhuzi COMMAND --help`.\n", error.what());
    return cli::exit_usage;
  }
  return exit_code;
}
