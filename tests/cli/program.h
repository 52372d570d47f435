// Runs the built program as a user would, through a shell, and keeps what it prints.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "base/scratch_folder.h"

namespace zhuzi::testing {

struct Ran {
  int exit_code = -1;
  std::string out;
  std::string err;
};

/// `arguments` as written behind the program's name in a shell; stdin is `input`.
inline Ran run_program(const std::string& arguments, const std::string& input = "") {
  const ScratchFolder folder;
  const std::string in = folder.write("in", input).string();
  const std::string err = (folder.path() / "err").string();
  const std::string command =
      std::string("\"") + ZHUZI_BINARY + "\" " + arguments + " < " + in + " 2> " + err;
  Ran ran;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof(buffer), pipe)) {
    ran.out.append(buffer, count);
  }
  const int status = pclose(pipe);
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ifstream file(err, std::ios::binary);
  ran.err.assign(std::istreambuf_iterator<char>(file), {});
  return ran;
}

}  // namespace zhuzi::testing
