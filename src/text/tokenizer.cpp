// `encode` joins the pieces, finds the added tokens, and gives what lies between them to the model,
// which cuts it into words and merges. Another model (SentencePiece, unigram) is another class
// beside ByteLevelBpe and one more case in `from_gguf`.
#include "text/tokenizer.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "text/internal/added_tokens.h"
#include "text/internal/bpe.h"
#include "text/internal/byte_level.h"
#include "text/internal/split.h"
#include "text/internal/vocabulary.h"

namespace zhuzi {

using internal::AddedMatch;
using internal::AddedTokens;
using internal::ByteLevelBpe;
using internal::ByteRange;
using internal::Splitter;
using internal::Vocabulary;

namespace {

using Offsets = std::vector<std::pair<std::size_t, std::size_t>>;

constexpr std::string_view model_key = "tokenizer.ggml.model";
constexpr std::string_view splitter_key = "tokenizer.ggml.pre";
constexpr std::string_view tokens_key = "tokenizer.ggml.tokens";
constexpr std::string_view kinds_key = "tokenizer.ggml.token_type";
constexpr std::string_view merges_key = "tokenizer.ggml.merges";
constexpr std::string_view bos_key = "tokenizer.ggml.bos_token_id";
constexpr std::string_view eos_key = "tokenizer.ggml.eos_token_id";
constexpr std::string_view add_bos_key = "tokenizer.ggml.add_bos_token";
constexpr std::string_view add_space_key = "tokenizer.ggml.add_space_prefix";
constexpr std::array end_keys = {eos_key, std::string_view("tokenizer.ggml.eot_token_id"),
                                 std::string_view("tokenizer.ggml.eom_token_id")};

std::unexpected<Error> missing(std::string_view key) {
  return fail(ErrorCode::corrupt_file, "The model file has no '{}'.", key);
}

Result<const Splitter*> read_splitter(const GgufFile& file) {
  const auto model = TRY(file.text(model_key));
  if (!model) return missing(model_key);
  if (*model != "gpt2") {
    return fail(ErrorCode::unsupported,
                "The tokenizer model {} is not supported; the known one is: gpt2.",
                json::excerpt(*model));
  }
  const auto name = TRY(file.text(splitter_key));
  if (!name) return missing(splitter_key);
  const Splitter* splitter = internal::find_splitter(*name);
  if (splitter == nullptr) {
    return fail(ErrorCode::unsupported,
                "The pre-tokenizer {} is not supported; the known ones are: {}.",
                json::excerpt(*name), internal::splitter_names());
  }
  if (TRY(file.boolean(add_space_key)).value_or(false)) {
    return fail(ErrorCode::unsupported, "'{}' is not supported for the tokenizer model '{}'.",
                add_space_key, *model);
  }
  return splitter;
}

/// Without the key every entry is normal.
Result<std::vector<TokenKind>> read_kinds(const GgufFile& file, std::size_t size) {
  std::vector<TokenKind> kinds(size, TokenKind::normal);
  const auto numbers = TRY(file.integers(kinds_key));
  if (!numbers) return kinds;
  if (numbers->size() != size) {
    return fail(ErrorCode::corrupt_file, "'{}' has {} entries and '{}' has {}.", kinds_key,
                numbers->size(), tokens_key, size);
  }
  for (std::size_t i = 0; i < size; ++i) {
    const std::int64_t number = (*numbers)[i];
    if (number < static_cast<std::int64_t>(TokenKind::normal) ||
        number > static_cast<std::int64_t>(TokenKind::byte)) {
      return fail(ErrorCode::corrupt_file, "'{}' has the unknown type {} for token {}.", kinds_key,
                  number, i);
    }
    kinds[i] = static_cast<TokenKind>(number);
  }
  return kinds;
}

Result<Vocabulary> read_vocabulary(const GgufFile& file) {
  const auto* const tokens = TRY(file.texts(tokens_key));
  if (tokens == nullptr) return missing(tokens_key);
  auto kinds = TRY(read_kinds(file, tokens->size()));
  return Vocabulary::make(*tokens, std::move(kinds), internal::append_bytes_of_spelling);
}

Result<std::optional<TokenId>> read_id(const GgufFile& file, std::string_view key,
                                       std::size_t size) {
  const auto number = TRY(file.integer(key));
  if (!number) return std::optional<TokenId>();
  if (*number >= size) {
    return fail(ErrorCode::corrupt_file, "'{}' is {}, but the vocabulary has {} entries.", key,
                *number, size);
  }
  return std::optional(static_cast<TokenId>(*number));
}

/// The trusted stretches of the joined pieces; neighbours are one.
std::vector<ByteRange> trusted_ranges(std::span<const TextPiece> pieces) {
  std::vector<ByteRange> ranges;
  std::size_t begin = 0;
  for (const TextPiece& piece : pieces) {
    const std::size_t end = begin + piece.text.size();
    if (piece.may_hold_control_tokens && end > begin) {
      const bool touches = !ranges.empty() && ranges.back().end == begin;
      if (touches) ranges.back().end = end;
      if (!touches) ranges.push_back({.begin = begin, .end = end});
    }
    begin = end;
  }
  return ranges;
}

/// The range widened to the characters that its first and last byte belong to.
std::pair<std::size_t, std::size_t> whole_characters(std::string_view text, ByteRange range) {
  const auto character_of = [&](std::size_t at) {
    for (std::size_t back = 0; back < 4 && back <= at; ++back) {
      const utf8::Piece piece = utf8::first_piece(text.substr(at - back));
      if (piece.kind == utf8::Kind::character && piece.length > back) {
        return ByteRange{.begin = at - back, .end = at - back + piece.length};
      }
    }
    return ByteRange{.begin = at, .end = at + 1};
  };
  return {character_of(range.begin).begin, character_of(range.end - 1).end};
}

}  // namespace

struct Tokenizer::Data {
  Vocabulary vocabulary;
  AddedTokens added;
  ByteLevelBpe bpe;
  std::optional<TokenId> bos;
  std::optional<TokenId> eos;
  std::vector<TokenId> end_tokens;
  bool begins_with_bos = false;
  std::uint64_t fingerprint = 0;

