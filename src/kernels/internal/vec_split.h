// Splitting the rows of an operation over the threads, where that pays.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/threads.h"
#include "kernels/isa.h"

namespace zhuzi::kernels {

/// Calls `function(part, thread)` for each part: on the caller's thread alone where there is one
/// part or no pool.
template <typename Function>
void run_parts(const OpContext& context, std::size_t parts, Function&& function) {
  if (parts > 1 && context.threads != nullptr && context.threads->threads() > 1) {
    context.threads->run(parts, function);
    return;
  }
  for (std::size_t part = 0; part < parts; ++part) function(part, std::size_t{0});
}

/// Below so many values for each thread, a barrier (a microsecond or two) costs more than it saves.
inline constexpr std::size_t values_per_part_min = 16384;

/// Calls `function(row)` for each row. Rows of one operation cost the same, so there is one part
/// for each thread.
template <typename Function>
void for_rows(const OpContext& context, std::size_t rows, std::size_t columns,
              Function&& function) {
  const std::size_t threads = context.threads == nullptr ? 1 : context.threads->threads();
  const std::size_t worth = std::max<std::size_t>(1, rows * columns / values_per_part_min);
  const std::size_t parts = std::min({rows, threads, worth});
  run_parts(context, parts, [&](std::size_t part, std::size_t) {
    for (std::size_t r = rows * part / parts; r < rows * (part + 1) / parts; ++r) function(r);
  });
}

/// One entry for each instruction set.
template <typename Functions>
const Functions& for_set(const std::array<Functions, instruction_sets>& table, InstructionSet set) {
  return table[static_cast<std::size_t>(set)];
}

}  // namespace zhuzi::kernels
