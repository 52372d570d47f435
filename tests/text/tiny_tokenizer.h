// A GGUF file in memory with nothing but the metadata of a tokenizer, and plain lists of ids.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/gguf.h"
#include "formats/gguf_writer.h"
#include "text/internal/byte_level.h"
#include "text/tokenizer.h"

namespace zhuzi {

using Ids = std::vector<std::int32_t>;
using Offsets = std::vector<std::pair<std::size_t, std::size_t>>;

inline Ids numbers(std::span<const TokenId> ids) {
  Ids result;
  for (const TokenId id : ids) result.push_back(static_cast<std::int32_t>(id));
  return result;
}

inline Ids encoded(const Tokenizer& tokenizer, const std::vector<TextPiece>& pieces) {
  return numbers(tokenizer.encode(pieces));
}

/// Fields are what the file will say; an empty string leaves its key out.
struct TinyTokenizer {
  std::string model = "gpt2";
  std::string splitter = "gpt-2";
  /// Entries after the 256 bytes (whose ids are the bytes), as the alphabet spells them.
  std::vector<std::string> entries = {};
  std::vector<std::string> merges = {};
  struct Special {
    std::string spelling = {};
    TokenKind kind = TokenKind::control;
  };
  /// Entries after those.
  std::vector<Special> specials = {};
  std::vector<std::pair<std::string, std::uint32_t>> ids = {};  ///< Keys without "tokenizer.ggml.".
  std::vector<std::pair<std::string, bool>> flags = {};
  bool has_bytes = true;
  bool has_tokens = true;
  bool has_kinds = true;
  bool has_merges = true;

  /// Adds the merge of two spellings and its result.
  TinyTokenizer& merge(const std::string& left, const std::string& right) {
    merges.push_back(left + " " + right);
    entries.push_back(left + right);
    return *this;
  }

  [[nodiscard]] testing::Bytes file() const;
  [[nodiscard]] Result<Tokenizer> load() const;
  /// The tokenizer of a file that is right.
  [[nodiscard]] Tokenizer tokenizer() const {
    auto loaded = load();
    if (!loaded) ADD_FAILURE() << loaded.error().message;
    return std::move(loaded).value();
  }
};

inline testing::Bytes TinyTokenizer::file() const {
  std::vector<std::string> tokens;
  for (int byte = 0; has_bytes && byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    internal::append_spelling_of_bytes({&text, 1}, tokens.emplace_back());
  }
  tokens.insert(tokens.end(), entries.begin(), entries.end());
  std::vector<std::int32_t> kinds(tokens.size(), 1);
  for (const Special& special : specials) {
    tokens.push_back(special.spelling);
    kinds.push_back(static_cast<std::int32_t>(special.kind));
  }
  testing::GgufWriter writer;
  const auto key = [](const std::string& name) { return "tokenizer.ggml." + name; };
  if (!model.empty()) writer.add(key("model"), model);
  if (!splitter.empty()) writer.add(key("pre"), splitter);
  if (has_tokens) writer.add_texts(key("tokens"), tokens);
  if (has_kinds) writer.add_array(key("token_type"), kinds);
  if (has_merges) writer.add_texts(key("merges"), merges);
  for (const auto& [name, value] : ids) writer.add(key(name), value);
  for (const auto& [name, value] : flags) writer.add(key(name), value);
  return writer.bytes();
}

inline Result<Tokenizer> TinyTokenizer::load() const {
  const testing::Bytes bytes = file();
  const auto gguf = GgufFile::read(bytes);
  if (!gguf) return std::unexpected(gguf.error());
  return Tokenizer::from_gguf(*gguf);
}

}  // namespace zhuzi
