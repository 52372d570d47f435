// Builds small trees of control group files in a temporary folder and reads the limit from them.
#include "base/internal/cpu_quota.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

namespace zhuzi::internal {
namespace {

namespace fs = std::filesystem;

class CpuQuota : public testing::Test {
 protected:
  CpuQuota() { fs::create_directories(root_); }
  ~CpuQuota() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  fs::path root_ = fs::temp_directory_path() / ("zhuzi-cpu-quota-" + std::to_string(getpid()));
};

TEST_F(CpuQuota, no_files_are_no_limit) {
  EXPECT_EQ(cgroup_cpu_limit("0::/\n", root_), no_cpu_limit);
  EXPECT_EQ(cgroup_cpu_limit("", root_), no_cpu_limit);
  EXPECT_EQ(cgroup_cpu_limit("rubbish\n1:cpu\n:::", root_), no_cpu_limit);
}

TEST_F(CpuQuota, version_2_rounds_up_to_whole_cpus) {
  write("a/b/cpu.max", "150000 100000\n");
  EXPECT_EQ(cgroup_cpu_limit("0::/a/b\n", root_), 2u);
  write("a/b/cpu.max", "200000 100000\n");
  EXPECT_EQ(cgroup_cpu_limit("0::/a/b\n", root_), 2u);
  write("a/b/cpu.max", "1 100000\n");
  EXPECT_EQ(cgroup_cpu_limit("0::/a/b\n", root_), 1u);
}

TEST_F(CpuQuota, the_word_max_and_odd_texts_are_no_limit) {
  for (const char* text : {"max 100000\n", "", "100000", "-5 100000", "100000 0", "x y"}) {
    write("cpu.max", text);
    EXPECT_EQ(cgroup_cpu_limit("0::/\n", root_), no_cpu_limit) << text;
  }
}

TEST_F(CpuQuota, a_group_above_limits_too) {
  write("a/cpu.max", "300000 100000\n");
  write("a/b/c/cpu.max", "800000 100000\n");
  EXPECT_EQ(cgroup_cpu_limit("0::/a/b/c\n", root_), 3u);
}

TEST_F(CpuQuota, a_path_of_the_host_falls_back_to_the_mounted_group) {
  write("cpu.max", "400000 100000\n");
  EXPECT_EQ(cgroup_cpu_limit("0::/docker/0123456789\n", root_), 4u);
}

TEST_F(CpuQuota, version_1_reads_the_hierarchy_of_the_cpu_controller) {
  write("cpu,cpuacct/pod/cpu.cfs_quota_us", "250000\n");
  write("cpu,cpuacct/pod/cpu.cfs_period_us", "100000\n");
  write("memory/pod/cpu.cfs_quota_us", "100000\n");
  write("memory/pod/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpu_limit("4:memory:/pod\n3:cpu,cpuacct:/pod\n0::/\n", root_), 3u);
  write("cpu,cpuacct/pod/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cgroup_cpu_limit("4:memory:/pod\n3:cpu,cpuacct:/pod\n0::/\n", root_), no_cpu_limit);
}

TEST_F(CpuQuota, this_process_has_at_least_one_cpu) { EXPECT_GE(cgroup_cpu_limit(), 1u); }

}  // namespace
}  // namespace zhuzi::internal
