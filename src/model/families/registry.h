// The families that this program knows.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "formats/gguf.h"
#include "model/families/family.h"

namespace zhuzi {

// Errors: corrupt_file (the file does not say what it is), unsupported (names the family or class,
// and lists the known ones).
[[nodiscard]] Result<const Family*> family_of(const GgufFile& file);
[[nodiscard]] Result<const Family*> family_of(const json::Value& config);

}  // namespace zhuzi
