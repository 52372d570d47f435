// How much memory this process may still take: the least of what the machine has available and what
// its control groups (v2 and v1) leave.
#pragma once

#include <cstddef>

namespace zhuzi {

/// Bytes; never 0. Where nothing can be read, a cautious 1 GiB.
[[nodiscard]] std::size_t available_memory();

}  // namespace zhuzi
