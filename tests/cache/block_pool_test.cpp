// The pool and the tables over it: what is taken comes back, once, on one path.
#include "cache/block_pool.h"

#include <gtest/gtest.h>

#include <set>

#include "cache/block_table.h"

namespace zhuzi {
namespace {

TEST(BlockPool, gives_every_block_once_and_then_none) {
  BlockPool pool(3);
  std::set<BlockId> seen;
  for (int i = 0; i < 3; ++i) seen.insert(pool.take().value());
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_FALSE(pool.take().has_value());
  pool.check_invariants();
}

TEST(BlockPool, a_shared_block_is_free_only_after_its_last_holder) {
  BlockPool pool(1);
  const BlockId block = pool.take().value();
  pool.share(block);
  pool.release(block);
  EXPECT_EQ(pool.free_blocks(), 0u);
  pool.release(block);
  EXPECT_EQ(pool.free_blocks(), 1u);
  pool.check_invariants();
}

TEST(BlockPool, releasing_a_free_block_is_a_bug) {
  BlockPool pool(1);
  EXPECT_DEATH(pool.release(BlockId{0}), "only a held block is released");
}

TEST(BlockTable, grows_and_shrinks_with_the_pool) {
  BlockPool pool(4);
  BlockTable table(4);
  EXPECT_TRUE(table.grow(pool, 3));
  EXPECT_EQ(table.blocks().size(), 3u);
  EXPECT_EQ(pool.free_blocks(), 1u);
  table.shrink(pool, 1);
  EXPECT_EQ(pool.free_blocks(), 3u);
  table.shrink(pool, 0);
  EXPECT_EQ(pool.free_blocks(), 4u);
  pool.check_invariants();
}

TEST(BlockTable, says_when_the_pool_has_run_out) {
  BlockPool pool(2);
  BlockTable first(2);
  BlockTable second(2);
  EXPECT_TRUE(first.grow(pool, 1));
  EXPECT_FALSE(second.grow(pool, 2));
  EXPECT_EQ(second.blocks().size(), 1u);
  second.shrink(pool, 0);
  first.shrink(pool, 0);
  pool.check_invariants();
}

}  // namespace
}  // namespace zhuzi
