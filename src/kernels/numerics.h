// The revision of the arithmetic. Raised together with the goldens whenever a change alters a bit.
#pragma once

namespace zhuzi::kernels {

inline constexpr int numerics_revision = 1;

}  // namespace zhuzi::kernels
