// Files broken at random, with a fixed seed: reading never crashes and never hands out a view that
// leaves the file. Meant for the address and undefined-behaviour sanitizers.
//
// A round takes a right file, breaks it in one to four places (a flipped bit, a byte, a word set to
// a border value, a piece moved) or cuts it, reads it and looks at everything that was read.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <span>
#include <string>

#include "base/json.h"
#include "formats/gguf.h"
#include "formats/gguf_writer.h"
#include "formats/safetensors.h"
#include "formats/safetensors_writer.h"

namespace zhuzi {
namespace {

using testing::Bytes;
constexpr std::size_t rounds = 20'000;

class Breaker {
 public:
  Bytes broken(const Bytes& right) {
    Bytes bytes = right;
    const std::size_t places = 1 + below(4);
    for (std::size_t i = 0; i < places && !bytes.empty(); ++i) break_once(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  void break_once(Bytes& bytes) {
    const std::size_t place = below(bytes.size());
    switch (below(5)) {
      case 0: bytes[place] ^= static_cast<std::byte>(1U << below(8)); break;
      case 1: bytes[place] = static_cast<std::byte>(below(256)); break;
      case 2: overwrite(bytes, place); break;
      case 3: bytes.resize(place); break;
      default: {
        const std::size_t from = below(bytes.size());
        const std::size_t size = std::min({below(32), bytes.size() - from, bytes.size() - place});
        std::memmove(bytes.data() + place, bytes.data() + from, size);
      }
    }
  }

  void overwrite(Bytes& bytes, std::size_t place) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    constexpr std::array<std::uint64_t, 9> values = {
        0, 1, 2, 255, 1U << 24, 0xFFFF'FFFF, most >> 1, most - 31, most};
    const std::uint64_t value = values[below(values.size())];
    const std::size_t size = std::min<std::size_t>(below(2) == 0 ? 4 : 8, bytes.size() - place);
    std::memcpy(bytes.data() + place, &value, size);
  }

  std::mt19937_64 random_{20'260};
};

/// Whether the views are inside the file and hold what their shape asks for.
bool is_sound(const std::vector<NamedTensor>& tensors, const Bytes& file) {
  for (const NamedTensor& tensor : tensors) {
    const auto view = tensor.view.bytes;
    if (view.size() != tensor.view.row_bytes() * tensor.view.shape.rows()) return false;
    if (view.empty()) continue;
    if (view.data() < file.data() || view.data() + view.size() > file.data() + file.size()) {
      return false;
    }
  }
  return true;
}

Bytes right_gguf() {
  return testing::GgufWriter()
      .add("general.architecture", "llama")
      .add("general.alignment", std::uint32_t{32})
      .add("llama.block_count", std::uint32_t{2})
      .add("llama.rope.freq_base", 10000.0F)
      .add("tokenizer.ggml.add_bos_token", true)
      .add_texts("tokenizer.ggml.tokens", {"a", "b", "ab", ""})
      .add_array<std::int32_t>("tokenizer.ggml.token_type", {1, 1, 1, 3})
      .add_array<float>("tokenizer.ggml.scores", {0, -1, -2, -3})
      .add_zeros("token_embd.weight", {32, 4}, ElementType::q8_0)
      .add_zeros("blk.0.attn_q.weight", {256, 2}, ElementType::q6_k)
      .add_zeros("output_norm.weight", {32})
      .bytes();
}

Bytes right_safetensors() {
  const std::string text = testing::safetensors_file(
      {.header = R"({"__metadata__":{"format":"pt"},)"
                 R"("a.weight":{"dtype":"F32","shape":[4,2],"data_offsets":[0,32]},)"
                 R"("b.weight":{"dtype":"BF16","shape":[2,2,2],"data_offsets":[32,48]},)"
                 R"("c":{"dtype":"I64","shape":[],"data_offsets":[48,56]}})",
       .data_bytes = 56});
  Bytes bytes;
  testing::append_bytes(bytes, text);
  return bytes;
}

template <typename File>
void read_broken(const Bytes& right) {
  ASSERT_TRUE(File::read(right).has_value());
  Breaker breaker;
  std::size_t read = 0;
  std::size_t refused = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const Bytes bytes = breaker.broken(right);
    const auto file = File::read(bytes);
    if (file) {
      ASSERT_TRUE(is_sound(file->tensors(), bytes)) << "round " << round;
      ++read;
    } else {
      ASSERT_FALSE(file.error().message.empty()) << "round " << round;
      ASSERT_LE(file.error().message.size(), 1000U) << "round " << round;
      ++refused;
    }
  }
  EXPECT_GT(read, rounds / 50) << "some changes do no harm";
  EXPECT_GT(refused, rounds / 5) << "most are seen";
}

TEST(Mutation, a_broken_gguf_file_is_read_soundly_or_refused) {
  read_broken<GgufFile>(right_gguf());
}

TEST(Mutation, a_broken_safetensors_file_is_read_soundly_or_refused) {
  read_broken<SafetensorsFile>(right_safetensors());
}

TEST(Mutation, broken_json_is_read_or_refused) {
  Bytes right;
  testing::append_bytes(right,
                        R"({"a":[1,-2.5e3,true,null,"x\n\u00e9\ud83d\ude00"],"b":{"c":{}}})");
  Breaker breaker;
  std::size_t read = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const Bytes bytes = breaker.broken(right);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (json::parse(text, {.depth_max = 8})) ++read;
  }
  EXPECT_GT(read, rounds / 100);
  EXPECT_LT(read, rounds / 2);
}

}  // namespace
}  // namespace zhuzi
