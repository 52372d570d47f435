#include "text/internal/vocabulary.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/hash.h"

namespace zhuzi::internal {
namespace {

/// The table is at most half full, so honest spellings need a few steps; a file that needs more was
/// made to be slow.
constexpr std::size_t probes_max = 1024;

constexpr std::uint32_t id_mask = (std::uint32_t{1} << Vocabulary::id_bits) - 1;

/// The bits of the hash that a slot keeps: the upper ones, because the lower ones choose the slot.
std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32) & ~id_mask;
}

TokenId id_of(std::uint32_t slot) { return static_cast<TokenId>((slot & id_mask) - 1); }

std::uint64_t hash_of(std::string_view text) { return hash64(std::as_bytes(std::span(text))); }

}  // namespace

Result<Vocabulary> Vocabulary::make(std::span<const std::string_view> spellings,
                                    std::vector<TokenKind> kinds, AppendBytes bytes) {
  check(spellings.size() == kinds.size(), "one kind for each spelling");
  if (spellings.empty() || spellings.size() > entries_max) {
    return fail(ErrorCode::corrupt_file, "The vocabulary has {} entries; 1 to {} are possible.",
                spellings.size(), entries_max);
  }
  std::size_t text_bytes = 0;
  for (const std::string_view spelling : spellings) text_bytes += spelling.size();
  if (text_bytes > text_bytes_max) {
    return fail(ErrorCode::corrupt_file,
                "The vocabulary has {} bytes of text; at most {} are allowed.", text_bytes,
                text_bytes_max);
  }
  Vocabulary made;
  made.kinds_ = std::move(kinds);
  made.spellings_.reserve(text_bytes);
  made.bytes_.reserve(text_bytes);
  made.spelling_ends_.reserve(spellings.size());
  made.bytes_ends_.reserve(spellings.size());
  made.slots_.resize(std::bit_ceil(spellings.size() * 2));
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    const TokenKind kind = made.kinds_[i];
    const bool is_ordinary = kind == TokenKind::normal || kind == TokenKind::byte;
    made.spellings_ += spellings[i];
    if (is_ordinary) bytes(spellings[i], made.bytes_);
    if (!is_ordinary && kind != TokenKind::unused) made.bytes_ += spellings[i];
    made.spelling_ends_.push_back(static_cast<std::uint32_t>(made.spellings_.size()));
    made.bytes_ends_.push_back(static_cast<std::uint32_t>(made.bytes_.size()));
    if (!made.insert(static_cast<TokenId>(i))) {
      return fail(ErrorCode::corrupt_file, "The spellings of the vocabulary collide on purpose.");
    }
  }
  return made;
}

bool Vocabulary::insert(TokenId id) {
  const std::uint64_t hash = hash_of(spelling(id));
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t probe = 0; probe < probes_max; ++probe) {
    std::uint32_t& slot = slots_[(hash + probe) & mask];
    const bool is_other =
        slot != 0 && ((slot & ~id_mask) != tag_of(hash) || spelling(id_of(slot)) != spelling(id));
    if (is_other) continue;
    slot = tag_of(hash) | static_cast<std::uint32_t>(index(id) + 1);
    return true;
  }
  return false;
}

std::optional<TokenId> Vocabulary::find(std::string_view wanted) const {
  const std::uint64_t hash = hash_of(wanted);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t probe = 0; probe < probes_max; ++probe) {
    const std::uint32_t slot = slots_[(hash + probe) & mask];
    if (slot == 0) return std::nullopt;
    if ((slot & ~id_mask) == tag_of(hash) && spelling(id_of(slot)) == wanted) return id_of(slot);
  }
  return std::nullopt;
}

void Vocabulary::add_to(HashStream& hash) const {
  hash.add(size());
  hash.add_bytes(std::as_bytes(std::span(kinds_)));
  hash.add_bytes(std::as_bytes(std::span(spelling_ends_)));
  hash.add(spellings_);
  hash.add_bytes(std::as_bytes(std::span(bytes_ends_)));
  hash.add(bytes_);
}

bool Vocabulary::is_text(TokenId id) const {
  return kind(id) != TokenKind::control && kind(id) != TokenKind::unused;
}

}  // namespace zhuzi::internal
