// FileMap: what can be mapped, and the words for what cannot.
#include "base/file_map.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/scratch_folder.h"

namespace zhuzi {
namespace {

std::string text_of(const FileMap& map) {
  return {reinterpret_cast<const char*>(map.bytes().data()), map.bytes().size()};
}

void expect_error(const std::filesystem::path& path, ErrorCode code) {
  const auto map = FileMap::open(path);
  ASSERT_FALSE(map.has_value());
  EXPECT_EQ(map.error().code, code) << map.error().message;
  EXPECT_NE(map.error().message.find(path.string()), std::string::npos) << map.error().message;
}

TEST(FileMap, holds_the_bytes_of_the_file) {
  const testing::ScratchFolder folder;
  const auto map = FileMap::open(folder.write("a", std::string("x\0y", 3)));
  ASSERT_TRUE(map.has_value()) << map.error().message;
  EXPECT_EQ(text_of(*map), std::string("x\0y", 3));
}

TEST(FileMap, names_what_is_no_file_with_bytes) {
  const testing::ScratchFolder folder;
  expect_error(folder.path() / "missing", ErrorCode::not_found);
  expect_error(folder.path(), ErrorCode::corrupt_file);
  expect_error(folder.write("empty", ""), ErrorCode::corrupt_file);
  expect_error(folder.write("a", "x") / "below", ErrorCode::io);
}

TEST(FileMap, a_pipe_that_nobody_writes_to_is_refused_at_once) {
  const testing::ScratchFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_error(pipe, ErrorCode::corrupt_file);
}

TEST(FileMap, bytes_stay_where_they_are_when_it_moves) {
  const testing::ScratchFolder folder;
  auto first = FileMap::open(folder.write("a", "first"));
  auto second = FileMap::open(folder.write("b", "second"));
  ASSERT_TRUE(first.has_value() && second.has_value());
  const std::byte* place = first->bytes().data();
  FileMap moved(*std::move(first));
  EXPECT_EQ(moved.bytes().data(), place);
  *second = std::move(moved);
  EXPECT_EQ(second->bytes().data(), place);
  EXPECT_EQ(text_of(*second), "first");
}

TEST(FileMap, survives_the_removal_of_the_file) {
  const testing::ScratchFolder folder;
  const auto path = folder.write("a", "still here");
  const auto map = FileMap::open(path);
  ASSERT_TRUE(map.has_value());
  std::filesystem::remove(path);
  EXPECT_EQ(text_of(*map), "still here");
}

}  // namespace
}  // namespace zhuzi
