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

class Tokenizer {
 public:
  /// From a GGUF file's metadata. Errors: corrupt_file, unsupported (names the tokenizer model or
  /// the pre-tokenizer that is not known; nothing falls back to another one).
  [[nodiscard]] static Result<Tokenizer> from_gguf(const GgufFile& file);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  [[nodiscard]] std::size_t size() const;

  /// The ids of the whole text. Splitting a text into pieces changes nothing but which control
  /// tokens are recognized: words and merges run across piece borders. `offsets`, where given,
  /// receives for each token the byte range of the joined text that it covers.
  [[nodiscard]] std::vector<TokenId> encode(std::span<const TextPiece> pieces,
                                            std::vector<std::pair<std::size_t, std::size_t>>*
                                                offsets = nullptr) const;
  /// One piece.
  [[nodiscard]] std::vector<TokenId> encode(std::string_view text,
                                            bool may_hold_control_tokens = false) const;

  /// The bytes that a token stands for; valid as long as the tokenizer. `id` is below size().
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
