// The values of a GGUF file's pairs.
#pragma once

#include "base/result.h"
#include "formats/gguf.h"
#include "formats/internal/gguf_cursor.h"

namespace zhuzi {

/// Elements of one array; the largest vocabularies have a quarter of a million.
inline constexpr std::uint64_t gguf_array_max = std::uint64_t{1} << 24;

/// The value type and the value at the cursor. Numbers are widened, strings stay in the file.
[[nodiscard]] Result<GgufValue> read_gguf_value(GgufCursor& cursor);

}  // namespace zhuzi
