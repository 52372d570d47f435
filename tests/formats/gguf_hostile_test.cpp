// GgufFile: what is refused. Files made by GgufWriter that are right in all but one point. The
// error of each names the key or tensor; those with a size name both numbers.
#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <string>

#include "formats/gguf.h"
#include "formats/gguf_writer.h"

namespace zhuzi {
namespace {

using testing::Bytes;
using testing::GgufWriter;
using testing::WrittenTensor;

constexpr std::uint64_t huge = std::uint64_t{1} << 63;

/// Reading fails with this code and a message that holds all parts.
void expect_error(const Bytes& bytes, ErrorCode code, std::initializer_list<std::string> parts) {
  const auto file = GgufFile::read(bytes);
  ASSERT_FALSE(file.has_value()) << "read: " << *parts.begin();
  EXPECT_EQ(file.error().code, code) << file.error().message;
  for (const std::string& part : parts) {
    EXPECT_NE(file.error().message.find(part), std::string::npos)
        << "\"" << part << "\" is not in: " << file.error().message;
  }
  EXPECT_LE(file.error().message.size(), 400U);
}

void expect_corrupt(const Bytes& bytes, std::initializer_list<std::string> parts) {
  expect_error(bytes, ErrorCode::corrupt_file, parts);
}

/// A file whose only tensor is `t`, F32 unless it says otherwise.
Bytes with_tensor(WrittenTensor tensor) {
  if (tensor.name.empty()) tensor.name = "t";
  return GgufWriter().add_tensor(std::move(tensor)).bytes();
}

TEST(GgufHostile, refuses_what_is_no_gguf_file) {
  expect_corrupt({}, {"no GGUF file"});
  expect_corrupt(Bytes(100), {"no GGUF file"});
  expect_corrupt(Bytes(3, std::byte{'G'}), {"no GGUF file"});
}

TEST(GgufHostile, a_file_cut_anywhere_is_an_error) {
  const Bytes bytes =
      GgufWriter().add("key", std::uint32_t{1}).add_texts("t", {"ab"}).add_zeros("x", {8}).bytes();
  ASSERT_TRUE(GgufFile::read(bytes).has_value());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(GgufFile::read(cut).has_value()) << size;
  }
}

TEST(GgufHostile, refuses_other_versions_and_byte_orders_by_name) {
  for (const std::uint32_t version : {0U, 1U, 4U, 0xFFFF'FFFFU}) {
    GgufWriter writer;
    writer.wrong.version = version;
    expect_error(writer.bytes(), ErrorCode::unsupported,
                 {"version " + std::to_string(version), "convert"});
  }
  GgufWriter writer;
  writer.wrong.version = 0x0300'0000;
  expect_error(writer.bytes(), ErrorCode::unsupported, {"version 3", "big endian"});
}

TEST(GgufHostile, refuses_a_key_that_appears_twice) {
  expect_corrupt(GgufWriter().add("a", true).add("b", true).add("a", true).bytes(),
                 {"key \"a\"", "twice"});
}

TEST(GgufHostile, refuses_keys_and_tensor_names_that_are_no_names) {
  expect_corrupt(GgufWriter().add("a\xFF", true).bytes(), {"key \"a\xEF\xBF\xBD\"", "UTF-8"});
  expect_corrupt(GgufWriter().add("ok", true).add("", true).bytes(), {"key 1", "no name"});
  expect_corrupt(GgufWriter().add(std::string(65'536, 'k'), true).bytes(),
                 {"key \"kkk", "65536", "65535"});
  EXPECT_TRUE(GgufFile::read(GgufWriter().add(std::string(65'535, 'k'), true).bytes()).has_value());
  expect_corrupt(GgufWriter().add_zeros("\xC0", {1}).bytes(), {"tensor", "UTF-8"});
  expect_corrupt(GgufWriter().add_zeros("", {1}).bytes(), {"tensor 0", "no name"});
  expect_corrupt(GgufWriter().add_zeros(std::string(65, 't'), {1}).bytes(), {"tensor", "65", "64"});
  EXPECT_TRUE(
      GgufFile::read(GgufWriter().add_zeros(std::string(64, 't'), {1}).bytes()).has_value());
}

TEST(GgufHostile, refuses_values_that_break_their_type) {
  expect_corrupt(GgufWriter().add_raw("b", 7, Bytes(1, std::byte{2})).bytes(), {"key \"b\"", "2"});
  expect_corrupt(GgufWriter().add_raw("x", 13, Bytes(8)).bytes(), {"key \"x\"", "13", "12"});
  Bytes array;
  testing::append(array, std::uint32_t{7});
  testing::append(array, std::uint64_t{1});
  array.push_back(std::byte{9});
  expect_corrupt(GgufWriter().add_raw("a", testing::gguf_array, array).bytes(), {"key \"a\"", "9"});
}

TEST(GgufHostile, refuses_alignments_that_are_none) {
  for (const std::uint32_t alignment : {0U, 1U, 4U, 24U, 33U, 1U << 21, 0xFFFF'FFFFU}) {
    expect_corrupt(GgufWriter().add("general.alignment", alignment).bytes(),
                   {"general.alignment", std::to_string(alignment)});
  }
  expect_corrupt(GgufWriter().add("general.alignment", "32").bytes(), {"general.alignment"});
}

TEST(GgufHostile, refuses_an_offset_that_is_not_aligned) {
  expect_corrupt(with_tensor({.extents = {8}, .data = Bytes(64), .offset = 16}),
                 {"tensor \"t\"", "16", "32"});
}

TEST(GgufHostile, refuses_tensors_that_overlap_or_share_a_name) {
  expect_corrupt(GgufWriter()
                     .add_zeros("a", {16})
                     .add_tensor({.name = "b", .extents = {8}, .data = Bytes(32), .offset = 32})
                     .bytes(),
                 {"tensor \"b\"", "32", "tensor \"a\"", "64"});
  expect_corrupt(GgufWriter().add_zeros("a", {1}).add_zeros("b", {1}).add_zeros("a", {1}).bytes(),
                 {"tensor \"a\"", "twice"});
}

TEST(GgufHostile, refuses_ranks_and_extents_that_no_tensor_has) {
  expect_corrupt(with_tensor({}), {"tensor \"t\"", "0 dimensions"});
  expect_corrupt(with_tensor({.extents = {1, 1, 1, 1, 1}, .data = Bytes(4)}),
                 {"tensor \"t\"", "5 dimensions", "4"});
  expect_corrupt(with_tensor({.extents = {4, 0}}), {"tensor \"t\"", "dimension 1 of 2 is 0"});
  EXPECT_TRUE(GgufFile::read(with_tensor({.extents = {1, 1, 1, 1}, .data = Bytes(4)})).has_value());
}

TEST(GgufHostile, refuses_a_type_number_that_it_does_not_know) {
  for (const std::uint32_t type : {4U, 5U, 31U, 99U, 0xFFFF'FFFFU}) {
    expect_error(with_tensor({.extents = {32}, .type = type, .data = Bytes(128)}),
                 ErrorCode::unsupported, {"tensor \"t\"", std::to_string(type)});
  }
}

TEST(GgufHostile, I1_sizes_that_wrap_are_refused_by_name) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  expect_corrupt(with_tensor({.extents = {huge >> 1, 4}}), {"tensor \"t\"", "64 bits"});
  expect_corrupt(with_tensor({.extents = {most, 2}}), {"tensor \"t\"", "64 bits"});
  expect_corrupt(with_tensor({.extents = {huge}}), {"tensor \"t\"", std::to_string(huge), "F32"});
  expect_corrupt(with_tensor({.extents = {huge >> 2}}), {"tensor \"t\"", "the file has"});
  expect_corrupt(with_tensor({.extents = {huge >> 2, 1}, .offset = huge}),
                 {"tensor \"t\"", std::to_string(huge), "64 bits"});
  expect_corrupt(with_tensor({.extents = {8}, .data = Bytes(32), .offset = most - 31}),
                 {"tensor \"t\"", "64 bits"});
}

TEST(GgufHostile, I1_many_large_tensors_are_refused_together) {
  GgufWriter writer;
  for (std::uint64_t i = 0; i < 4; ++i) {
    writer.add_tensor({.name = "t" + std::to_string(i),
                       .extents = {huge >> 3},
                       .offset = i * (huge >> 1) % huge});
  }
  expect_corrupt(writer.bytes(), {"tensor \"t", "the file has"});
}

TEST(GgufHostile, I3_counts_beyond_the_file_are_refused_before_any_allocation) {
  GgufWriter pairs;
  pairs.wrong.pairs = huge;
  expect_corrupt(pairs.bytes(), {std::to_string(huge), "pairs"});
  pairs.wrong.pairs = 1000;
  expect_corrupt(pairs.bytes(), {"pairs 1000", "1000 x 13", "left"});
  GgufWriter tensors;
  tensors.wrong.tensors = huge;
  expect_corrupt(tensors.bytes(), {std::to_string(huge), "tensors"});
  tensors.wrong.tensors = 1000;
  expect_corrupt(tensors.bytes(), {"tensors 1000", "1000 x 32", "left"});
}

TEST(GgufHostile, I3_lengths_beyond_the_file_are_refused_by_key) {
  const auto length = [](std::uint64_t count) {
    Bytes raw;
    testing::append(raw, count);
    return raw;
  };
  const auto array = [](std::uint32_t type, std::uint64_t count) {
    Bytes raw;
    testing::append(raw, type);
    testing::append(raw, count);
    return raw;
  };
  expect_corrupt(GgufWriter().add_raw("s", testing::gguf_string, length(huge)).bytes(),
                 {"key \"s\"", std::to_string(huge), "left"});
  for (const std::uint32_t type : {0U, 4U, 7U, 8U, 10U}) {
    expect_corrupt(GgufWriter().add_raw("a", testing::gguf_array, array(type, huge)).bytes(),
                   {"key \"a\"", std::to_string(huge)});
    expect_corrupt(GgufWriter().add_raw("a", testing::gguf_array, array(type, 1 << 24)).bytes(),
                   {"key \"a\"", "16777216", "left"});
  }
  GgufWriter exact;
  exact.alignment = 1;
  Bytes text = length(4);
  text.resize(text.size() + 3);
  expect_corrupt(exact.add_raw("s", testing::gguf_string, text).bytes(),
                 {"key \"s\"", "4 x 1", "3 are left"});
}

TEST(GgufHostile, I3_arrays_of_arrays_are_refused_at_the_first) {
  Bytes raw;
  for (int i = 0; i < 1'000; ++i) {
    testing::append(raw, testing::gguf_array);
    testing::append(raw, std::uint64_t{1});
  }
  expect_error(GgufWriter().add_raw("deep", testing::gguf_array, raw).bytes(),
               ErrorCode::unsupported, {"key \"deep\"", "arrays of arrays"});
}

TEST(GgufHostile, I6_a_file_that_ends_inside_a_tensor_says_what_is_missing) {
  const Bytes bytes = GgufWriter().add_zeros("a", {4096}).add_zeros("last", {4096}).bytes();
  ASSERT_TRUE(GgufFile::read(bytes).has_value());
  for (const std::size_t size : {bytes.size() - 1, bytes.size() - 16384, std::size_t{20480}}) {
    const Bytes cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    expect_corrupt(cut,
                   {"cut", "tensor \"last\"", std::to_string(bytes.size()), std::to_string(size)});
  }
}

TEST(GgufHostile, I10_rows_that_do_not_fill_a_block_are_refused_by_name) {
  const auto refused = [](std::uint64_t columns, ElementType type) {
    const ElementInfo& row = info(type);
    expect_corrupt(
        with_tensor({.extents = {columns, 4}, .type = row.gguf_number, .data = Bytes(4096)}),
        {"tensor \"t\"", std::to_string(columns), std::string(row.name),
         std::to_string(row.block_elements)});
  };
  refused(896, ElementType::q6_k);
  refused(48, ElementType::q8_0);
  refused(1, ElementType::q4_0);
  const Bytes right = GgufWriter().add_zeros("t", {896, 2}, ElementType::q8_0).bytes();
  EXPECT_TRUE(GgufFile::read(right).has_value());
}

}  // namespace
}  // namespace zhuzi
