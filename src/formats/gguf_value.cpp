// Values of a GGUF file: a type number, then a number, a bool, a string, or an array of one of
// them.
//
//   scalar: [type u32][value]      array: [9 u32][element type u32][count u64][elements]
//
// Place in the journey: gguf.cpp calls this once for each pair. An array is checked as a whole
// before room for it is made, so 49,152 token strings cost one allocation and one pass.
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "formats/internal/gguf_value.h"

namespace zhuzi {
namespace {

/// Numbers of the specification's gguf_metadata_value_type.
enum class ValueType : std::uint32_t {
  u8,
  i8,
  u16,
  i16,
  u32,
  i32,
  f32,
  boolean,
  string,
  array,
  u64,
  i64,
  f64,
};
constexpr auto type_last = static_cast<std::uint32_t>(ValueType::f64);

Result<ValueType> read_type(GgufCursor& cursor) {
  const auto number = TRY(cursor.number<std::uint32_t>());
  if (number <= type_last) return static_cast<ValueType>(number);
  return cursor.corrupt("its value type is {}, the last one known is {}", number, type_last);
}

/// Calls `function.operator()<Stored, Wide>()` with the widest type of the same kind.
template <typename Function>
auto with_number(ValueType type, Function function) {
  switch (type) {
    case ValueType::u8: return function.template operator()<std::uint8_t, std::uint64_t>();
    case ValueType::i8: return function.template operator()<std::int8_t, std::int64_t>();
    case ValueType::u16: return function.template operator()<std::uint16_t, std::uint64_t>();
    case ValueType::i16: return function.template operator()<std::int16_t, std::int64_t>();
    case ValueType::u32: return function.template operator()<std::uint32_t, std::uint64_t>();
    case ValueType::i32: return function.template operator()<std::int32_t, std::int64_t>();
    case ValueType::f32: return function.template operator()<float, double>();
    case ValueType::u64: return function.template operator()<std::uint64_t, std::uint64_t>();
    case ValueType::i64: return function.template operator()<std::int64_t, std::int64_t>();
    case ValueType::f64: return function.template operator()<double, double>();
    case ValueType::boolean:
    case ValueType::string:
    case ValueType::array: break;
  }
  check_failed("only numbers are widened", std::source_location::current());
}

Result<bool> to_boolean(const GgufCursor& cursor, std::byte byte) {
  const auto number = std::to_integer<unsigned>(byte);
  if (number <= 1) return number == 1;
  return cursor.corrupt("a boolean is 0 or 1, not {}", number);
}

template <typename Stored, typename Wide>
Result<GgufArray> read_numbers(GgufCursor& cursor, std::uint64_t count) {
  const auto bytes = TRY(cursor.take(count, sizeof(Stored)));
  std::vector<Wide> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored stored{};
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = static_cast<Wide>(stored);
  }
  return values;
}

Result<GgufArray> read_booleans(GgufCursor& cursor, std::uint64_t count) {
  const auto bytes = TRY(cursor.take(count, 1));
  std::vector<bool> values(bytes.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = TRY(to_boolean(cursor, bytes[i]));
  return values;
}

Result<GgufArray> read_texts(GgufCursor& cursor, std::uint64_t count) {
  TRY(cursor.expect(count, sizeof(std::uint64_t)));
  std::vector<std::string_view> values(static_cast<std::size_t>(count));
  for (std::string_view& value : values) value = TRY(cursor.text());
  return values;
}

Result<GgufArray> read_array(GgufCursor& cursor) {
  const auto type = TRY(read_type(cursor));
  const auto count = TRY(cursor.number<std::uint64_t>());
  if (type == ValueType::array) {
    return cursor.fail(ErrorCode::unsupported, "arrays of arrays are not supported");
  }
  if (count > gguf_array_max) {
    return cursor.corrupt("an array of {} elements; at most {} are read", count, gguf_array_max);
  }
  if (type == ValueType::boolean) return read_booleans(cursor, count);
  if (type == ValueType::string) return read_texts(cursor, count);
  return with_number(type, [&]<typename Stored, typename Wide>() {
    return read_numbers<Stored, Wide>(cursor, count);
  });
}

}  // namespace

Result<GgufValue> read_gguf_value(GgufCursor& cursor) {
  const auto type = TRY(read_type(cursor));
  if (type == ValueType::boolean) {
    const auto byte = TRY(cursor.number<std::byte>());
    return TRY(to_boolean(cursor, byte));
  }
  if (type == ValueType::string) return TRY(cursor.text());
  if (type == ValueType::array) return TRY(read_array(cursor));
  return with_number(type, [&]<typename Stored, typename Wide>() -> Result<GgufValue> {
    return static_cast<Wide>(TRY(cursor.number<Stored>()));
  });
}

}  // namespace zhuzi
