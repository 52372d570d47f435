// The loops that peaks.cpp times: one for each limit and instruction set, on one thread.
#pragma once

#include <array>
#include <cstddef>

#include "kernels/isa.h"

namespace zhuzi::kernels {

struct PeakLoops {
  void (*read)(const std::byte* memory, std::size_t bytes) = nullptr;  ///< Multiples of 256 bytes.
  void (*int8)(std::size_t steps) = nullptr;
  void (*f32)(std::size_t steps) = nullptr;
  double int8_operations = 0;  ///< Of one step.
  double f32_operations = 0;
};
[[nodiscard]] const PeakLoops& peak_loops(InstructionSet set);

}  // namespace zhuzi::kernels
