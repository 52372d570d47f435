// SafetensorsFile: real files, then headers that are wrong in one point each (case I5), files that
// are cut (I6), and folders whose index does not tell the truth.
#include "formats/safetensors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include "base/scratch_folder.h"
#include "formats/safetensors_writer.h"

namespace zhuzi {
namespace {

using testing::safetensors_file;
using testing::SafetensorsText;
using testing::ScratchFolder;

const std::filesystem::path models = std::filesystem::path(ZHUZI_TEST_DATA) / "models";

/// Keeps the bytes beside the file that was read from them.
struct Reading {
  explicit Reading(const SafetensorsText& text)
      : bytes(safetensors_file(text)),
        file(SafetensorsFile::read(std::as_bytes(std::span(bytes)))) {}
  std::string bytes;
  Result<SafetensorsFile> file;
};

template <typename T>
void expect_words(const Result<T>& result, ErrorCode code,
                  std::initializer_list<std::string_view> parts) {
  ASSERT_FALSE(result.has_value()) << "read, instead of: " << *parts.begin();
  EXPECT_EQ(result.error().code, code) << result.error().message;
  for (const std::string_view part : parts) {
    EXPECT_NE(result.error().message.find(part), std::string::npos)
        << "\"" << part << "\" is not in: " << result.error().message;
  }
  EXPECT_LE(result.error().message.size(), 500U);
}

void expect_error(const SafetensorsText& text, ErrorCode code,
                  std::initializer_list<std::string_view> parts) {
  expect_words(Reading(text).file, code, parts);
}

void expect_corrupt(const SafetensorsText& text, std::initializer_list<std::string_view> parts) {
  expect_error(text, ErrorCode::corrupt_file, parts);
}

/// A header with one tensor `t` of F32.
std::string header_of(std::string_view shape, std::string_view offsets) {
  return fmt::format(R"({{"t":{{"dtype":"F32","shape":{},"data_offsets":{}}}}})", shape, offsets);
}

TEST(Safetensors, reads_a_real_folder_of_one_file) {
  const auto files = open_safetensors_folder(models / "llama_mha");
  ASSERT_TRUE(files.has_value()) << files.error().message;
  ASSERT_EQ(files->size(), 1U);
  const auto& tensors = files->front().tensors();
  const auto found = std::ranges::find(tensors, "model.norm.weight", &NamedTensor::name);
  ASSERT_NE(found, tensors.end());
  EXPECT_EQ(found->view.type, ElementType::f32);
  EXPECT_EQ(found->view.shape, (TensorShape{.extents = {64}, .rank = 1}));
  for (const NamedTensor& tensor : tensors) {
    EXPECT_EQ(tensor.view.bytes.size(), tensor.view.shape.rows() * tensor.view.row_bytes());
  }
}

TEST(Safetensors, reads_a_real_folder_of_shards) {
  const auto files = open_safetensors_folder(models / "llama_gqa_llama3rope");
  ASSERT_TRUE(files.has_value()) << files.error().message;
  ASSERT_EQ(files->size(), 2U);
  EXPECT_FALSE(files->back().tensors().empty());
  EXPECT_EQ(files->back().tensors().front().view.type, ElementType::bf16);
}

TEST(Safetensors, reads_every_dtype_that_has_an_element_type) {
  for (const auto& [dtype, type] : {std::pair{"F64", ElementType::f64},
                                    {"F32", ElementType::f32},
                                    {"F16", ElementType::f16},
                                    {"BF16", ElementType::bf16},
                                    {"I64", ElementType::i64},
                                    {"I32", ElementType::i32},
                                    {"I16", ElementType::i16},
                                    {"I8", ElementType::i8}}) {
    const std::size_t bytes = 6 * info(type).block_bytes;
    const auto header = fmt::format(
        R"({{"t":{{"dtype":"{}","shape":[2,3],"data_offsets":[0,{}]}}}})", dtype, bytes);
    const Reading reading({.header = header, .data_bytes = bytes});
    ASSERT_TRUE(reading.file.has_value()) << reading.file.error().message;
    EXPECT_EQ(reading.file->tensors().front().view.type, type);
    EXPECT_EQ(reading.file->tensors().front().view.bytes.size(), bytes);
  }
}

TEST(Safetensors, names_the_dtype_that_it_does_not_support) {
  for (const auto* dtype :
       {"U8", "BOOL", "F8_E4M3", "F8_E5M2", "U16", "U32", "U64", "F4", "Q8_0", "f32", ""}) {
    const auto header =
        fmt::format(R"({{"t":{{"dtype":"{}","shape":[1],"data_offsets":[0,1]}}}})", dtype);
    expect_error({.header = header, .data_bytes = 1}, ErrorCode::unsupported,
                 {"tensor \"t\"", fmt::format("\"{}\"", dtype)});
  }
}

TEST(Safetensors, I5_any_order_of_the_header_and_tensors_of_nothing_load) {
  const Reading reading({.header = R"({"b":{"data_offsets":[4,8],"shape":[1],"dtype":"F32"},
      "none":{"dtype":"F32","shape":[3,0],"data_offsets":[4,4]},
      "last":{"dtype":"F32","shape":[0],"data_offsets":[8,8]},
      "__metadata__":{"format":"pt"},
      "a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}   )",
                         .data_bytes = 8});
  ASSERT_TRUE(reading.file.has_value()) << reading.file.error().message;
  const auto& tensors = reading.file->tensors();
  ASSERT_EQ(tensors.size(), 4U);
  EXPECT_EQ(tensors[0].name, "b");
  EXPECT_EQ(tensors[1].view.shape, (TensorShape{.extents = {3, 0}, .rank = 2}));
  EXPECT_TRUE(tensors[1].view.bytes.empty());
  EXPECT_EQ(tensors[3].view.shape.rank, 0U);
  EXPECT_EQ(tensors[3].view.bytes.size(), 4U);
  EXPECT_EQ(tensors[0].view.bytes.data(), tensors[3].view.bytes.data() + 4);
}

TEST(Safetensors, I5_an_empty_object_is_a_file_without_tensors) {
  const Reading reading({.header = "{}"});
  ASSERT_TRUE(reading.file.has_value()) << reading.file.error().message;
  EXPECT_TRUE(reading.file->tensors().empty());
}

TEST(Safetensors, I5_offsets_that_are_no_range_are_refused) {
  for (const auto* offsets : {"[4,0]", "[-1,3]", "[0,-4]", "[0]", "[0,4,8]", "[]", "4", "null",
                              "[0,4.0]", "[0,\"4\"]", "[0,1e400]", "[0,9223372036854775808]"}) {
    expect_corrupt({.header = header_of("[1]", offsets), .data_bytes = 8},
                   {"tensor \"t\"", "data_offsets"});
  }
}

TEST(Safetensors, I5_a_range_of_another_size_than_the_shape_is_refused) {
  expect_corrupt({.header = header_of("[2]", "[0,4]"), .data_bytes = 4},
                 {"tensor \"t\"", "4 bytes", "8"});
  expect_corrupt({.header = header_of("[2]", "[0,12]"), .data_bytes = 12},
                 {"tensor \"t\"", "12 bytes", "8"});
}

TEST(Safetensors, I5_shapes_that_are_none_are_refused) {
  for (const auto* shape : {"[-1]", "[1.0]", "[\"1\"]", "[[1]]", "[9223372036854775808]"}) {
    expect_corrupt({.header = header_of(shape, "[0,4]"), .data_bytes = 4},
                   {"tensor \"t\"", "dimension 0"});
  }
  for (const auto* shape : {"1", "null", "{}"}) {
    expect_corrupt({.header = header_of(shape, "[0,4]"), .data_bytes = 4},
                   {"tensor \"t\"", "no shape"});
  }
  for (const auto* shape :
       {"[4611686018427387904]", "[4294967296,4294967296]", "[9223372036854775807,2]"}) {
    expect_corrupt({.header = header_of(shape, "[0,4]"), .data_bytes = 4},
                   {"tensor \"t\"", "64 bits"});
  }
  expect_error({.header = header_of("[1,1,1,1,1]", "[0,4]"), .data_bytes = 4},
               ErrorCode::unsupported, {"tensor \"t\"", "5 dimensions", "4"});
}

TEST(Safetensors, I5_ranges_that_overlap_or_leave_a_hole_are_refused) {
  const auto two = [](std::string_view a, std::string_view b) {
    return fmt::format(R"({{"a":{{"dtype":"F32","shape":[2],"data_offsets":{}}},)"
                       R"("b":{{"dtype":"F32","shape":[2],"data_offsets":{}}}}})",
                       a, b);
  };
  EXPECT_TRUE(Reading({.header = two("[8,16]", "[0,8]"), .data_bytes = 16}).file.has_value());
  expect_corrupt({.header = two("[0,8]", "[4,12]"), .data_bytes = 12}, {"tensor \"b\"", "4", "8"});
  expect_corrupt({.header = two("[0,8]", "[0,8]"), .data_bytes = 8}, {"tensor", "0", "8"});
  expect_corrupt({.header = two("[0,8]", "[12,20]"), .data_bytes = 20},
                 {"tensor \"b\"", "12", "8"});
  expect_corrupt({.header = two("[4,12]", "[12,20]"), .data_bytes = 20},
                 {"tensor \"a\"", "4", "0"});
}

TEST(Safetensors, I5_bytes_behind_the_last_tensor_are_refused) {
  const std::string header = header_of("[1]", "[0,4]");
  expect_corrupt({.header = header, .data_bytes = 5},
                 {std::to_string(8 + header.size() + 4), std::to_string(8 + header.size() + 5)});
}

TEST(Safetensors, I5_headers_that_are_none_are_refused) {
  expect_corrupt({.header = ""}, {"no JSON object"});
  expect_corrupt({.header = "[]"}, {"no JSON object"});
  expect_corrupt({.header = " {}"}, {"no JSON object"});
  expect_corrupt({.header = "{}x"}, {"header"});
  expect_corrupt({.header = "{\"a\":1"}, {"header"});
  expect_corrupt({.header = "{\"\xFF\":1}"}, {"header"});
  expect_corrupt({.header = R"({"t":1})"}, {"tensor \"t\"", "dtype"});
  expect_corrupt({.header = R"({"t":{"dtype":1,"shape":[],"data_offsets":[0,4]}})"},
                 {"tensor \"t\"", "dtype"});
  expect_corrupt({.header = R"({"t":{"dtype":"F32","data_offsets":[0,4]}})"},
                 {"tensor \"t\"", "shape"});
  expect_corrupt({.header = R"({"t":{},"t":{}})"}, {"\"t\"", "twice"});
  expect_corrupt({.header = "{\"a\":" + std::string(1'000'000, '[')}, {"nested"});
}

TEST(Safetensors, I5_metadata_other_than_strings_is_refused) {
  for (const auto* header : {R"({"__metadata__":{"a":1}})", R"({"__metadata__":[]})",
                             R"({"__metadata__":{"a":{}}})", R"({"__metadata__":"x"})"}) {
    expect_corrupt({.header = header}, {"__metadata__"});
  }
}

TEST(Safetensors, I5_header_lengths_beyond_the_file_or_the_limit_are_refused) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t length :
       {std::uint64_t{3}, std::uint64_t{100'000'001}, most, most - 7}) {
    expect_corrupt({.header = "{}", .header_length = length}, {std::to_string(length), "2 bytes"});
  }
  for (std::size_t size = 0; size < 8; ++size) {
    const std::string bytes(size, '\0');
    expect_words(SafetensorsFile::read(std::as_bytes(std::span(bytes))), ErrorCode::corrupt_file,
                 {"no safetensors file"});
  }
}

