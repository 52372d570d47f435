// BlockPool: which blocks of the KV cache are free, and how many sequences hold each of the others.
//
// Place in the journey: the scheduler takes blocks for a sequence's positions and gives them back
// on one release path. Only numbers live here: the memory of the blocks belongs to forward.
// Owned by the engine thread; no lock. No allocation after construction.
//
// Invariant: a block is free exactly when its reference count is 0, and then it stands in the free
// list exactly once. `check_invariants` walks everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"

namespace zhuzi {

class BlockPool {
 public:
  explicit BlockPool(std::size_t blocks);

  [[nodiscard]] std::size_t size() const { return references_.size(); }
  [[nodiscard]] std::size_t free_blocks() const { return free_.size(); }

  /// A free block with one reference; empty when there is none.
  [[nodiscard]] std::optional<BlockId> take();
  /// One more holder of a block that is held.
  void share(BlockId block);
  /// One holder less; the last one frees the block.
  void release(BlockId block);

  void check_invariants() const;

 private:
  std::vector<std::uint32_t> references_;
  std::vector<BlockId> free_;  ///< Last in, first out: a warm block is reused first.
};

}  // namespace zhuzi
