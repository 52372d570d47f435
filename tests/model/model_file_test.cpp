// ModelFile::open: what a path may be, and a sentence for everything else.
#include "model/model_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/scratch_folder.h"
#include "formats/gguf_writer.h"
#include "model/support.h"

namespace zhuzi {
namespace {

using testing::fails_with;
using testing::ScratchFolder;

const std::filesystem::path data = ZHUZI_TEST_DATA;

/// GPT-2 as its GGUF files are: matrices turned round, query, key and value in one.
testing::GgufWriter small_gpt2(bool with_head) {
  testing::GgufWriter file;
  file.add("general.architecture", "gpt2").add("gpt2.embedding_length", 8U);
  file.add("gpt2.attention.head_count", 2U).add("gpt2.feed_forward_length", 6U);
  file.add("gpt2.attention.layer_norm_epsilon", 1e-5F).add("gpt2.block_count", 1U);
  file.add("gpt2.context_length", 16U);
  file.add_texts("tokenizer.ggml.tokens", {"a", "b", "c"});
  file.add_zeros("token_embd.weight", {8, 3}).add_zeros("position_embd.weight", {8, 16});
  file.add_zeros("output_norm.weight", {8}).add_zeros("output_norm.bias", {8});
  if (with_head) file.add_zeros("output.weight", {8, 3});
  for (const std::string name : {"attn_norm", "ffn_norm"}) {
    file.add_zeros("blk.0." + name + ".weight", {8}).add_zeros("blk.0." + name + ".bias", {8});
  }
  file.add_zeros("blk.0.attn_qkv.weight", {8, 24}).add_zeros("blk.0.attn_qkv.bias", {24});
  file.add_zeros("blk.0.attn_output.weight", {8, 8}).add_zeros("blk.0.attn_output.bias", {8});
  file.add_zeros("blk.0.ffn_up.weight", {8, 6}).add_zeros("blk.0.ffn_up.bias", {6});
  file.add_zeros("blk.0.ffn_down.weight", {6, 8}).add_zeros("blk.0.ffn_down.bias", {8});
  return file;
}

std::filesystem::path write(const ScratchFolder& folder, const testing::GgufWriter& file) {
  const testing::Bytes bytes = file.bytes();
  return folder.write("model.gguf", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

TEST(ModelFile, opens_a_gguf_file_a_folder_and_the_weights_in_a_folder) {
  const auto gguf = ModelFile::open(data / "gguf_models" / "llama.gguf");
  ASSERT_TRUE(gguf) << gguf.error().message;
  EXPECT_TRUE(std::holds_alternative<GgufFile>(gguf->source));
  EXPECT_EQ(gguf->spec.name, "zhuzi fixture llama");

  for (const std::filesystem::path& path :
       {data / "models/gpt2", data / "models/gpt2/", data / "models/gpt2/model.safetensors"}) {
    const auto folder = ModelFile::open(path);
    ASSERT_TRUE(folder) << folder.error().message;
    EXPECT_TRUE(std::holds_alternative<HuggingFaceFolder>(folder->source));
    EXPECT_EQ(folder->spec.name, "gpt2") << path;
    EXPECT_FALSE(std::get<HuggingFaceFolder>(folder->source).generation.has_value());
  }
  const auto shard =
      ModelFile::open(data / "models/llama_gqa_llama3rope/model-00002-of-00002.safetensors");
  ASSERT_TRUE(shard) << shard.error().message;
  EXPECT_EQ(std::get<HuggingFaceFolder>(shard->source).shards.size(), 2u);
}

TEST(ModelFile, opens_gguf_files_of_the_fused_family_with_and_without_a_head) {
  for (const bool with_head : {false, true}) {
    const ScratchFolder folder;
    const auto model = ModelFile::open(write(folder, small_gpt2(with_head)));
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->spec.tied_head, !with_head);
    const LayerWeights& layer = model->weights.layers.at(0);
    EXPECT_EQ(layer.value.rows, 8u);
    EXPECT_EQ(layer.value.data, layer.query.data + 16 * layer.query.row_bytes);
    EXPECT_EQ(layer.key_bias.size(), 8u);
    EXPECT_EQ(model->weights.positions.rows, 16u);
    EXPECT_TRUE(model->weights.rewritten.empty());
  }
}

TEST(ModelFile, published_files_without_prefix_and_with_causal_masks_load) {
  const ScratchFolder folder;
  folder.write("config.json", R"({"model_type": "gpt2", "n_embd": 2, "n_head": 1, "n_layer": 1,
    "n_positions": 4, "n_inner": 3, "vocab_size": 5})");
  folder.write("generation_config.json", R"({"eos_token_id": 2})");
  const std::vector<std::pair<std::string, std::vector<std::size_t>>> tensors{
      {"h.0.attn.bias", {1, 1, 4, 4}},
      {"h.0.attn.c_attn.bias", {6}},
      {"h.0.attn.c_attn.weight", {2, 6}},
      {"h.0.attn.c_proj.bias", {2}},
      {"h.0.attn.c_proj.weight", {2, 2}},
      {"h.0.ln_1.bias", {2}},
      {"h.0.ln_1.weight", {2}},
      {"h.0.ln_2.bias", {2}},
      {"h.0.ln_2.weight", {2}},
      {"h.0.mlp.c_fc.bias", {3}},
      {"h.0.mlp.c_fc.weight", {2, 3}},
      {"h.0.mlp.c_proj.bias", {2}},
      {"h.0.mlp.c_proj.weight", {3, 2}},
      {"ln_f.bias", {2}},
      {"ln_f.weight", {2}},
      {"wpe.weight", {4, 2}},
      {"wte.weight", {5, 2}}};
  std::string header;
  std::size_t end = 0;
  for (const auto& [name, shape] : tensors) {
    const std::size_t begin = end;
    std::size_t elements = 1;
    for (const std::size_t extent : shape) elements *= extent;
    end += 4 * elements;
    header +=
        fmt::format("{}\"{}\": {{\"dtype\": \"F32\", \"shape\": [{}], \"data_offsets\": [{}, {}]}}",
                    header.empty() ? "{" : ", ", name, fmt::join(shape, ", "), begin, end);
  }
  header += "}";
  std::string bytes(8, '\0');
  const std::uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  folder.write("model.safetensors", bytes + header + std::string(end, '\0'));
  const auto model = ModelFile::open(folder.path());
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->weights.rewritten.size(), 4u);
  EXPECT_TRUE(std::get<HuggingFaceFolder>(model->source).generation.has_value());
}

TEST(ModelFile, what_is_no_model_is_refused_with_the_way_out) {
  using enum ErrorCode;
  const ScratchFolder folder;
  EXPECT_TRUE(fails_with(ModelFile::open(folder.path() / "none"), not_found, {"none"}));
  EXPECT_TRUE(fails_with(ModelFile::open(folder.path()), not_found, {"config.json", "GGUF"}));
  EXPECT_TRUE(fails_with(ModelFile::open(folder.write("pytorch_model.bin", "PK\x03\x04....")),
                         unsupported, {"pytorch_model.bin", "GGUF", "safetensors"}));
  EXPECT_TRUE(fails_with(ModelFile::open(folder.write("adapter.safetensors", "x")), unsupported,
                         {"adapter.safetensors", "model.safetensors"}));
  EXPECT_FALSE(ModelFile::open(folder.write("empty.gguf", "")));
  EXPECT_TRUE(fails_with(ModelFile::open(folder.write("cut.gguf", "GGUF")), corrupt_file, {"cut"}));
  folder.write("config.json", "{");
  EXPECT_TRUE(fails_with(ModelFile::open(folder.path()), corrupt_file, {"config.json"}));
  folder.write("config.json", R"({"model_type": "gpt2", "n_embd": 8})");
  EXPECT_FALSE(ModelFile::open(folder.path()));
}

TEST(ModelFile, errors_of_the_family_and_the_binder_name_the_file) {
  const ScratchFolder folder;
  testing::GgufWriter file = small_gpt2(true);
  file.add_zeros("blk.0.attn_q.weight", {8, 8});
  EXPECT_TRUE(fails_with(ModelFile::open(write(folder, file)), ErrorCode::corrupt_file,
                         {"model.gguf", "Not used: blk.0.attn_q.weight"}));
  EXPECT_TRUE(fails_with(ModelFile::open(write(folder, testing::small_gguf("mamba"))),
                         ErrorCode::unsupported, {"model.gguf", "mamba"}));
}

}  // namespace
}  // namespace zhuzi
