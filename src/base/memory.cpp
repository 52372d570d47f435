#include "base/memory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace zhuzi {
namespace {

constexpr std::size_t fallback = std::size_t{1} << 30;
constexpr std::size_t at_least = std::size_t{1} << 20;

/// The number in a file of one line; empty for "max" and for anything that is no number.
std::optional<std::size_t> number_in(const std::string& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

/// MemAvailable of /proc/meminfo, in bytes.
std::optional<std::size_t> available_on_machine() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::size_t kibibytes = 0;
  std::string unit;
  while (file >> key >> kibibytes) {
    std::getline(file, unit);
    if (key == "MemAvailable:") return kibibytes * 1024;
  }
  return std::nullopt;
}

void lower_by_group(std::size_t& bytes, const std::string& limit, const std::string& used) {
  const std::optional<std::size_t> limit_bytes = number_in(limit);
  const std::optional<std::size_t> used_bytes = number_in(used);
  if (!limit_bytes || !used_bytes) return;
  bytes = std::min(bytes, *limit_bytes > *used_bytes ? *limit_bytes - *used_bytes : at_least);
}

}  // namespace

std::size_t available_memory() {
  std::size_t bytes = available_on_machine().value_or(fallback);
  const std::string v2 = "/sys/fs/cgroup/";
  lower_by_group(bytes, v2 + "memory.max", v2 + "memory.current");
  const std::string v1 = "/sys/fs/cgroup/memory/";
  lower_by_group(bytes, v1 + "memory.limit_in_bytes", v1 + "memory.usage_in_bytes");
  return std::max(bytes, at_least);
}

}  // namespace zhuzi
