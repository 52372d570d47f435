#include "cache/block_pool.h"

#include "base/check.h"

namespace zhuzi {

BlockPool::BlockPool(std::size_t blocks) : references_(blocks, 0) {
  free_.reserve(blocks);
  for (std::size_t i = blocks; i > 0; --i) free_.push_back(static_cast<BlockId>(i - 1));
}

std::optional<BlockId> BlockPool::take() {
  if (free_.empty()) return std::nullopt;
  const BlockId block = free_.back();
  free_.pop_back();
  references_[index(block)] = 1;
  return block;
}

void BlockPool::share(BlockId block) {
  check(references_.at(index(block)) > 0, "only a held block is shared");
  ++references_[index(block)];
}

void BlockPool::release(BlockId block) {
  check(references_.at(index(block)) > 0, "only a held block is released");
  if (--references_[index(block)] == 0) free_.push_back(block);
}

void BlockPool::check_invariants() const {
  std::vector<bool> is_free(references_.size(), false);
  for (const BlockId block : free_) {
    check(!is_free.at(index(block)), "a free block stands in the list once");
    is_free[index(block)] = true;
  }
  for (std::size_t i = 0; i < references_.size(); ++i) {
    check(is_free[i] == (references_[i] == 0), "free means without references");
  }
}

}  // namespace zhuzi
