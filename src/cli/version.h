// The version, from the build.
#pragma once

namespace zhuzi::cli {

inline constexpr const char* version = ZHUZI_VERSION;

}  // namespace zhuzi::cli
