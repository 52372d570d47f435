// Hashes: known answers, made with another build of the same function (python-xxhash 4.1.0), so
// that no library and no compiler changes a receipt unseen.
#include "base/hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace zhuzi {
namespace {

std::vector<std::byte> squares(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * i % 251);
  return bytes;
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST(Hash, gives_the_known_answers_of_64_bits) {
  EXPECT_EQ(hash64({}), 0x2d06800538d394c2U);
  EXPECT_EQ(hash64(bytes_of("abc")), 0x78af5f94892f3950U);
  EXPECT_EQ(hash64(bytes_of("abc"), 42), 0xd8438def21bbdcc3U);
  EXPECT_EQ(hash64(squares(3 << 20), 42), 0x0db9e539a9d33221U);
}

TEST(Hash, gives_the_known_answers_of_128_bits) {
  EXPECT_EQ(hash128("").hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(hash128("a").hex(), "a96faf705af16834e6c632b61e964e1f");
  EXPECT_EQ(hash128("abc").hex(), "06b05ab6733a618578af5f94892f3950");
  EXPECT_EQ(hash128(squares(3 << 20)).hex(), "b7ad714fc0d8c86128ae96e90a3cee21");
}

TEST(Hash, a_stream_does_not_see_how_bytes_are_cut) {
  const auto bytes = squares(5000);
  HashStream stream;
  for (std::size_t begin = 0, size = 1; begin < bytes.size();
       begin += size, size = size * 3 % 700) {
    size = std::min(size, bytes.size() - begin);
    stream.add_bytes(std::span(bytes).subspan(begin, size));
  }
  EXPECT_EQ(stream.digest(), hash128(bytes));
  EXPECT_EQ(stream.digest(), hash128(bytes)) << "asking changes nothing";
}

TEST(Hash, a_stream_of_parts_keeps_their_borders) {
  HashStream stream;
  stream.add("ab");
  stream.add(std::uint64_t{7});
  stream.add(Hash128{.high = 1, .low = 2});
  EXPECT_EQ(stream.digest().hex(), "7512b9abd36bf520a359be1dc26691f0");
  HashStream first;
  first.add("ab");
  first.add("c");
  HashStream second;
  second.add("a");
  second.add("bc");
  EXPECT_NE(first.digest(), second.digest());
}

TEST(Hash, a_stream_can_move) {
  HashStream first;
  first.add("ab");
  HashStream second(std::move(first));
  HashStream third;
  third.add("other");
  third = std::move(second);
  HashStream straight;
  straight.add("ab");
  EXPECT_EQ(third.digest(), straight.digest());
}

TEST(Hash, of_pieces_is_the_hash_of_the_hashes_of_one_MiB_each) {
  EXPECT_EQ(hash128_of_pieces(squares((3 << 20) + 5)).hex(), "33558319cde272b02fcefdf3044432e7");
  EXPECT_EQ(hash128_of_pieces({}), hash128(""));
  EXPECT_NE(hash128_of_pieces(bytes_of("abc")), hash128("abc"));
}

}  // namespace
}  // namespace zhuzi
