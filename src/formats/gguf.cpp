// Reading a GGUF file: header, pairs, tensor entries, then where each tensor's bytes lie.
//
// Everything is believed only after it has been compared with the bytes that are there. Tensors are
// placed last, because `general.alignment` may be any pair.
#include "formats/gguf.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/utf8.h"
#include "formats/internal/gguf_cursor.h"
#include "formats/internal/gguf_value.h"

namespace zhuzi {
namespace {

constexpr std::string_view magic = "GGUF";
constexpr std::uint32_t version_first = 2;
constexpr std::uint32_t version_last = 3;
constexpr std::size_t key_bytes_max = 65'535;      ///< As the specification has it.
constexpr std::size_t tensor_name_bytes_max = 64;  ///< As the specification has it.
constexpr std::uint64_t pairs_max = 65'536;
constexpr std::uint64_t tensors_max = std::uint64_t{1} << 20;
constexpr std::size_t pair_bytes_min = 8 + 4 + 1;           ///< Key length, type, one byte.
constexpr std::size_t entry_bytes_min = 8 + 4 + 8 + 4 + 8;  ///< Of a tensor of rank 1.
constexpr std::string_view alignment_key = "general.alignment";
constexpr std::uint64_t alignment_default = 32;
constexpr std::uint64_t alignment_min = 8;
constexpr std::uint64_t alignment_max = std::uint64_t{1} << 20;

struct Header {
  std::uint32_t version = 0;
  std::uint64_t tensors = 0;
  std::uint64_t pairs = 0;
};

/// A tensor as its entry describes it. `offset` counts from the start of the data.
struct Entry {
  std::string_view name;
  ElementType type = ElementType::f32;
  TensorShape shape;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

std::uint32_t swapped(std::uint32_t value) {
  return value >> 24 | (value >> 8 & 0xFF00) | (value << 8 & 0xFF'0000) | value << 24;
}

Result<std::uint32_t> read_version(GgufCursor& cursor) {
  const auto version = TRY(cursor.number<std::uint32_t>());
  if (version >= version_first && version <= version_last) return version;
  if (const std::uint32_t other = swapped(version); other >= 1 && other <= version_last) {
    return fail(ErrorCode::unsupported, "GGUF version {} in big endian order is not supported",
                other);
  }
  return fail(ErrorCode::unsupported,
              "GGUF version {} is not supported, only {} and {}: convert the model again", version,
              version_first, version_last);
}

Result<Header> read_header(GgufCursor& cursor) {
  const auto begin = cursor.take(magic.size(), 1);
  if (!begin || !std::ranges::equal(*begin, std::as_bytes(std::span(magic)))) {
    return fail(ErrorCode::corrupt_file, "no GGUF file: it does not begin with {}", magic);
  }
  Header header;
  header.version = TRY(read_version(cursor));
  header.tensors = TRY(cursor.number<std::uint64_t>());
  header.pairs = TRY(cursor.number<std::uint64_t>());
  if (header.tensors > tensors_max || header.pairs > pairs_max) {
    return fail(ErrorCode::corrupt_file,
                "{} tensors and {} pairs are announced; at most {} and {} are read", header.tensors,
                header.pairs, tensors_max, pairs_max);
  }
  return header;
}

/// The key of a pair or the name of a tensor.
Result<std::string_view> read_name(GgufCursor& cursor, std::size_t bytes_max) {
  const auto name = TRY(cursor.text());
  if (name.empty()) return cursor.corrupt("it has no name");
  cursor.call(name);
  if (name.size() > bytes_max) {
    return cursor.corrupt("its name has {} bytes, at most {} are allowed", name.size(), bytes_max);
  }
  if (!utf8::is_valid(name)) return cursor.corrupt("its name is not valid UTF-8");
  return name;
}

/// Sorting and not hashing: chosen names cannot make it slow.
Result<void> refuse_twins(std::string_view kind, std::vector<std::string_view> names) {
  std::ranges::sort(names);
  const auto twin = std::ranges::adjacent_find(names);
  if (twin == names.end()) return {};
  return fail(ErrorCode::corrupt_file, "{} {} appears twice", kind, json::excerpt(*twin));
}

Result<std::vector<GgufPair>> read_pairs(GgufCursor& cursor, std::uint64_t count) {
  cursor.begin("pairs", static_cast<std::size_t>(count));
  TRY(cursor.expect(count, pair_bytes_min));
  std::vector<GgufPair> pairs;
  pairs.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    cursor.begin("key", i);
    const auto key = TRY(read_name(cursor, key_bytes_max));
    pairs.push_back({.key = key, .value = TRY(read_gguf_value(cursor))});
  }
  std::vector<std::string_view> names;
  names.reserve(pairs.size());
  for (const GgufPair& pair : pairs) names.push_back(pair.key);
  TRY(refuse_twins("key", std::move(names)));
  return pairs;
}

/// Reads rank and extents and turns them round: GGUF writes the length of a row first.
Result<TensorShape> read_shape(GgufCursor& cursor) {
  const auto rank = TRY(cursor.number<std::uint32_t>());
  if (rank == 0 || rank > tensor_rank_max) {
    return cursor.corrupt("it has {} dimensions, not 1 to {}", rank, tensor_rank_max);
  }
  TensorShape shape{.rank = rank};
  std::uint64_t elements = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    const auto extent = TRY(cursor.number<std::uint64_t>());
    if (extent == 0) return cursor.corrupt("dimension {} of {} is 0", i, rank);
    if (__builtin_mul_overflow(elements, extent, &elements)) {
      return cursor.corrupt("its dimensions multiply to more than 64 bits (dimension {} is {})", i,
                            extent);
    }
    shape.extents[rank - 1 - i] = static_cast<std::size_t>(extent);
  }
  return shape;
}

Result<ElementType> read_element_type(GgufCursor& cursor) {
  const auto number = TRY(cursor.number<std::uint32_t>());
  const auto type = element_type_from_gguf(number);
  if (type) return *type;
  return cursor.fail(ErrorCode::unsupported, "its type number {} is not known", number);
}

Result<std::uint64_t> bytes_of(const GgufCursor& cursor, ElementType type,
                               const TensorShape& shape) {
  const ElementInfo& row = info(type);
  if (shape.columns() % row.block_elements != 0) {
    return cursor.corrupt("its rows of {} elements do not fill {} blocks of {}", shape.columns(),
                          row.name, row.block_elements);
  }
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(shape.elements() / row.block_elements, row.block_bytes, &bytes)) {
    return cursor.corrupt("{} elements of type {} are more bytes than 64 bits count",
                          shape.elements(), row.name);
  }
  return bytes;
}

Result<Entry> read_entry(GgufCursor& cursor, std::uint64_t alignment) {
  Entry entry;
  entry.name = TRY(read_name(cursor, tensor_name_bytes_max));
  entry.shape = TRY(read_shape(cursor));
  entry.type = TRY(read_element_type(cursor));
  entry.bytes = TRY(bytes_of(cursor, entry.type, entry.shape));
  entry.offset = TRY(cursor.number<std::uint64_t>());
  if (entry.offset % alignment != 0) {
    return cursor.corrupt("its offset {} is no multiple of {}", entry.offset, alignment);
  }
  std::uint64_t end = 0;
  if (__builtin_add_overflow(entry.offset, entry.bytes, &end)) {
    return cursor.corrupt("its offset {} and size {} add up to more than 64 bits", entry.offset,
                          entry.bytes);
  }
  return entry;
}

Result<std::vector<Entry>> read_entries(GgufCursor& cursor, std::uint64_t count,
                                        std::uint64_t alignment) {
  cursor.begin("tensors", static_cast<std::size_t>(count));
  TRY(cursor.expect(count, entry_bytes_min));
  std::vector<Entry> entries;
  entries.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    cursor.begin("tensor", i);
    entries.push_back(TRY(read_entry(cursor, alignment)));
  }
  std::vector<std::string_view> names;
  names.reserve(entries.size());
  for (const Entry& entry : entries) names.push_back(entry.name);
  TRY(refuse_twins("tensor", std::move(names)));
  return entries;
}