TEST(Safetensors, I6_a_file_that_ends_inside_a_tensor_says_what_is_missing) {
  const std::string header = R"({"a":{"dtype":"F32","shape":[2048],"data_offsets":[0,8192]},)"
                             R"("b":{"dtype":"F32","shape":[2048],"data_offsets":[8192,16384]}})";
  const std::size_t whole = 8 + header.size() + 16384;
  const ScratchFolder folder;
  const std::string bytes = safetensors_file({.header = header, .data_bytes = 16384});
  ASSERT_EQ(bytes.size(), whole);
  ASSERT_TRUE(SafetensorsFile::open(folder.write("right", bytes)).has_value());
  for (const std::size_t size : {whole - 1, whole - 8192, whole - 16384, std::size_t{4096}}) {
    const auto path = folder.write("cut", std::string_view(bytes).substr(0, size));
    expect_words(SafetensorsFile::open(path), ErrorCode::corrupt_file,
                 {"cut", "tensor", std::to_string(whole), std::to_string(size)});
  }
}

/// A folder of one shard `a.safetensors` with the tensor `t`, and an index.
struct Shards {
  explicit Shards(std::string_view index) {
    folder.write("a.safetensors",
                 safetensors_file({.header = header_of("[1]", "[0,4]"), .data_bytes = 4}));
    folder.write("model.safetensors.index.json", index);
  }
  ScratchFolder folder;
};

