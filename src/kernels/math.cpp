// The elementary functions for one value, compiled twice: where the machine has fma, with it;
// elsewhere with libm's fma, which is exact and slow. Both give the same bits.
#include "kernels/math.h"

#include "kernels/internal/math_definitions.h"
#include "kernels/internal/simd.h"
#include "kernels/isa.h"

namespace zhuzi::kernels {
namespace {

/// Read before it is set (from another file's static data), it is false, and only speed differs.
const bool has_fma = is_supported(InstructionSet::avx2);

}  // namespace

ZHUZI_AVX2_REGION
namespace with_fma {
namespace {

float exp_f32(float x) { return definition::exp_f32(x); }
float log_f32(float x) { return definition::log_f32(x); }
float tanh_f32(float x) { return definition::tanh_f32(x); }
float erf_f32(float x) { return definition::erf_f32(x); }
float sigmoid_f32(float x) { return definition::sigmoid_f32(x); }
SinCos sincos_f64(double x) { return definition::sincos_f64(x); }

}  // namespace
}  // namespace with_fma
ZHUZI_END_REGION

float exp_f32(float x) { return has_fma ? with_fma::exp_f32(x) : definition::exp_f32(x); }
float log_f32(float x) { return has_fma ? with_fma::log_f32(x) : definition::log_f32(x); }
float tanh_f32(float x) { return has_fma ? with_fma::tanh_f32(x) : definition::tanh_f32(x); }
float erf_f32(float x) { return has_fma ? with_fma::erf_f32(x) : definition::erf_f32(x); }
float sigmoid_f32(float x) {
  return has_fma ? with_fma::sigmoid_f32(x) : definition::sigmoid_f32(x);
}
SinCos sincos_f64(double x) {
  return has_fma ? with_fma::sincos_f64(x) : definition::sincos_f64(x);
}

}  // namespace zhuzi::kernels
