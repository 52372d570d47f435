// check: a condition that only a bug can break. On in release; stops the program with the place.
#pragma once

#include <source_location>

namespace zhuzi {

/// Reports `what` and the place on stderr and aborts. Out of line, so that `check` stays small.
[[noreturn]] void check_failed(const char* what, const std::source_location& place);

inline void check(bool condition, const char* what,
                  const std::source_location place = std::source_location::current()) {
  if (!condition) [[unlikely]]
    check_failed(what, place);
}

}  // namespace zhuzi
