// The receipt: a short name for everything but the request that an answer depends on (NUMERICS,
// 12).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads.h"
#include "formats/gguf.h"
#include "kernels/attention.h"

namespace zhuzi {

struct ReceiptParts {
  const std::vector<NamedTensor>* tensors = nullptr;
  std::uint64_t tokenizer = 0;  ///< Tokenizer::fingerprint.
  std::string_view chat_template;
  kernels::KvFormat kv_format = kernels::KvFormat::f16;
};

/// "z<revision>-<kv format>-<rope variant>". The variant is "fixed": no scaling that is there
/// depends on the configured context.
[[nodiscard]] std::string numerics_id(kernels::KvFormat kv_format);

/// `zhuzi-` and 16 hexadecimal digits. Weights enter by XXH3-128 of each tensor in pieces of 1 MiB,
/// combined by name; the order of tensors in the file does not matter.
[[nodiscard]] std::string receipt_of(const ReceiptParts& parts, ThreadPool& threads);

}  // namespace zhuzi
