#include "cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <string>

#include "base/utf8.h"

namespace zhuzi::cli {
namespace {

constexpr std::size_t input_bytes_max = std::size_t{64} << 20;

/// The one thing that a signal handler may touch.
std::atomic<bool> was_interrupted{false};  // tidy: mutable global, written by the signal handler.

void on_interrupt(int) { was_interrupted.store(true); }

}  // namespace

bool is_terminal_input() { return isatty(STDIN_FILENO) == 1; }
bool is_terminal_output() { return isatty(STDOUT_FILENO) == 1; }
bool is_terminal_error() { return isatty(STDERR_FILENO) == 1; }

void catch_interrupts() {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  // No SA_RESTART: a blocked read comes back, so that a prompt can react.
  sigaction(SIGINT, &action, nullptr);
  // A reader that has gone (`| head`) is seen where the write fails.
  std::signal(SIGPIPE, SIG_IGN);
}

bool take_interrupt() { return was_interrupted.exchange(false); }

int report(const Error& error) {
  std::fflush(stdout);
  std::string message = error.message;
  if (!message.empty() && message.back() == '.') message.pop_back();
  fmt::print(stderr, "zhuzi: {}.\n", message);
  return error.code == ErrorCode::invalid_argument ? exit_usage : exit_failure;
}

bool show(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

Result<std::string> read_input() {
  std::string text;
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = read(STDIN_FILENO, buffer, sizeof(buffer));
    if (count == 0) break;
    if (count < 0) return fail(ErrorCode::io, "the input cannot be read");
    text.append(buffer, static_cast<std::size_t>(count));
    if (text.size() > input_bytes_max) {
      return fail(ErrorCode::invalid_argument, "the input is longer than {} bytes",
                  input_bytes_max);
    }
  }
  if (!utf8::is_valid(text))
    return fail(ErrorCode::invalid_argument, "the input is not UTF-8 text");
  return text;
}

TemplateClock local_clock() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return {.local_seconds = static_cast<std::int64_t>(now) + local.tm_gmtoff};
}

}  // namespace zhuzi::cli