TEST(SafetensorsFolder, opens_the_shards_of_the_index) {
  const Shards shards(R"({"metadata":{},"weight_map":{"t":"a.safetensors"}})");
  const auto files = open_safetensors_folder(shards.folder.path());
  ASSERT_TRUE(files.has_value()) << files.error().message;
  ASSERT_EQ(files->size(), 1U);
  EXPECT_EQ(files->front().tensors().front().name, "t");
}

TEST(SafetensorsFolder, one_file_needs_no_index) {
  const Shards shards("broken");
  shards.folder.write("model.safetensors", safetensors_file({.header = "{}"}));
  EXPECT_TRUE(open_safetensors_folder(shards.folder.path()).has_value());
}

TEST(SafetensorsFolder, without_a_model_is_not_found) {
  const ScratchFolder folder;
  expect_words(open_safetensors_folder(folder.path()), ErrorCode::not_found, {"model.safetensors"});
  expect_words(open_safetensors_folder(folder.path() / "missing"), ErrorCode::not_found, {});
}

TEST(SafetensorsFolder, refuses_an_index_that_is_none) {
  for (const auto* index : {"[]", "{}", R"({"weight_map":[]})", R"({"weight_map":{}})", "{"}) {
    const Shards shards(index);
    expect_words(open_safetensors_folder(shards.folder.path()), ErrorCode::corrupt_file,
                 {"model.safetensors.index.json"});
  }
}

