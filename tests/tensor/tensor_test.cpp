// Element formats, shapes, views and buffers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "tensor/buffer.h"
#include "tensor/element.h"
#include "tensor/view.h"

namespace zhuzi {
namespace {

TEST(Element, every_type_is_found_by_its_number_and_no_other) {
  std::set<std::string_view> names;
  for (const ElementInfo& row : element_types()) {
    EXPECT_EQ(element_type_from_gguf(row.gguf_number), row.type) << row.name;
    EXPECT_EQ(&info(row.type), &row);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_GT(row.block_elements, 0U);
    EXPECT_GT(row.block_bytes, 0U);
  }
  // Numbers that GGUF has given up, and the first ones behind its list.
  for (const std::uint32_t number : {4U, 5U, 31U, 33U, 36U, 38U, 41U, 1000U, ~0U}) {
    EXPECT_EQ(element_type_from_gguf(number), std::nullopt) << number;
  }
}

TEST(Element, blocks_have_the_sizes_of_their_formats) {
  const auto bits = [](ElementType type) {
    const ElementInfo& row = info(type);
    return 8.0 * static_cast<double>(row.block_bytes) / static_cast<double>(row.block_elements);
  };
  EXPECT_EQ(bits(ElementType::f32), 32);
  EXPECT_EQ(bits(ElementType::bf16), 16);
  EXPECT_EQ(bits(ElementType::q8_0), 8.5);
  EXPECT_EQ(bits(ElementType::q4_0), 4.5);
  EXPECT_EQ(bits(ElementType::q4_1), 5);
  EXPECT_EQ(bits(ElementType::q6_k), 6.5625);
  EXPECT_EQ(bits(ElementType::mxfp4), 4.25);
}

TEST(TensorShape, rows_and_columns_of_every_rank) {
  const TensorShape scalar;
  EXPECT_EQ(scalar.rows(), 1U);
  EXPECT_EQ(scalar.columns(), 1U);
  EXPECT_EQ(scalar.elements(), 1U);
  const TensorShape vector{.extents = {5}, .rank = 1};
  EXPECT_EQ(vector.rows(), 1U);
  EXPECT_EQ(vector.columns(), 5U);
  const TensorShape four{.extents = {2, 3, 4, 5}, .rank = 4};
  EXPECT_EQ(four.rows(), 24U);
  EXPECT_EQ(four.columns(), 5U);
  EXPECT_EQ(four.elements(), 120U);
}

TEST(TensorView, a_row_is_whole_blocks) {
  const TensorView view{
      .type = ElementType::q6_k, .shape = {.extents = {3, 512}, .rank = 2}, .bytes = {}};
  EXPECT_EQ(view.row_bytes(), 420U);
  const TensorView halves{
      .type = ElementType::f16, .shape = {.extents = {7}, .rank = 1}, .bytes = {}};
  EXPECT_EQ(halves.row_bytes(), 14U);
}

TEST(Buffer, is_zeroed_and_aligned_in_every_size) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{4096}, std::size_t{2} << 20, (std::size_t{5} << 20) + 3}) {
    auto buffer = Buffer::make(size);
    ASSERT_TRUE(buffer.has_value()) << buffer.error().message;
    EXPECT_EQ(buffer->size(), size);
    EXPECT_EQ(buffer->bytes().size(), size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % Buffer::alignment, 0U);
    EXPECT_TRUE(std::ranges::all_of(buffer->bytes(), [](std::byte b) { return b == std::byte{}; }));
    buffer->bytes().back() = std::byte{1};
    EXPECT_EQ(buffer->floats().size(), size / 4);
  }
}

TEST(Buffer, of_nothing_is_empty) {
  const auto buffer = Buffer::make(0);
  ASSERT_TRUE(buffer.has_value());
  EXPECT_EQ(buffer->size(), 0U);
}

TEST(Buffer, more_than_a_machine_has_is_an_error_with_the_number) {
  for (const std::size_t size : {SIZE_MAX, SIZE_MAX - (std::size_t{2} << 20), SIZE_MAX / 2}) {
    const auto buffer = Buffer::make(size);
    ASSERT_FALSE(buffer.has_value());
    EXPECT_EQ(buffer.error().code, ErrorCode::out_of_memory);
    EXPECT_NE(buffer.error().message.find(std::to_string(size)), std::string::npos);
  }
}

TEST(Buffer, keeps_its_place_when_it_moves) {
  auto first = Buffer::make(100);
  auto second = Buffer::make(200);
  ASSERT_TRUE(first.has_value() && second.has_value());
  const std::byte* place = first->data();
  Buffer moved(*std::move(first));
  EXPECT_EQ(moved.data(), place);
  *second = std::move(moved);
  EXPECT_EQ(second->data(), place);
  EXPECT_EQ(second->size(), 100U);
}

}  // namespace
}  // namespace zhuzi
