// Tokenizer: text to token ids and token ids to bytes, exactly as the model's own file says.
//
// Place in the journey: after the chat template, before the engine; and at the end, one token at a
// time, through TextStream. Immutable after load; any thread.
//
// Invariant: text of a message can never become a control token. Control tokens are found only in
// text that is marked as trusted (the template's own); everything else is cut as plain text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "formats/gguf.h"

namespace zhuzi {

/// What a vocabulary entry is for. Numbers are GGUF's tokenizer.ggml.token_type.
enum class TokenKind : std::uint8_t {
  normal = 1,
  unknown = 2,
  control = 3,       ///< Begins and ends turns; gives no text when special tokens are skipped.
  user_defined = 4,  ///< Matched whole in any text, and its text is shown.
  unused = 5,
  byte = 6,
};

/// A stretch of text for `encode`.
struct TextPiece {
  std::string_view text;
  bool may_hold_control_tokens = false;  ///< True only for the template's own text.
};

/// What `decode` does with control tokens.
enum class ControlTokens : std::uint8_t { skip, spell };

class Tokenizer {
 public:
  /// The longest text that `encode` takes, all pieces together; callers refuse longer ones.
  static constexpr std::size_t text_bytes_max = std::size_t{1} << 31;

  /// From a GGUF file's metadata. Errors: corrupt_file (names the key), unsupported (names the
  /// tokenizer model or the pre-tokenizer that is not known; nothing falls back to another one).
  /// The file may be closed afterwards.
  [[nodiscard]] static Result<Tokenizer> from_gguf(const GgufFile& file);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  [[nodiscard]] std::size_t size() const;

  /// The ids of the whole text. Splitting a text into pieces changes nothing but which control
  /// tokens are recognized: words and merges run across piece borders. A control token is
  /// recognized where all its bytes are in trusted text, a user-defined one anywhere; of several
  /// that begin at one place the longest. `offsets`, where given, receives for each token the byte
  /// range of the joined text that it covers, whole characters: of tokens that share a character
  /// each has all of it. Bytes that the vocabulary has no token for are dropped, as the reference
  /// does. No token is added at the beginning; that is begin_of_text().
  [[nodiscard]] std::vector<TokenId> encode(
      std::span<const TextPiece> pieces,
      std::vector<std::pair<std::size_t, std::size_t>>* offsets = nullptr) const;
  /// One piece.
  [[nodiscard]] std::vector<TokenId> encode(std::string_view text,
                                            bool may_hold_control_tokens = false) const;

  /// The bytes of all tokens; not always whole characters.
  [[nodiscard]] std::string decode(std::span<const TokenId> ids, ControlTokens control) const;

  /// The bytes that a token stands for; none for unused entries. Valid as long as the tokenizer.
  /// `id` is below size().
  [[nodiscard]] std::string_view bytes(TokenId id) const;
  [[nodiscard]] TokenKind kind(TokenId id) const;
  /// The entry as the vocabulary spells it (`Ġthe`, `<|im_end|>`).
  [[nodiscard]] std::string_view spelling(TokenId id) const;
  /// The id of an entry by its spelling.
  [[nodiscard]] std::optional<TokenId> find(std::string_view spelling) const;

  /// The first token of every text, where the file asks for one.
  [[nodiscard]] std::optional<TokenId> begin_of_text() const;
  [[nodiscard]] std::optional<TokenId> bos() const;
  [[nodiscard]] std::optional<TokenId> eos() const;
  /// Every id that ends an answer: the file's eos, eot and eom keys; nothing is guessed by name.
  [[nodiscard]] std::span<const TokenId> end_tokens() const;

  /// A hash of everything that decides ids and bytes; part of the receipt.
  [[nodiscard]] std::uint64_t fingerprint() const;

 private:
  struct Data;
  explicit Tokenizer(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

}  // namespace zhuzi
