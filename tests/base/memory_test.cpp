// What is left of memory: something, and not more than there is.
#include "base/memory.h"

#include <gtest/gtest.h>
#include <sys/sysinfo.h>

namespace zhuzi {
namespace {

TEST(AvailableMemory, is_something_and_not_more_than_the_machine_has) {
  struct sysinfo machine{};
  ASSERT_EQ(sysinfo(&machine), 0);
  EXPECT_GT(available_memory(), 0u);
  EXPECT_LE(available_memory(), machine.totalram * machine.mem_unit);
}

}  // namespace
}  // namespace zhuzi
