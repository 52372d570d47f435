// Attention over pages of 16 tokens, and the pages themselves.
//
//   a page (one block of the cache, one layer, one KV head):
//     K as [head_length][16 tokens]    lane = token
//     V as [16 tokens][value_length]   lane = dim
//
//   the pool: [block][layer][kv head][K page][V page]
//
// The defined arithmetic (NUMERICS, rule 3), for one query row and head, keys 0 .. position:
//   s[t] = (fma chain over dims of q[d] * k[t][d], from 0) * scale; softcap: cap * tanh(s / cap);
//     then the mask
//   for each partition of 256 absolute positions with a visible key, ascending:
//     m = max s; p[t] = exp(s[t] - m), exactly 0 where masked; l = sum of p in 16 lanes (lane = t
//     mod 16), tree 8-4-2-1; o[d] = fma chain over t ascending of p[t] * v[t][d], from 0
//   the first is taken as it is, the others merged in ascending order: M' = max(M, m);
//     L = fma(L, exp(M - M'), l * exp(m - M')), O likewise
//   out = O / L + 0 (never -0: whether a masked key's exact zero was added cannot be seen)
// It is one function of (row, head): the same in a prefill chunk, a decode step, a verification.
// Scores that overflow make the row not finite; it shows at the next quantization.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/ids.h"
#include "kernels/isa.h"
#include "kernels/rows.h"

namespace zhuzi::kernels {

inline constexpr std::size_t page_tokens = 16;
inline constexpr std::size_t attention_partition = 256;

enum class KvFormat : std::uint8_t { f32, f16, bf16 };
[[nodiscard]] std::string_view name_of(KvFormat format);
[[nodiscard]] std::optional<KvFormat> kv_format_named(std::string_view name);
[[nodiscard]] std::size_t bytes_of(KvFormat format);

struct KvLayout {
  KvFormat format = KvFormat::f16;
  std::size_t layers = 0;
  std::size_t kv_heads = 0;
  std::size_t head_length = 0;   ///< Dims of K and of a query head; a multiple of 8.
  std::size_t value_length = 0;  ///< Dims of V and of an output head; a multiple of 8.

  [[nodiscard]] std::size_t key_page_bytes() const {
    return head_length * page_tokens * bytes_of(format);
  }
  [[nodiscard]] std::size_t value_page_bytes() const {
    return value_length * page_tokens * bytes_of(format);
  }
  [[nodiscard]] std::size_t block_bytes() const {
    return layers * kv_heads * (key_page_bytes() + value_page_bytes());
  }
};

/// The memory of all blocks; borrowed.
struct KvPool {
  KvLayout layout;
  std::byte* data = nullptr;
  std::size_t blocks = 0;
};

/// Where a row stands: its absolute position, and the block table of its sequence, whose entry i
/// holds positions 16 i .. 16 i + 15. Rows of one sequence follow each other, positions ascending
/// by one, and share the same `blocks`.
struct RowPlace {
  std::span<const BlockId> blocks;
  std::uint32_t position = 0;
};

/// Writes K and V of each row into its page of `layer`, rounded once to the KV format (half to
/// even). k and v are rows of kv_heads * length values. Raises kv_overflow where a finite value has
/// no finite form in the format, not_finite where the value itself is not (such values are stored
/// as zero: nothing that is not finite enters the cache).
void store_kv(const OpContext& context, const KvPool& pool, std::size_t layer, ConstRows k,
              ConstRows v, std::span<const RowPlace> places, std::span<RowFault> faults);

struct AttentionShape {
  std::size_t heads = 0;  ///< Query heads; a multiple of the KV heads. Head h reads KV head
                          ///< h / (heads / kv_heads).
  float scale = 1;
  std::size_t window = 0;  ///< Keys visible to a query, itself among them; 0: all.
  float softcap = 0;       ///< 0: none.
};

/// Scratch for `attend` with these bounds, sized at load.
[[nodiscard]] std::size_t attention_scratch_bytes(const KvLayout& layout, std::size_t heads,
                                                  std::size_t rows_max, std::size_t context_max,
                                                  std::size_t threads);

/// out[r] = attention of q[r] over the keys of its sequence up to its own position, in `layer`. K
/// and V of all rows of the step have been stored. q: heads * head_length values; out: heads *
/// value_length. Work goes to threads by (rows, heads, partitions).
void attend(const OpContext& context, const KvPool& pool, std::size_t layer,
            const AttentionShape& shape, ConstRows q, std::span<const RowPlace> places, Rows out,
            std::span<std::byte> scratch);

}  // namespace zhuzi::kernels
