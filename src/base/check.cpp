#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace zhuzi {

void check_failed(const char* what, const std::source_location& place) {
  std::fprintf(stderr, "zhuzi: internal error, please report it: %s (%s:%u, %s)\n", what,
               place.file_name(), static_cast<unsigned>(place.line()), place.function_name());
  std::abort();
}

}  // namespace zhuzi
