// The commands: each adds itself to the program, with help and examples, and runs when it is named.
#pragma once

#include <CLI/CLI.hpp>

namespace zhuzi::cli {

/// Each sets `exit_code` when its command has run.
void add_run(CLI::App& program, int& exit_code);
void add_chat(CLI::App& program, int& exit_code);
void add_tokenize(CLI::App& program, int& exit_code);
void add_inspect(CLI::App& program, int& exit_code);
void add_bench(CLI::App& program, int& exit_code);

}  // namespace zhuzi::cli
