// Splitters cut text into the words that merges stay inside of.
//
// Place in the journey: between the search for added tokens and BPE. GGUF names a splitter
// (tokenizer.ggml.pre); the pattern behind the name is a regular expression in the model's own
// tokenizer.json. Ours are written out, one kind in a file: no regex engine, no backtracking, and
// no stack that grows with the text.
//
// Invariant: words are not empty and cover the text without gaps, whatever its bytes are. All words
// of a text together cost work in proportion to its length: no character is looked at more than
// a few times.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace zhuzi::internal {

/// Where the word that begins at `begin` ends; begin < text.size().
using WordEnd = std::size_t (*)(std::string_view text, std::size_t begin);

struct Splitter {
  std::string_view name;  ///< As tokenizer.ggml.pre spells it.
  WordEnd word_end = nullptr;
  /// A word that is an entry of the vocabulary is that entry, even where merges do not lead there.
  bool ignore_merges = false;
  /// Every text begins with the BOS token where the file does not say.
  bool begins_with_bos = false;
};

/// Nullptr where no splitter has the name.
[[nodiscard]] const Splitter* find_splitter(std::string_view name);
/// The known names, for messages: "gpt-2, qwen2".
[[nodiscard]] std::string splitter_names();

// split_gpt2.cpp
[[nodiscard]] std::size_t gpt2_word_end(std::string_view text, std::size_t begin);
[[nodiscard]] std::size_t smollm_word_end(std::string_view text, std::size_t begin);
// split_llama3.cpp
[[nodiscard]] std::size_t llama3_word_end(std::string_view text, std::size_t begin);
[[nodiscard]] std::size_t qwen2_word_end(std::string_view text, std::size_t begin);

}  // namespace zhuzi::internal
