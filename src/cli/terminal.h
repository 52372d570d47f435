// The terminal: whether there is one, Ctrl-C, and errors in plain sentences.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "text/chat_template.h"

namespace zhuzi::cli {

/// Exit codes: 0 done, 1 failure, 2 usage, 130 stopped by Ctrl-C.
inline constexpr int exit_done = 0;
inline constexpr int exit_failure = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_interrupted = 130;

[[nodiscard]] bool is_terminal_input();
[[nodiscard]] bool is_terminal_output();
[[nodiscard]] bool is_terminal_error();

/// From now on Ctrl-C sets a flag instead of ending the program.
void catch_interrupts();
/// True once after each Ctrl-C.
[[nodiscard]] bool take_interrupt();

/// "zhuzi: message" on stderr; returns the exit code that belongs to the error.
int report(const Error& error);

/// Text to stdout, at once. False when nobody reads it any more.
bool show(std::string_view text);

/// All of stdin. Error: invalid_argument when it is more than `bytes_max` or not UTF-8.
[[nodiscard]] Result<std::string> read_input();

/// What the template's strftime_now reads: this machine's local time.
[[nodiscard]] TemplateClock local_clock();

}  // namespace zhuzi::cli
