// The table of splitters. A new one is a line here and a file beside split_gpt2.cpp.
#include "text/internal/split.h"

#include <algorithm>
#include <array>

namespace zhuzi::internal {
namespace {

constexpr std::array splitters = {
    Splitter{.name = "gpt-2", .word_end = gpt2_word_end},
    Splitter{.name = "gpt2", .word_end = gpt2_word_end},
    Splitter{.name = "llama-bpe",
             .word_end = llama3_word_end,
             .ignore_merges = true,
             .begins_with_bos = true},
    Splitter{.name = "llama3",
             .word_end = llama3_word_end,
             .ignore_merges = true,
             .begins_with_bos = true},
    Splitter{.name = "qwen2", .word_end = qwen2_word_end},
    Splitter{.name = "smollm", .word_end = smollm_word_end},
};

}  // namespace

const Splitter* find_splitter(std::string_view name) {
  const auto* const found = std::ranges::find(splitters, name, &Splitter::name);
  return found == splitters.end() ? nullptr : found;
}

std::string splitter_names() {
  std::string names;
  for (const Splitter& splitter : splitters) {
    if (!names.empty()) names += ", ";
    names += splitter.name;
  }
  return names;
}

}  // namespace zhuzi::internal
