// ByteLevelBpe: text between added tokens to ids, for GGUF's tokenizer model "gpt2".
//
// Place in the journey: `encode` calls it for each segment: the segment is cut into words, a word
// becomes the ids of its bytes, and these are merged. Immutable after load; any thread.
//
// Invariant: it gives entries that are text only, never a control token. The bytes of what it gives
// are the segment's, without the bytes that the vocabulary has no entry for: the reference drops
// them too (SmolLM2 lacks 21, most of which UTF-8 never uses).
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/ids.h"
#include "base/result.h"
#include "text/internal/bpe_merges.h"
#include "text/internal/split.h"
#include "text/internal/vocabulary.h"

namespace zhuzi::internal {

class ByteLevelBpe {
 public:
  /// `merges` are two spellings with a space between, in the order of their ranks. Error:
  /// corrupt_file that names the merge whose parts or result are not in the vocabulary.
  [[nodiscard]] static Result<ByteLevelBpe> make(const Vocabulary& vocabulary,
                                                 std::span<const std::string_view> merges,
                                                 const Splitter& splitter);

  /// The scratch of one call of `encode`.
  class Scratch {
   public:
    explicit Scratch(const ByteLevelBpe& bpe) : merger_(bpe.merges_) {}
    [[nodiscard]] std::uint64_t steps() const { return merger_.steps(); }

   private:
    friend class ByteLevelBpe;
    Merger merger_;
    std::vector<TokenId> word_;
    std::string spelling_;
  };

  /// Appends the ids of `segment`; `vocabulary` is the one it was made of.
  void encode(const Vocabulary& vocabulary, std::string_view segment, Scratch& scratch,
              std::vector<TokenId>& ids) const;

  /// Whether the vocabulary has an entry for the byte.
  [[nodiscard]] bool has_byte(char byte) const { return id_of(byte) != no_id; }
  /// Adds the splitter's name and all merges.
  void add_to(HashStream& hash) const;

 private:
  static constexpr TokenId no_id{-1};
  [[nodiscard]] TokenId id_of(char byte) const {
    return byte_ids_[static_cast<unsigned char>(byte)];
  }

  std::array<TokenId, 256> byte_ids_{};
  MergeTable merges_;
  Splitter splitter_;
  Hash128 merges_hash_;
};

}  // namespace zhuzi::internal
