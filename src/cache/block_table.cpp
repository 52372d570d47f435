#include "cache/block_table.h"

#include "base/check.h"

namespace zhuzi {

bool BlockTable::grow(BlockPool& pool, std::size_t count) {
  check(count <= blocks_.capacity(), "a sequence stays inside its room");
  while (blocks_.size() < count) {
    const std::optional<BlockId> block = pool.take();
    if (!block) return false;
    blocks_.push_back(*block);
  }
  return true;
}

void BlockTable::shrink(BlockPool& pool, std::size_t count) {
  while (blocks_.size() > count) {
    pool.release(blocks_.back());
    blocks_.pop_back();
  }
}

}  // namespace zhuzi
