// What machine this is, for the head of every table of numbers.
#pragma once

#include <string>

namespace zhuzi::cli {

struct Machine {
  std::string processor;  ///< As the system calls it, with family and model numbers.
  std::size_t cores = 0;  ///< That this process may use.
  double load = 0;        ///< Of the last minute; numbers taken beside other work mean little.
};

[[nodiscard]] Machine this_machine();

}  // namespace zhuzi::cli
