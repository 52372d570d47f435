// A model from a path, whole: name, tokenizer, template, engine, receipt.
#include "engine/loaded_model.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/scratch_folder.h"
#include "engine/receipt.h"

namespace zhuzi {
namespace {

const std::filesystem::path data = ZHUZI_TEST_DATA;
const EngineOptions options{.threads = 1, .max_num_seqs = 1};

TEST(LoadedModel, a_gguf_file_brings_everything) {
  Result<LoadedModel> model = load_model(data / "gguf_models/llama.gguf", options);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->name, "zhuzi-fixture-llama");
  EXPECT_TRUE(model->chat_template.has_value());
  EXPECT_EQ(model->engine->room(), 256u);
  EXPECT_EQ(model->receipt.substr(0, 6), "zhuzi-");
  EXPECT_GT(model->file_bytes, 100000u);
}

TEST(LoadedModel, the_receipt_names_weights_and_kv_format_and_nothing_of_the_machine) {
  const auto receipt = [](const char* file, EngineOptions with) {
    return load_model(data / "gguf_models" / file, with).value().receipt;
  };
  EngineOptions other = options;
  other.threads = 2;
  other.set = kernels::InstructionSet::scalar;
  other.max_num_batched_tokens = 3;
  EXPECT_EQ(receipt("llama.gguf", options), receipt("llama.gguf", other));
  other.kv_format = kernels::KvFormat::f32;
  EXPECT_NE(receipt("llama.gguf", options), receipt("llama.gguf", other));
  EXPECT_NE(receipt("llama.gguf", options), receipt("qwen3.gguf", options));
}

TEST(LoadedModel, one_changed_bit_of_a_weight_changes_the_receipt) {
  std::ifstream file(data / "gguf_models/llama.gguf", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  bytes[bytes.size() - 1000] = static_cast<char>(bytes[bytes.size() - 1000] ^ 1);
  const testing::ScratchFolder folder;
  const std::filesystem::path changed = folder.write("changed.gguf", bytes);
  Result<LoadedModel> model = load_model(changed, options);
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_NE(model->receipt, load_model(data / "gguf_models/llama.gguf", options).value().receipt);
}

TEST(LoadedModel, a_folder_without_a_tokenizer_that_we_read_says_the_way_out) {
  const Result<LoadedModel> refused = load_model(data / "models/llama_mha", options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  EXPECT_NE(refused.error().message.find("GGUF"), std::string::npos);
}

TEST(LoadedModel, options_that_make_no_sense_are_refused_with_numbers) {
  EngineOptions wrong = options;
  wrong.max_model_len = 257;
  const Result<LoadedModel> refused = load_model(data / "gguf_models/llama.gguf", wrong);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(refused.error().message.find("256"), std::string::npos);
}

}  // namespace
}  // namespace zhuzi