TEST(SafetensorsFolder, H9_a_shard_is_a_plain_name_in_the_folder) {
  const ScratchFolder outside;
  const auto marker = outside.write(
      "a.safetensors", safetensors_file({.header = header_of("[1]", "[0,4]"), .data_bytes = 4}));
  const std::string long_name(5000, 'x');
  for (const std::string& name :
       {std::string("../a.safetensors"), std::string("./a.safetensors"), marker.string(),
        std::string("a/../a.safetensors"), std::string("a\\\\b"), std::string("."),
        std::string(".."), std::string(""), std::string("a.safetensors\\u0000x"), long_name}) {
    const Shards shards(fmt::format(R"({{"weight_map":{{"t":"{}"}}}})", name));
    expect_words(open_safetensors_folder(shards.folder.path()), ErrorCode::corrupt_file,
                 {"tensor \"t\"", "no plain file name"});
  }
  const Shards number(R"({"weight_map":{"t":1}})");
  expect_words(open_safetensors_folder(number.folder.path()), ErrorCode::corrupt_file,
               {"tensor \"t\"", "no plain file name"});
}

TEST(SafetensorsFolder, refuses_a_tensor_that_is_promised_and_not_there) {
  const Shards shards(R"({"weight_map":{"t":"a.safetensors","u":"a.safetensors"}})");
  expect_words(open_safetensors_folder(shards.folder.path()), ErrorCode::corrupt_file,
               {"\"u\"", "\"a.safetensors\""});
}

TEST(SafetensorsFolder, refuses_a_tensor_that_two_shards_have) {
  const Shards shards(R"({"weight_map":{"t":"a.safetensors","u":"b.safetensors"}})");
  shards.folder.write("b.safetensors",
                      safetensors_file({.header = header_of("[1]", "[0,4]"), .data_bytes = 4}));
  expect_words(open_safetensors_folder(shards.folder.path()), ErrorCode::corrupt_file,
               {"\"t\"", "two shards", "\"a.safetensors\"", "\"b.safetensors\""});
}

TEST(SafetensorsFolder, names_a_shard_that_is_missing) {
  const Shards shards(R"({"weight_map":{"t":"b.safetensors"}})");
  expect_words(open_safetensors_folder(shards.folder.path()), ErrorCode::not_found,
               {"b.safetensors"});
}

TEST(SafetensorsFolder, refuses_more_shards_than_it_reads) {
  std::string index = R"({"weight_map":{"t":"a.safetensors")";
  for (int i = 0; i < 4096; ++i) index += fmt::format(R"(,"t{}":"{}.safetensors")", i, i);
  const Shards shards(index + "}}");
  expect_words(open_safetensors_folder(shards.folder.path()), ErrorCode::corrupt_file,
               {"4097", "4096"});
}

}  // namespace
}  // namespace zhuzi
