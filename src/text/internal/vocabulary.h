// Vocabulary: the entries of a tokenizer, by id and by spelling.
//
// Place in the journey: the ground of every tokenizer model. Immutable after load; any thread.
//
// Invariant: ids are 0 to size() - 1. All text lies in two arenas of the vocabulary's own, so the
// file may be closed, and loading allocates nothing for a single entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "base/result.h"
#include "text/tokenizer.h"

namespace zhuzi::internal {

class Vocabulary {
 public:
  /// The tables of entries and merges keep an id in 21 bits, with a value to spare for empty. The
  /// largest vocabularies have 2^18 entries.
  static constexpr unsigned id_bits = 21;
  static constexpr std::size_t entries_max = (std::size_t{1} << id_bits) - 1;
  static constexpr std::size_t text_bytes_max = std::size_t{1} << 30;

  /// Appends the bytes that the spelling of an ordinary entry stands for.
  using AppendBytes = void (*)(std::string_view spelling, std::string& bytes);

  /// `kinds` has one for each spelling. Of entries with one spelling `find` gives the last.
  /// Error: corrupt_file for too many entries, too much text, or spellings chosen to be slow.
  [[nodiscard]] static Result<Vocabulary> make(std::span<const std::string_view> spellings,
                                               std::vector<TokenKind> kinds, AppendBytes bytes);

  [[nodiscard]] std::size_t size() const { return kinds_.size(); }
  [[nodiscard]] TokenKind kind(TokenId id) const { return kinds_[index(id)]; }
  [[nodiscard]] std::string_view spelling(TokenId id) const {
    return part(spellings_, spelling_ends_, id);
  }
  /// Of ordinary entries what their spelling stands for, of unused ones nothing, of all others the
  /// spelling itself.
  [[nodiscard]] std::string_view bytes(TokenId id) const { return part(bytes_, bytes_ends_, id); }
  [[nodiscard]] std::optional<TokenId> find(std::string_view spelling) const;
  /// Whether cutting plain text may give the entry: control tokens only ever come from trusted
  /// text.
  [[nodiscard]] bool is_text(TokenId id) const;
  /// Adds all spellings, kinds and bytes.
  void add_to(HashStream& hash) const;

 private:
  using Ends = std::vector<std::uint32_t>;
  static std::string_view part(const std::string& arena, const Ends& ends, TokenId id) {
    const std::size_t begin = index(id) == 0 ? 0 : ends[index(id) - 1];
    return std::string_view(arena).substr(begin, ends[index(id)] - begin);
  }
  [[nodiscard]] bool insert(TokenId id);

  std::string spellings_;
  Ends spelling_ends_;
  std::string bytes_;
  Ends bytes_ends_;
  std::vector<TokenKind> kinds_;
  /// Open addressing. A slot is the id plus 1 (0 is empty), and above it bits of the hash, so that
  /// hardly any other spelling is looked at.
  std::vector<std::uint32_t> slots_;
};

}  // namespace zhuzi::internal
