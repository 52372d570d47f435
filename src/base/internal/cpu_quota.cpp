// Reads CPU quotas of control groups.
//
// A line of /proc/self/cgroup is `number:controllers:/path`; version 2 has number 0 and no
// controllers. A quota may stand at the group or at any group above it. In a container the path may
// be that of the host and not exist here; its last ancestor, the mount itself, is then the
// container's own group, so walking up finds the right file in every arrangement.
#include "base/internal/cpu_quota.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace zhuzi::internal {
namespace {

namespace fs = std::filesystem;

/// Deeper groups than this are not followed.
constexpr int depth_max = 64;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return std::move(text).str();
}

/// `text` holds "quota period" in microseconds; anything else (max, -1, nothing) is no limit.
std::size_t limit_of(const std::string& text) {
  std::istringstream stream(text);
  long long quota = 0;
  long long period = 0;
  if (!(stream >> quota >> period) || quota <= 0 || period <= 0) return no_cpu_limit;
  return static_cast<std::size_t>((quota - 1) / period + 1);
}

std::size_t limit_at(const fs::path& group) {
  const std::string version_1 =
      text_of(group / "cpu.cfs_quota_us") + " " + text_of(group / "cpu.cfs_period_us");
  return std::min(limit_of(text_of(group / "cpu.max")), limit_of(version_1));
}

bool names_cpu(std::string_view controllers) {
  std::istringstream stream{std::string(controllers)};
  for (std::string name; std::getline(stream, name, ',');) {
    if (name == "cpu") return true;
  }
  return controllers.empty();
}

/// The limit of one line, looked up below the folder where its hierarchy is mounted.
std::size_t limit_below(const fs::path& mount, std::string_view path) {
  fs::path relative = fs::path(path).relative_path();
  std::size_t limit = limit_at(mount);
  for (int depth = 0; depth < depth_max && !relative.empty(); ++depth) {
    limit = std::min(limit, limit_at(mount / relative));
    relative = relative.parent_path();
  }
  return limit;
}

}  // namespace

std::size_t cgroup_cpu_limit(std::string_view groups, const fs::path& root) {
  std::size_t limit = no_cpu_limit;
  std::istringstream lines{std::string(groups)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (!names_cpu(controllers)) continue;
    limit = std::min(limit, limit_below(root / controllers, line.substr(second + 1)));
  }
  return limit;
}

std::size_t cgroup_cpu_limit() {
  return cgroup_cpu_limit(text_of("/proc/self/cgroup"), "/sys/fs/cgroup");
}

}  // namespace zhuzi::internal
