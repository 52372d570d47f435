// What this machine can do at most: the limits that every speed is a share of.
//
// Place in the journey: `zhuzi bench` and the kernel laboratory measure them in the same run as the
// product itself, because machines differ and shared ones change by the second.
#pragma once

#include "base/result.h"
#include "kernels/isa.h"

namespace zhuzi::kernels {

/// Per second, on all threads of the context together.
struct MachinePeaks {
  double read_bytes = 0;        ///< Plain reads of memory far larger than the caches.
  double int8_operations = 0;   ///< Products and sums of 8-bit integers into 32 bits.
  double float_operations = 0;  ///< Products and sums of floats.
};

/// Takes about 0.3 seconds and 128 MiB. Error: out_of_memory.
[[nodiscard]] Result<MachinePeaks> measure_peaks(const OpContext& context);

}  // namespace zhuzi::kernels