Result<void> refuse_overlap(const std::vector<Entry>& entries) {
  std::vector<const Entry*> order;
  order.reserve(entries.size());
  for (const Entry& entry : entries) order.push_back(&entry);
  std::ranges::sort(order, {}, &Entry::offset);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const Entry& before = *order[i - 1];
    if (before.offset + before.bytes <= order[i]->offset) continue;
    return fail(ErrorCode::corrupt_file,
                "tensor {} begins at {}, inside tensor {}, which ends at {}",
                json::excerpt(order[i]->name), order[i]->offset, json::excerpt(before.name),
                before.offset + before.bytes);
  }
  return {};
}

/// Error where the file ends before its last tensor does.
Result<void> refuse_cut(const std::vector<Entry>& entries, std::uint64_t data_begin,
                        std::size_t file_bytes) {
  const auto end_of = [](const Entry& entry) { return entry.offset + entry.bytes; };
  const auto last = std::ranges::max_element(entries, {}, end_of);
  if (last == entries.end()) return {};
  std::uint64_t end = 0;
  const bool wraps = __builtin_add_overflow(data_begin, end_of(*last), &end);
  if (!wraps && end <= file_bytes) return {};
  return fail(ErrorCode::corrupt_file,
              "the file is cut: tensor {} ends at byte {}, the file has {}",
              json::excerpt(last->name), wraps ? "2^64 and more" : std::to_string(end), file_bytes);
}

