// Whole text files with a limit, see text_file.h.
#include "formats/text_file.h"

#include <string_view>

#include "base/file_map.h"

namespace zhuzi {
namespace {

Result<FileMap> open_small(const std::filesystem::path& path, std::size_t bytes_max) {
  FileMap map = TRY(FileMap::open(path));
  if (map.bytes().size() <= bytes_max) return map;
  return fail(ErrorCode::corrupt_file, "{} has {} bytes, at most {} are read", path.string(),
              map.bytes().size(), bytes_max);
}

std::string_view text_of(const FileMap& map) {
  return {reinterpret_cast<const char*>(map.bytes().data()), map.bytes().size()};
}

}  // namespace

Result<std::string> read_text_file(const std::filesystem::path& path, std::size_t bytes_max) {
  const FileMap map = TRY(open_small(path, bytes_max));
  return std::string(text_of(map));
}

Result<json::Value> read_json_file(const std::filesystem::path& path, std::size_t bytes_max) {
  const FileMap map = TRY(open_small(path, bytes_max));
  auto value = json::parse(text_of(map), {.duplicates = json::Object::Duplicates::last_wins});
  if (value) return value;
  return fail(ErrorCode::corrupt_file, "{}: {}", path.string(), value.error().message);
}

}  // namespace zhuzi
