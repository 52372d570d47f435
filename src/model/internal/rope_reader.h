// What files say about rotary positions, as a Rope: the two styles of config.json, and GGUF's keys.
//
// Invariant: a setting is read completely or refused by the name of its key; nothing of it is
// dropped.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "model/internal/config_reader.h"
#include "model/internal/gguf_keys.h"
#include "model/spec.h"

namespace zhuzi {

/// From `rope_parameters` (today's style) or `rope_scaling` and `rope_theta`, for heads that turn
/// `dims` dims. Errors: corrupt_file (incomplete, contradicting), unsupported (an unknown type or
/// key); both name the key.
[[nodiscard]] Result<Rope> rope_from_config(const ConfigReader& config, std::size_t dims,
                                            double default_theta);

/// From the keys `rope.*` and the tensor `rope_freqs.weight`. The pairing is the family's to set.
[[nodiscard]] Result<Rope> rope_from_gguf(const GgufKeys& keys, std::size_t head_length);

/// Positions that the file allows: what it names, or what YaRN stretches the original to.
[[nodiscard]] std::size_t stretched_context(std::size_t named, const Rope& rope);

}  // namespace zhuzi
