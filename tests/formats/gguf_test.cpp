// GgufFile: what loads. Real files, then files made by GgufWriter. What is refused is in
// gguf_hostile_test.cpp.
#include "formats/gguf.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>

#include "base/json.h"
#include "formats/gguf_writer.h"
#include "formats/text_file.h"

namespace zhuzi {
namespace {

using testing::Bytes;
using testing::GgufWriter;

const std::filesystem::path models = std::filesystem::path(ZHUZI_TEST_DATA) / "gguf_models";
constexpr std::uint64_t huge = std::uint64_t{1} << 63;

TEST(GgufFile, reads_the_tensors_of_real_files) {
  for (const auto* name : {"llama", "qwen3"}) {
    const auto golden = read_json_file(models / (std::string(name) + ".golden.json"));
    ASSERT_TRUE(golden.has_value()) << golden.error().message;
    const auto file = GgufFile::open(models / (std::string(name) + ".gguf"));
    ASSERT_TRUE(file.has_value()) << file.error().message;
    EXPECT_EQ(file->version(), 3U);
    const json::Value& types = *golden->find("tensor_types");
    std::size_t found = 0;
    for (const NamedTensor& tensor : file->tensors()) {
      const json::Value* type = types.find(tensor.name);
      if (type == nullptr) continue;  // rope_freqs.weight is no quantized matrix.
      EXPECT_EQ(info(tensor.view.type).name, *type->string()) << tensor.name;
      EXPECT_EQ(tensor.view.bytes.size(), tensor.view.row_bytes() * tensor.view.shape.rows());
      ++found;
    }
    EXPECT_EQ(found, types.object()->members().size());
  }
}

TEST(GgufFile, reads_the_pairs_of_a_real_file) {
  const auto file = GgufFile::open(models / "llama.gguf");
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->text("general.architecture").value(), "llama");
  EXPECT_EQ(file->integer("llama.block_count").value(), 2U);
  EXPECT_EQ(file->integer("llama.attention.head_count_kv").value(), 2U);
  EXPECT_FLOAT_EQ(static_cast<float>(**file->real("llama.rope.freq_base")), 10000.0F);
  EXPECT_EQ((*file->texts("tokenizer.ggml.tokens"))->size(), 320U);
  EXPECT_EQ((*file->integers("tokenizer.ggml.token_type"))->size(), 320U);
  EXPECT_EQ(file->integer("no.such.key").value(), std::nullopt);
}

TEST(GgufFile, turns_extents_into_row_major_order) {
  const Bytes bytes =
      GgufWriter().add_zeros("a", {64, 3, 2}, ElementType::q8_0).add_zeros("b", {7}).bytes();
  const auto file = GgufFile::read(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const TensorView& a = file->tensors()[0].view;
  EXPECT_EQ(a.shape, (TensorShape{.extents = {2, 3, 64}, .rank = 3}));
  EXPECT_EQ(a.row_bytes(), 68U);
  EXPECT_EQ(a.bytes.size(), 6U * 68U);
  const TensorView& b = file->tensors()[1].view;
  EXPECT_EQ(b.shape.rows(), 1U);
  EXPECT_EQ(b.shape.columns(), 7U);
  EXPECT_EQ(b.bytes.data() + b.bytes.size(), bytes.data() + bytes.size() - 4);
}

TEST(GgufFile, reads_version_2_and_the_bytes_of_a_tensor) {
  GgufWriter writer;
  writer.wrong.version = 2;
  writer.add("general.alignment", std::uint32_t{64}).alignment = 64;
  writer.add_tensor({.name = "t", .extents = {3}, .type = 24, .data = Bytes(3, std::byte{7})});
  const Bytes bytes = writer.bytes();
  const auto file = GgufFile::read(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->version(), 2U);
  EXPECT_EQ((file->tensors()[0].view.bytes.data() - bytes.data()) % 64, 0);
  EXPECT_EQ(file->tensors()[0].view.bytes[2], std::byte{7});
}

TEST(GgufFile, keeps_numbers_of_every_width) {
  const Bytes bytes = GgufWriter()
                          .add("u8", std::uint8_t{255})
                          .add("i8", std::int8_t{-128})
                          .add("u16", std::uint16_t{65535})
                          .add("i16", std::int16_t{-32768})
                          .add("u32", std::uint32_t{4294967295})
                          .add("i32", std::int32_t{-5})
                          .add("u64", std::numeric_limits<std::uint64_t>::max())
                          .add("i64", std::numeric_limits<std::int64_t>::min())
                          .add("f32", 0.1F)
                          .add("f64", 0.1)
                          .add("yes", true)
                          .add("text", "a\xFFz")
                          .bytes();
  const auto file = GgufFile::read(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(file->integer("u8").value(), 255U);
  EXPECT_EQ(std::get<std::int64_t>(*file->find("i8")), -128);
  EXPECT_EQ(file->integer("u16").value(), 65535U);
  EXPECT_EQ(std::get<std::int64_t>(*file->find("i16")), -32768);
  EXPECT_EQ(file->integer("u32").value(), 4294967295U);
  EXPECT_EQ(std::get<std::int64_t>(*file->find("i32")), -5);
  EXPECT_EQ(file->integer("u64").value(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(std::get<std::int64_t>(*file->find("i64")), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(file->real("f32").value(), double{0.1F});
  EXPECT_EQ(file->real("f64").value(), 0.1);
  EXPECT_EQ(file->boolean("yes").value(), true);
  EXPECT_EQ(file->text("text").value(), "a\xFFz");
}

TEST(GgufFile, keeps_arrays_in_the_widest_type_of_their_kind) {
  const Bytes bytes = GgufWriter()
                          .add_array<std::uint16_t>("naturals", {1, 65535})
                          .add_array<std::int8_t>("integers", {-1, 127})
                          .add_array<float>("reals", {0.5F})
                          .add_array<bool>("booleans", {true, false})
                          .add_texts("texts", {"", "bc"})
                          .add_texts("empty", {})
                          .bytes();
  const auto file = GgufFile::read(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(**file->integers("naturals"), (std::vector<std::int64_t>{1, 65535}));
  EXPECT_EQ(**file->integers("integers"), (std::vector<std::int64_t>{-1, 127}));
  const auto& reals = std::get<GgufArray>(*file->find("reals"));
  EXPECT_EQ(std::get<std::vector<double>>(reals), std::vector<double>{0.5});
  const auto& booleans = std::get<GgufArray>(*file->find("booleans"));
  EXPECT_EQ(std::get<std::vector<bool>>(booleans), (std::vector<bool>{true, false}));
  EXPECT_EQ(**file->texts("texts"), (std::vector<std::string_view>{"", "bc"}));
  EXPECT_TRUE((*file->texts("empty"))->empty());
  EXPECT_EQ(*file->texts("missing"), nullptr);
  EXPECT_EQ(*file->integers("missing"), std::nullopt);
}

TEST(GgufFile, a_value_of_another_kind_is_an_error_that_names_the_key) {
  const Bytes bytes = GgufWriter()
                          .add("negative", std::int32_t{-1})
                          .add("text", "x")
                          .add("infinite", std::numeric_limits<float>::infinity())
                          .add_array<std::uint64_t>("large", {huge})
                          .add_texts("texts", {"x"})
                          .bytes();
  const auto file = GgufFile::read(bytes);
  ASSERT_TRUE(file.has_value()) << file.error().message;
  const auto names = [](const auto& result, const std::string& key) {
    return !result && result.error().code == ErrorCode::corrupt_file &&
           result.error().message.find("\"" + key + "\"") != std::string::npos;
  };
  EXPECT_TRUE(names(file->integer("negative"), "negative"));
  EXPECT_TRUE(names(file->integer("text"), "text"));
  EXPECT_TRUE(names(file->real("negative"), "negative"));
  EXPECT_TRUE(names(file->real("infinite"), "infinite"));
  EXPECT_TRUE(names(file->boolean("text"), "text"));
  EXPECT_TRUE(names(file->text("texts"), "texts"));
  EXPECT_TRUE(names(file->texts("text"), "text"));
  EXPECT_TRUE(names(file->texts("large"), "large"));
  EXPECT_TRUE(names(file->integers("large"), "large"));
  EXPECT_TRUE(names(file->integers("texts"), "texts"));
  EXPECT_TRUE(names(file->integers("text"), "text"));
}

TEST(GgufFile, takes_tensors_in_any_order_and_with_room_between_them) {
  const Bytes bytes =
      GgufWriter()
          .add_tensor({.name = "a", .extents = {8}, .data = Bytes(64), .offset = 64})
          .add_tensor({.name = "b", .extents = {8}, .data = Bytes(64), .offset = 0})
          .bytes();
  EXPECT_TRUE(GgufFile::read(bytes).has_value());
}

TEST(GgufFile, opening_names_the_file) {
  const auto missing = GgufFile::open(models / "missing.gguf");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, ErrorCode::not_found);
  const auto json = GgufFile::open(models / "llama.golden.json");
  ASSERT_FALSE(json.has_value());
  EXPECT_EQ(json.error().code, ErrorCode::corrupt_file);
  EXPECT_NE(json.error().message.find("llama.golden.json: no GGUF file"), std::string::npos);
}

TEST(GgufFile, views_stay_when_the_file_moves) {
  auto first = GgufFile::open(models / "llama.gguf");
  ASSERT_TRUE(first.has_value()) << first.error().message;
  const std::byte* data = first->tensors()[0].view.bytes.data();
  const std::byte value = *data;
  const GgufFile second = *std::move(first);
  EXPECT_EQ(second.tensors()[0].view.bytes.data(), data);
  EXPECT_EQ(*data, value);
}

}  // namespace
}  // namespace zhuzi
