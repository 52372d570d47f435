#include "cli/machine.h"

#include <fmt/format.h>

#include <fstream>

#include "base/threads.h"

namespace zhuzi::cli {
namespace {

/// The value of the first line of /proc/cpuinfo with this key.
std::string processor_fact(std::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos && line.find_last_not_of(" \t", colon - 1) + 1 == key.size()) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.processor = fmt::format("{} (family {}, model {})", processor_fact("model name"),
                                  processor_fact("cpu family"), processor_fact("model"));
  machine.cores = usable_threads();
  std::ifstream load("/proc/loadavg");
  load >> machine.load;
  return machine;
}

}  // namespace zhuzi::cli
