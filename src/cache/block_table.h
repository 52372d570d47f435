// BlockTable: the blocks of one sequence; entry i holds the positions of its i-th block.
//
// Owned by the scheduler, one for each sequence. Every block that enters is given back through
// `shrink`, whatever the reason for the end: the one release path.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/ids.h"
#include "cache/block_pool.h"

namespace zhuzi {

class BlockTable {
 public:
  /// `blocks_max` entries of room are taken now, so that growing allocates nothing.
  explicit BlockTable(std::size_t blocks_max) { blocks_.reserve(blocks_max); }

  [[nodiscard]] std::span<const BlockId> blocks() const { return blocks_; }

  /// Takes blocks until there are `count`. False when the pool ran out; what was taken stays.
  [[nodiscard]] bool grow(BlockPool& pool, std::size_t count);
  /// Gives back the last blocks until `count` are left.
  void shrink(BlockPool& pool, std::size_t count);

 private:
  std::vector<BlockId> blocks_;
};

}  // namespace zhuzi
