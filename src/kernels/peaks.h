// Peaks: what this machine can do at most, measured by loops that do nothing else.
//
// Place in the journey: `zhuzi bench` states every speed as a share of these, measured in the same
// run: machines differ, and a shared one differs from minute to minute.
//
//   read     plain vector loads over memory far larger than the caches, on all threads
//   int8     the exact dot product of bytes into int32, on registers only: AVX-512 vpdpbusd (64
//            products), AVX2 vpmaddubsw + vpmaddwd + vpaddd (32 products)
//   float    fma on registers only
#pragma once

#include "base/result.h"
#include "kernels/isa.h"

namespace zhuzi::kernels {

struct MachinePeaks {
  double read_bytes = 0;        ///< A second.
  double int8_operations = 0;   ///< Multiplications and additions a second.
  double float_operations = 0;
};

/// Takes about 0.3 s on the context's threads and 256 MiB. For scalar the numbers are those of
/// AVX2 where the machine has it. Error: out_of_memory.
[[nodiscard]] Result<MachinePeaks> measure_peaks(const OpContext& context);

}  // namespace zhuzi::kernels
