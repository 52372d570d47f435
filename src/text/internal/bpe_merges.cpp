// Most words are a few bytes: for them a look at all ranks is faster than any structure. Long words
// are a linked list with a heap of pairs. A pair that no longer exists stays in the heap and is
// recognized by its rank when it comes up, so each merge adds at most two entries.
#include "text/internal/bpe_merges.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "base/check.h"

namespace zhuzi::internal {
namespace {

/// The table is at most half full, so honest pairs need a few steps; a file that needs more was
/// made to be slow.
constexpr std::size_t probes_max = 1024;

}  // namespace

Result<MergeTable> MergeTable::make(const std::vector<Merge>& merges) {
  if (merges.size() > merges_max) {
    return fail(ErrorCode::corrupt_file, "The tokenizer has {} merges; at most {} are possible.",
                merges.size(), merges_max);
  }
  MergeTable table;
  const std::size_t size = std::bit_ceil(std::max<std::size_t>(merges.size(), 1) * 2);
  table.slots_.assign(size, empty);
  table.mask_ = size - 1;
  table.shift_ = 64 - static_cast<unsigned>(std::bit_width(size - 1));
  table.results_.reserve(merges.size());
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const Merge& merge = merges[rank];
    const std::uint64_t pair = pair_of(merge.left, merge.right);
    table.results_.push_back(merge.result);
    std::size_t at = table.home_of(pair);
    std::size_t probes = 1;
    while (table.slots_[at] != empty && table.slots_[at] >> rank_bits != pair) {
      at = (at + 1) & table.mask_;
      if (++probes > probes_max) {
        return fail(ErrorCode::corrupt_file, "The merges of the tokenizer collide on purpose.");
      }
    }
    if (table.slots_[at] == empty) table.slots_[at] = pair << rank_bits | rank;
  }
  return table;
}

void Merger::merge(std::vector<TokenId>& word) {
  if (word.size() < 2) return;
  if (word.size() <= short_word_max) {
    merge_short(word);
  } else {
    merge_long(word);
  }
}

void Merger::merge_short(std::vector<TokenId>& word) {
  std::array<std::uint32_t, short_word_max> ranks{};  // ranks[i]: of the pair i, i + 1
  std::size_t pairs = word.size() - 1;
  for (std::size_t i = 0; i < pairs; ++i) ranks[i] = merges_.rank(word[i], word[i + 1]);
  while (pairs > 0) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < pairs; ++i) best = ranks[i] < ranks[best] ? i : best;
    steps_ += pairs;
    if (ranks[best] == MergeTable::no_rank) break;
    word[best] = merges_.result(ranks[best]);
    --pairs;
    for (std::size_t i = best; i < pairs; ++i) {
      ranks[i] = ranks[i + 1];
      word[i + 1] = word[i + 2];
    }
    if (best > 0) ranks[best - 1] = merges_.rank(word[best - 1], word[best]);
    if (best < pairs) ranks[best] = merges_.rank(word[best], word[best + 1]);
  }
  word.resize(pairs + 1);
}

/// Ranks the pair that begins at `left` anew and queues it where it merges.
void Merger::rank_pair(std::uint32_t left) {
  Symbol& symbol = symbols_[left];
  symbol.rank =
      symbol.next == none ? MergeTable::no_rank : merges_.rank(symbol.id, symbols_[symbol.next].id);
  ++steps_;
  if (symbol.rank == MergeTable::no_rank) return;
  queue_.push_back(static_cast<std::uint64_t>(symbol.rank) << 32 | left);
  std::ranges::push_heap(queue_, std::greater());
}

void Merger::merge_long(std::vector<TokenId>& word) {
  check(word.size() < none, "a word of 2^32 ids");
  const auto size = static_cast<std::uint32_t>(word.size());
  symbols_.clear();
  queue_.clear();
  for (std::uint32_t i = 0; i < size; ++i) {
    symbols_.push_back(
        {.id = word[i], .previous = i == 0 ? none : i - 1, .next = i + 1 == size ? none : i + 1});
  }
  for (std::uint32_t i = 0; i < size; ++i) rank_pair(i);
  while (!queue_.empty()) {
    std::ranges::pop_heap(queue_, std::greater());
    const std::uint64_t least = queue_.back();
    queue_.pop_back();
    ++steps_;
    const auto at = static_cast<std::uint32_t>(least);
    Symbol& left = symbols_[at];
    if (left.rank != least >> 32) continue;
    Symbol& right = symbols_[left.next];
    left.id = merges_.result(left.rank);
    left.next = right.next;
    right.rank = MergeTable::no_rank;
    if (left.next != none) symbols_[left.next].previous = at;
    rank_pair(at);
    if (left.previous != none) rank_pair(left.previous);
  }
  word.clear();
  for (std::uint32_t at = 0; at != none; at = symbols_[at].next) word.push_back(symbols_[at].id);
}

}  // namespace zhuzi::internal
