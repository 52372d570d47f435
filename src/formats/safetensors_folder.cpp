// A model folder's safetensors: one file, or shards that an index names.
//
// The index comes with the model, so its names are a stranger's: a shard is a plain name in the
// folder, never a path. Index and shards must agree, or a tensor would silently come from the wrong
// file or not at all.
#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "base/json.h"
#include "formats/safetensors.h"
#include "formats/text_file.h"

namespace zhuzi {
namespace {

constexpr std::string_view single_name = "model.safetensors";
constexpr std::string_view index_name = "model.safetensors.index.json";
constexpr std::size_t index_bytes_max = std::size_t{64} << 20;
constexpr std::size_t shard_name_bytes_max = 255;
constexpr std::size_t shards_max = 4096;

/// A tensor and the shard that it is said to lie in, or lies in.
struct Place {
  std::string_view tensor;
  std::string_view shard;
  friend auto operator<=>(const Place&, const Place&) = default;
};

bool is_plain_name(std::string_view name) {
  using namespace std::string_view_literals;
  return !name.empty() && name.size() <= shard_name_bytes_max && name != "." && name != ".." &&
         name.find_first_of("/\\\0"sv) == std::string_view::npos;
}

Result<std::vector<Place>> promised_places(const json::Value& index) {
  const json::Value* map = index.find("weight_map");
  if (map == nullptr || map->object() == nullptr || map->object()->members().empty()) {
    return fail(ErrorCode::corrupt_file, "{} has no weight_map", index_name);
  }
  std::vector<Place> places;
  places.reserve(map->object()->members().size());
  for (const json::Member& member : map->object()->members()) {
    const std::string* shard = member.value.string();
    if (shard == nullptr || !is_plain_name(*shard)) {
      return fail(ErrorCode::corrupt_file, "{}: the shard of tensor {} is no plain file name",
                  index_name, json::excerpt(member.key));
    }
    places.push_back({.tensor = member.key, .shard = *shard});
  }
  std::ranges::sort(places);
  return places;
}

Result<std::vector<std::string_view>> shard_names(const std::vector<Place>& places) {
  std::vector<std::string_view> names;
  names.reserve(places.size());
  for (const Place& place : places) names.push_back(place.shard);
  std::ranges::sort(names);
  const auto [end, last] = std::ranges::unique(names);
  names.erase(end, last);
  if (names.size() <= shards_max) return names;
  return fail(ErrorCode::corrupt_file, "{} names {} shards, at most {} are read", index_name,
              names.size(), shards_max);
}

/// Error where two shards have a tensor, or one that the index promises is not in its shard.
Result<void> compare(const std::vector<Place>& promised, std::vector<Place> found) {
  std::ranges::sort(found);
  const auto twin = std::ranges::adjacent_find(found, {}, &Place::tensor);
  if (twin != found.end()) {
    return fail(ErrorCode::corrupt_file, "tensor {} is in two shards, {} and {}",
                json::excerpt(twin->tensor), json::excerpt(twin->shard),
                json::excerpt(std::next(twin)->shard));
  }
  for (const Place& place : promised) {
    if (std::ranges::binary_search(found, place)) continue;
    return fail(ErrorCode::corrupt_file, "{} promises tensor {} in {}, and it is not there",
                index_name, json::excerpt(place.tensor), json::excerpt(place.shard));
  }
  return {};
}

Result<std::vector<SafetensorsFile>> open_shards(const std::filesystem::path& folder) {
  const json::Value index = TRY(read_json_file(folder / index_name, index_bytes_max));
  const auto promised = TRY(promised_places(index));
  const auto names = TRY(shard_names(promised));
  std::vector<SafetensorsFile> files;
  std::vector<Place> found;
  files.reserve(names.size());
  for (const std::string_view name : names) {
    const SafetensorsFile& file = files.emplace_back(TRY(SafetensorsFile::open(folder / name)));
    for (const NamedTensor& tensor : file.tensors()) {
      found.push_back({.tensor = tensor.name, .shard = name});
    }
  }
  TRY(compare(promised, std::move(found)));
  return files;
}

bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

}  // namespace

Result<std::vector<SafetensorsFile>> open_safetensors_folder(const std::filesystem::path& folder) {
  if (is_there(folder / single_name)) {
    std::vector<SafetensorsFile> files;
    files.push_back(TRY(SafetensorsFile::open(folder / single_name)));
    return files;
  }
  if (is_there(folder / index_name)) return open_shards(folder);
  return fail(ErrorCode::not_found, "{} has neither {} nor {}", folder.string(), single_name,
              index_name);
}

}  // namespace zhuzi
