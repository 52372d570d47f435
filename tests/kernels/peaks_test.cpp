// Peaks are no fixed numbers; that they are there, and in a sane order, can be said.
#include "kernels/peaks.h"

#include <gtest/gtest.h>

#include "base/threads.h"

namespace zhuzi::kernels {
namespace {

TEST(MachinePeaks, are_positive_and_integers_are_faster_than_floats) {
  ThreadPool threads(1);
  const Result<MachinePeaks> peaks = measure_peaks({.threads = &threads, .set = best_supported()});
  ASSERT_TRUE(peaks) << peaks.error().message;
  EXPECT_GT(peaks->read_bytes, 1e8);
  EXPECT_GT(peaks->float_operations, 1e9);
  EXPECT_GT(peaks->int8_operations, peaks->float_operations);
}

}  // namespace
}  // namespace zhuzi::kernels