  /// Ids of the text between two added tokens, at `range` of the joined text.
  void encode_segment(std::string_view text, ByteRange range, ByteLevelBpe::Scratch& scratch,
                      std::vector<TokenId>& ids, Offsets* offsets) const;
  [[nodiscard]] std::uint64_t hash() const;
};

void Tokenizer::Data::encode_segment(std::string_view text, ByteRange range,
                                     ByteLevelBpe::Scratch& scratch, std::vector<TokenId>& ids,
                                     Offsets* offsets) const {
  const std::size_t first = ids.size();
  bpe.encode(vocabulary, text.substr(range.begin, range.end - range.begin), scratch, ids);
  if (offsets == nullptr) return;
  std::size_t at = range.begin;
  const auto skip_dropped = [&] {
    while (at < range.end && !bpe.has_byte(text[at])) ++at;
  };
  for (std::size_t i = first; i < ids.size(); ++i) {
    skip_dropped();
    const std::size_t begin = at;
    for (std::size_t left = vocabulary.bytes(ids[i]).size(); left > 0; --left) {
      skip_dropped();
      ++at;
    }
    offsets->push_back(whole_characters(text, {.begin = begin, .end = at}));
  }
}

std::uint64_t Tokenizer::Data::hash() const {
  HashStream hash;
  vocabulary.add_to(hash);
  bpe.add_to(hash);
  hash.add(begins_with_bos ? index(*bos) + 1 : 0);
  for (const TokenId id : end_tokens) hash.add(index(id));
  return hash.digest().low;
}

Result<Tokenizer> Tokenizer::from_gguf(const GgufFile& file) {
  const Splitter* const splitter = TRY(read_splitter(file));
  const auto* const merges = TRY(file.texts(merges_key));
  if (merges == nullptr) return missing(merges_key);
  auto data = std::make_unique<Data>();
  data->vocabulary = TRY(read_vocabulary(file));
  data->added = TRY(AddedTokens::of(data->vocabulary));
  data->bpe = TRY(ByteLevelBpe::make(data->vocabulary, *merges, *splitter));
  data->bos = TRY(read_id(file, bos_key, data->vocabulary.size()));
  data->eos = TRY(read_id(file, eos_key, data->vocabulary.size()));
  for (const std::string_view key : end_keys) {
    const auto id = TRY(read_id(file, key, data->vocabulary.size()));
    if (id && std::ranges::find(data->end_tokens, *id) == data->end_tokens.end()) {
      data->end_tokens.push_back(*id);
    }
  }
  data->begins_with_bos = TRY(file.boolean(add_bos_key)).value_or(splitter->begins_with_bos);
  if (data->begins_with_bos && !data->bos) return missing(bos_key);
  data->fingerprint = data->hash();
  return Tokenizer(std::move(data));
}

Tokenizer::Tokenizer(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

std::vector<TokenId> Tokenizer::encode(std::span<const TextPiece> pieces, Offsets* offsets) const {
  std::string joined;
  std::string_view text = pieces.empty() ? std::string_view() : pieces.front().text;
  if (pieces.size() > 1) {
    for (const TextPiece& piece : pieces) joined += piece.text;
    text = joined;
  }
  check(text.size() <= text_bytes_max, "a text that is too long to encode");
  if (offsets != nullptr) offsets->clear();
  const std::vector<ByteRange> trusted = trusted_ranges(pieces);
  ByteLevelBpe::Scratch scratch(data_->bpe);
  std::vector<TokenId> ids;
  for (std::size_t at = 0; at < text.size();) {
    const auto match = data_->added.find(text, at, trusted);
    const std::size_t end = match ? match->range.begin : text.size();
    data_->encode_segment(text, {.begin = at, .end = end}, scratch, ids, offsets);
    at = end;
    if (!match) continue;
    ids.push_back(match->id);
    if (offsets != nullptr) offsets->emplace_back(match->range.begin, match->range.end);
    at = match->range.end;
  }
  return ids;
}

std::vector<TokenId> Tokenizer::encode(std::string_view text, bool may_hold_control_tokens) const {
  const TextPiece piece{.text = text, .may_hold_control_tokens = may_hold_control_tokens};
  return encode(std::span(&piece, 1));
}

std::string Tokenizer::decode(std::span<const TokenId> ids, ControlTokens control) const {
  std::string text;
  for (const TokenId id : ids) {
    const bool is_control = kind(id) == TokenKind::control;
    if (!is_control || control == ControlTokens::spell) text += bytes(id);
  }
  return text;
}

std::size_t Tokenizer::size() const { return data_->vocabulary.size(); }

std::string_view Tokenizer::bytes(TokenId id) const { return data_->vocabulary.bytes(id); }

TokenKind Tokenizer::kind(TokenId id) const { return data_->vocabulary.kind(id); }

std::string_view Tokenizer::spelling(TokenId id) const { return data_->vocabulary.spelling(id); }

std::optional<TokenId> Tokenizer::find(std::string_view spelling) const {
  return data_->vocabulary.find(spelling);
}

std::optional<TokenId> Tokenizer::begin_of_text() const {
  return data_->begins_with_bos ? data_->bos : std::nullopt;
}

std::optional<TokenId> Tokenizer::bos() const { return data_->bos; }

std::optional<TokenId> Tokenizer::eos() const { return data_->eos; }

std::span<const TokenId> Tokenizer::end_tokens() const { return data_->end_tokens; }

std::uint64_t Tokenizer::fingerprint() const { return data_->fingerprint; }

}  // namespace zhuzi
