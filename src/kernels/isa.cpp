// Which instruction sets this machine has, their names, and the float control word.
#include "kernels/isa.h"

#include <xmmintrin.h>

namespace zhuzi::kernels {
namespace {

#ifdef ZHUZI_EMULATED_AVX512
constexpr bool emulates_avx512 = true;  // See internal/simd.h.
#else
constexpr bool emulates_avx512 = false;
#endif

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c");
}

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

}  // namespace

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::scalar: return "scalar";
    case InstructionSet::avx2: return "avx2";
    case InstructionSet::avx512: return "avx512";
  }
  return "unknown";
}

std::optional<InstructionSet> instruction_set_named(std::string_view name) {
  for (const InstructionSet set : all_instruction_sets) {
    if (name_of(set) == name) return set;
  }
  return std::nullopt;
}

bool is_supported(InstructionSet set) {
  __builtin_cpu_init();
  switch (set) {
    case InstructionSet::scalar: return true;
    case InstructionSet::avx2: return has_avx2();
    case InstructionSet::avx512: return has_avx2() && (emulates_avx512 || has_avx512());
  }
  return false;
}

InstructionSet best_supported() {
  InstructionSet best = InstructionSet::scalar;
  for (const InstructionSet set : all_instruction_sets) {
    if (is_supported(set)) best = set;
  }
  return best;
}

void set_float_control_word() {
  constexpr unsigned nearest_with_denormals = 0x1f80;  // No exception raises a signal either.
  _mm_setcsr(nearest_with_denormals);
}

}  // namespace zhuzi::kernels