std::unexpected<Error> wrong_kind(std::string_view key, std::string_view wanted) {
  return fail(ErrorCode::corrupt_file, "key {}: its value is not {}", json::excerpt(key), wanted);
}

/// The value of this kind, empty where the key is missing, or an error that names the key.
template <typename T>
Result<std::optional<T>> plain(const GgufValue* value, std::string_view key,
                               std::string_view wanted) {
  if (value == nullptr) return std::optional<T>();
  if (const T* found = std::get_if<T>(value)) return std::optional<T>(*found);
  return wrong_kind(key, wanted);
}

}  // namespace

Result<GgufFile> GgufFile::open(const std::filesystem::path& path) {
  FileMap map = TRY(FileMap::open(path));
  auto file = read(map.bytes());
  if (!file) return fail(file.error().code, "{}: {}", path.string(), file.error().message);
  file->map_ = std::move(map);
  return file;
}

Result<GgufFile> GgufFile::read(std::span<const std::byte> bytes) {
  GgufCursor cursor(bytes);
  const Header header = TRY(read_header(cursor));
  GgufFile file;
  file.version_ = header.version;
  file.pairs_ = TRY(read_pairs(cursor, header.pairs));
  const auto alignment = TRY(file.integer(alignment_key)).value_or(alignment_default);
  if (!std::has_single_bit(alignment) || alignment < alignment_min || alignment > alignment_max) {
    return fail(ErrorCode::corrupt_file, "key \"{}\": {} is no power of two from {} to {}",
                alignment_key, alignment, alignment_min, alignment_max);
  }
  const auto entries = TRY(read_entries(cursor, header.tensors, alignment));
  const std::uint64_t data_begin = (cursor.position() + alignment - 1) / alignment * alignment;
  TRY(refuse_cut(entries, data_begin, bytes.size()));
  TRY(refuse_overlap(entries));
  file.tensors_.reserve(entries.size());
  for (const Entry& entry : entries) {
    file.tensors_.push_back(
        {.name = std::string(entry.name),
         .view = {.type = entry.type,
                  .shape = entry.shape,
                  .bytes = bytes.subspan(data_begin + entry.offset, entry.bytes)}});
  }
  return file;
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = std::ranges::find(pairs_, key, &GgufPair::key);
  return found == pairs_.end() ? nullptr : &found->value;
}

Result<std::optional<std::uint64_t>> GgufFile::integer(std::string_view key) const {
  constexpr std::string_view wanted = "a whole number from 0 on";
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* number = std::get_if<std::int64_t>(value)) {
    if (*number < 0) return wrong_kind(key, wanted);
    return static_cast<std::uint64_t>(*number);
  }
  return plain<std::uint64_t>(value, key, wanted);
}

Result<std::optional<double>> GgufFile::real(std::string_view key) const {
  constexpr std::string_view wanted = "a finite floating-point number";
  const auto number = TRY(plain<double>(find(key), key, wanted));
  if (number && !std::isfinite(*number)) return wrong_kind(key, wanted);
  return number;
}

Result<std::optional<bool>> GgufFile::boolean(std::string_view key) const {
  return plain<bool>(find(key), key, "true or false");
}

Result<std::optional<std::string_view>> GgufFile::text(std::string_view key) const {
  return plain<std::string_view>(find(key), key, "a string");
}

Result<const std::vector<std::string_view>*> GgufFile::texts(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return nullptr;
  const auto* array = std::get_if<GgufArray>(value);
  const auto* found =
      array == nullptr ? nullptr : std::get_if<std::vector<std::string_view>>(array);
  if (found == nullptr) return wrong_kind(key, "an array of strings");
  return found;
}

Result<std::optional<std::vector<std::int64_t>>> GgufFile::integers(std::string_view key) const {
  constexpr std::string_view wanted = "an array of whole numbers below 2^63";
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* array = std::get_if<GgufArray>(value);
  if (array == nullptr) return wrong_kind(key, wanted);
  if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(array)) return *numbers;
  const auto* naturals = std::get_if<std::vector<std::uint64_t>>(array);
  if (naturals == nullptr) return wrong_kind(key, wanted);
  constexpr auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool fits = std::ranges::all_of(*naturals, [](std::uint64_t n) { return n <= limit; });
  if (!fits) return wrong_kind(key, wanted);
  return std::vector<std::int64_t>(naturals->begin(), naturals->end());
}

}  // namespace zhuzi
