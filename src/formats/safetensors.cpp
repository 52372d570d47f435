// Reading safetensors: the header as JSON, then every range against type, shape and file.
//
// The specification asks for ranges without overlap or hole, and nothing hides behind the last one:
// sorted by begin, each range starts where the one before ends. A tensor of no elements is an empty
// range and loads.
#include "formats/safetensors.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/json.h"

namespace zhuzi {
namespace {

constexpr std::size_t length_bytes = sizeof(std::uint64_t);
constexpr std::uint64_t header_bytes_max = 100'000'000;  ///< As the specification's reader has it.
/// A right header has 3 levels; the rest lets what is wrong further down be named by its tensor.
constexpr std::size_t header_depth_max = 16;
constexpr std::string_view metadata_key = "__metadata__";

/// Begin and end in the data, which follows the header.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct Entry {
  std::string_view name;
  ElementType type = ElementType::f32;
  TensorShape shape;
  Range range;
};

template <typename... Arguments>
std::unexpected<Error> wrong(std::string_view tensor, fmt::format_string<Arguments...> text,
                             Arguments&&... arguments) {
  return fail(ErrorCode::corrupt_file, "tensor {}: {}", json::excerpt(tensor),
              fmt::format(text, std::forward<Arguments>(arguments)...));
}

Result<std::string_view> header_text(std::span<const std::byte> bytes) {
  std::uint64_t length = 0;
  if (bytes.size() < length_bytes) {
    return fail(ErrorCode::corrupt_file, "no safetensors file: it has {} bytes, not even {}",
                bytes.size(), length_bytes);
  }
  std::memcpy(&length, bytes.data(), length_bytes);
  const std::size_t left = bytes.size() - length_bytes;
  if (length > header_bytes_max || length > left) {
    return fail(ErrorCode::corrupt_file,
                "no safetensors file, or cut: a header of {} bytes is announced, {} bytes follow "
                "and at most {} are read",
                length, left, header_bytes_max);
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + length_bytes,
                              static_cast<std::size_t>(length));
  if (text.starts_with('{')) return text;
  return fail(ErrorCode::corrupt_file, "no safetensors file: its header is no JSON object");
}

/// A whole number from 0 on.
std::optional<std::uint64_t> natural(const json::Value& value) {
  const auto number = value.integer();
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

Result<ElementType> read_type(std::string_view tensor, const json::Value& entry) {
  const json::Value* dtype = entry.find("dtype");
  if (dtype == nullptr || dtype->string() == nullptr) return wrong(tensor, "it has no dtype");
  // Plain numbers have the same names here and in our table.
  const auto row = std::ranges::find_if(element_types(), [&](const ElementInfo& known) {
    return known.block_elements == 1 && known.name == *dtype->string();
  });
  if (row != element_types().end()) return row->type;
  return fail(ErrorCode::unsupported, "tensor {}: the dtype {} is not supported",
              json::excerpt(tensor), json::excerpt(*dtype->string()));
}

Result<TensorShape> read_shape(std::string_view tensor, const json::Value& entry) {
  const json::Value* list = entry.find("shape");
  if (list == nullptr || list->array() == nullptr) return wrong(tensor, "it has no shape");
  const json::Array& extents = *list->array();
  if (extents.size() > tensor_rank_max) {
    return fail(ErrorCode::unsupported, "tensor {}: {} dimensions; at most {} are supported",
                json::excerpt(tensor), extents.size(), tensor_rank_max);
  }
  TensorShape shape{.rank = extents.size()};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto extent = natural(extents[i]);
    if (!extent) return wrong(tensor, "dimension {} is no whole number from 0 to 2^63 - 1", i);
    shape.extents[i] = static_cast<std::size_t>(*extent);
  }
  return shape;
}

Result<Range> read_range(std::string_view tensor, const json::Value& entry) {
  const json::Value* list = entry.find("data_offsets");
  if (list == nullptr || list->array() == nullptr || list->array()->size() != 2) {
    return wrong(tensor, "it has no data_offsets of two numbers");
  }
  const auto begin = natural(list->array()->front());
  const auto end = natural(list->array()->back());
  if (!begin || !end || *begin > *end) {
    return wrong(tensor, "its data_offsets are no begin and end from 0 on");
  }
  return Range{.begin = *begin, .end = *end};
}

/// Bytes of a shape; empty where they are more than 64 bits count.
std::optional<std::uint64_t> bytes_of(const TensorShape& shape, ElementType type) {
  std::uint64_t bytes = info(type).block_bytes;
  for (const std::size_t extent : std::span(shape.extents).first(shape.rank)) {
    if (extent == 0) return 0;
  }
  for (const std::size_t extent : std::span(shape.extents).first(shape.rank)) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

Result<Entry> read_entry(std::string_view name, const json::Value& value) {
  Entry entry{.name = name,
              .type = TRY(read_type(name, value)),
              .shape = TRY(read_shape(name, value)),
              .range = TRY(read_range(name, value))};
  const auto bytes = bytes_of(entry.shape, entry.type);
  if (!bytes) return wrong(name, "its dimensions multiply to more than 64 bits");
  const std::uint64_t size = entry.range.end - entry.range.begin;
  if (*bytes == size) return entry;
  return wrong(name, "its data_offsets hold {} bytes, {} and its shape ask for {}", size,
               info(entry.type).name, *bytes);
}

Result<void> check_metadata(const json::Value& metadata) {
  const bool is_right = metadata.object() != nullptr &&
                        std::ranges::all_of(metadata.object()->members(), [](const auto& member) {
                          return member.value.string() != nullptr;
                        });
  if (is_right) return {};
  return fail(ErrorCode::corrupt_file, "{} is no object of strings", metadata_key);
}

Result<std::vector<Entry>> read_entries(const json::Object& header) {
  std::vector<Entry> entries;
  entries.reserve(header.members().size());
  for (const json::Member& member : header.members()) {
    if (member.key == metadata_key) {
      TRY(check_metadata(member.value));
    } else {
      entries.push_back(TRY(read_entry(member.key, member.value)));
    }
  }
  return entries;
}

/// Error unless the ranges cover the data exactly.
Result<void> check_ranges(const std::vector<Entry>& entries, std::size_t data_begin,
                          std::size_t data_bytes) {
  std::vector<const Entry*> order;
  order.reserve(entries.size());
  for (const Entry& entry : entries) order.push_back(&entry);
  std::ranges::sort(order, {}, [](const Entry* entry) {
    return std::pair(entry->range.begin, entry->range.end);
  });
  std::uint64_t end = 0;
  for (const Entry* entry : order) {
    if (entry->range.begin != end) {
      return wrong(entry->name, "it begins at {} where the tensor before it ends at {}",
                   entry->range.begin, end);
    }
    end = entry->range.end;
    if (end <= data_bytes) continue;
    return fail(ErrorCode::corrupt_file,
                "the file is cut: tensor {} ends at byte {}, the tensors need {} bytes in all, the "
                "file has {}",
                json::excerpt(entry->name), data_begin + end, data_begin + order.back()->range.end,
                data_begin + data_bytes);
  }
  if (end == data_bytes) return {};
  return fail(ErrorCode::corrupt_file, "the tensors end at byte {}, the file has {}",
              data_begin + end, data_begin + data_bytes);
}

}  // namespace

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
  FileMap map = TRY(FileMap::open(path));
  auto file = read(map.bytes());
  if (!file) return fail(file.error().code, "{}: {}", path.string(), file.error().message);
  file->map_ = std::move(map);
  return file;
}

Result<SafetensorsFile> SafetensorsFile::read(std::span<const std::byte> bytes) {
  const std::string_view text = TRY(header_text(bytes));
  const auto header = json::parse(text, {.depth_max = header_depth_max});
  if (!header) {
    return fail(ErrorCode::corrupt_file, "the header is wrong: {}", header.error().message);
  }
  const auto entries = TRY(read_entries(*header->object()));
  const std::size_t data_begin = length_bytes + text.size();
  const auto data = bytes.subspan(data_begin);
  TRY(check_ranges(entries, data_begin, data.size()));
  SafetensorsFile file;
  file.tensors_.reserve(entries.size());
  for (const Entry& entry : entries) {
    file.tensors_.push_back(
        {.name = std::string(entry.name),
         .view = {.type = entry.type,
                  .shape = entry.shape,
                  .bytes = data.subspan(entry.range.begin, entry.range.end - entry.range.begin)}});
  }
  return file;
}

}  // namespace zhuzi
