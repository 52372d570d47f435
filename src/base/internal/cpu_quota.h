// The processor time that the process's control groups allow, as a number of CPUs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string_view>

namespace zhuzi::internal {

inline constexpr std::size_t no_cpu_limit = std::numeric_limits<std::size_t>::max();

/// The smallest quota of the group and of all groups above it, rounded up to whole CPUs. `groups`
/// is the text of /proc/self/cgroup, `root` the folder where control groups are mounted; files that
/// are missing or odd limit nothing. Knows version 1 (cpu.cfs_quota_us) and version 2 (cpu.max).
[[nodiscard]] std::size_t cgroup_cpu_limit(std::string_view groups,
                                           const std::filesystem::path& root);
/// The same for this process.
[[nodiscard]] std::size_t cgroup_cpu_limit();

}  // namespace zhuzi::internal
