// The KV formats by name, and the writing of K and V into their pages.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"
#include "kernels/attention.h"
#include "kernels/internal/attention_task.h"
#include "kernels/internal/vec_split.h"

namespace zhuzi::kernels {
namespace {

constexpr std::array formats{KvFormat::f32, KvFormat::f16, KvFormat::bf16};
constexpr std::size_t chunk = 64;  ///< Values of K rounded together before they are spread.

/// Writes codes down a column of a K page: [dim][token].
template <std::size_t code_bytes>
void spread(const std::byte* codes, std::size_t count, std::byte* column) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(column + i * page_tokens * code_bytes, codes + i * code_bytes, code_bytes);
  }
}

RoundingFaults operator|(const RoundingFaults& a, const RoundingFaults& b) {
  return {.has_not_finite = a.has_not_finite || b.has_not_finite,
          .has_overflow = a.has_overflow || b.has_overflow};
}

/// One row and head of K; `page` is the K page of its block, `slot` its token's place in it.
RoundingFaults store_key(const AttentionFunctions& functions, const KvLayout& layout,
                         const float* key, std::byte* page, std::size_t slot) {
  const std::size_t code_bytes = bytes_of(layout.format);
  std::array<std::byte, chunk * sizeof(float)> codes;
  RoundingFaults faults;
  for (std::size_t d = 0; d < layout.head_length; d += chunk) {
    const std::size_t count = std::min(chunk, layout.head_length - d);
    faults = faults | functions.round(layout.format, key + d, count, codes.data());
    std::byte* column = page + (d * page_tokens + slot) * code_bytes;
    code_bytes == 4 ? spread<4>(codes.data(), count, column)
                    : spread<2>(codes.data(), count, column);
  }
  return faults;
}

}  // namespace

std::string_view name_of(KvFormat format) {
  switch (format) {
    case KvFormat::f32: return "f32";
    case KvFormat::f16: return "f16";
    case KvFormat::bf16: return "bf16";
  }
  return "unknown";
}

std::optional<KvFormat> kv_format_named(std::string_view name) {
  for (const KvFormat format : formats) {
    if (name_of(format) == name) return format;
  }
  return std::nullopt;
}

std::size_t bytes_of(KvFormat format) { return format == KvFormat::f32 ? 4 : 2; }

void store_kv(const OpContext& context, const KvPool& pool, std::size_t layer, ConstRows k,
              ConstRows v, std::span<const RowPlace> places, std::span<RowFault> faults) {
  const KvLayout& layout = pool.layout;
  check(k.columns == layout.kv_heads * layout.head_length, "store_kv: columns of k");
  check(v.columns == layout.kv_heads * layout.value_length, "store_kv: columns of v");
  check(k.rows == places.size() && v.rows == places.size() && faults.size() == places.size(),
        "store_kv: a place and a fault for each row");
  check(layer < layout.layers, "store_kv: the layer exists");
  const AttentionFunctions& functions = attention_functions(context.set);
  const std::size_t head_bytes = layout.key_page_bytes() + layout.value_page_bytes();
  for_rows(context, k.rows, k.columns + v.columns, [&](std::size_t r) {
    const std::size_t page = places[r].position / page_tokens;
    const std::size_t slot = places[r].position % page_tokens;
    check(page < places[r].blocks.size(), "store_kv: a block for the position");
    const std::size_t block = index(places[r].blocks[page]);
    check(block < pool.blocks, "store_kv: the block exists");
    std::byte* keys =
        pool.data + block * layout.block_bytes() + layer * layout.kv_heads * head_bytes;
    RoundingFaults row_faults;
    for (std::size_t h = 0; h < layout.kv_heads; ++h, keys += head_bytes) {
      row_faults =
          row_faults | store_key(functions, layout, k.row(r) + h * layout.head_length, keys, slot);
      std::byte* value =
          keys + layout.key_page_bytes() + slot * layout.value_length * bytes_of(layout.format);
      row_faults = row_faults | functions.round(layout.format, v.row(r) + h * layout.value_length,
                                                layout.value_length, value);
    }
    if (faults[r] != RowFault::none) return;
    if (row_faults.has_overflow) faults[r] = RowFault::kv_overflow;
    if (row_faults.has_not_finite) faults[r] = RowFault::not_finite;
  });
}

}  // namespace zhuzi::kernels
