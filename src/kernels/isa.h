// Instruction sets: one list, chosen once at start, forceable from a test and by --isa.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// Loops over the rows and panels of a tile must be unrolled completely, or the accumulators live in
// memory (half speed). -O2 does not promise that; this does.
#define ZHUZI_UNROLL _Pragma("GCC unroll 32")

namespace zhuzi {
class ThreadPool;
}

namespace zhuzi::kernels {

enum class InstructionSet : std::uint8_t { scalar, avx2, avx512 };
inline constexpr std::size_t instruction_sets = 3;
inline constexpr std::array all_instruction_sets{InstructionSet::scalar, InstructionSet::avx2,
                                                 InstructionSet::avx512};

[[nodiscard]] std::string_view name_of(InstructionSet set);
[[nodiscard]] std::optional<InstructionSet> instruction_set_named(std::string_view name);
/// True when this machine can run the set. avx2 means AVX2, FMA, F16C; avx512 means F, BW, VL,
/// VNNI.
[[nodiscard]] bool is_supported(InstructionSet set);
[[nodiscard]] InstructionSet best_supported();

/// What an operation runs on. Passed to every op; ops keep nothing between calls.
struct OpContext {
  ThreadPool* threads = nullptr;
  InstructionSet set = InstructionSet::scalar;
};

/// Sets this thread's control word to what NUMERICS rule 5 asks for: round to nearest, denormals
/// kept. Every thread that computes calls it once.
void set_float_control_word();

}  // namespace zhuzi::kernels
