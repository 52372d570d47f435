// Text and JSON files of a model folder: config.json, the index of shards, templates.
//
// Place in the journey: read once while a model is loaded; what comes out owns its memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace zhuzi {

/// The largest tokenizer.json has 33 MB; everything else in a model folder is smaller.
inline constexpr std::size_t text_file_bytes_max = std::size_t{128} << 20;

/// Errors: not_found, io, corrupt_file (no file, empty, larger than `bytes_max`: with both sizes).
[[nodiscard]] Result<std::string> read_text_file(const std::filesystem::path& path,
                                                 std::size_t bytes_max = text_file_bytes_max);

/// Of equal keys the last one counts, as for everybody else who reads these files. Errors: as
/// above, and corrupt_file for what is no JSON. Every message names the file.
[[nodiscard]] Result<json::Value> read_json_file(const std::filesystem::path& path,
                                                 std::size_t bytes_max = text_file_bytes_max);

}  // namespace zhuzi
