// The binder: one report for everything that does not fit, and the oddities of storage undone.
//
// A Store holds tensors whose element e has the value first + e, so that moved rows can be told.
#include "model/binder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "model/internal/vector_values.h"
#include "model/support.h"

namespace zhuzi {
namespace {

using testing::fails_with;

class Store {
 public:
  using Extents = std::vector<std::size_t>;

  void add(const std::string& name, const Extents& extents, float first = 0) {
    TensorShape shape{.rank = extents.size()};
    std::copy(extents.begin(), extents.end(), shape.extents.begin());
    std::vector<float> values(shape.elements());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<float>(i);
    remove(name);
    memory_.emplace_back(values.size() * sizeof(float));
    std::memcpy(memory_.back().data(), values.data(), memory_.back().size());
    tensors_.push_back({.name = name, .view = {.shape = shape, .bytes = memory_.back()}});
  }
  /// The same bytes, said to be of another type.
  void retype(const std::string& name, ElementType type) { find(name).view.type = type; }
  void remove(const std::string& name) {
    std::erase_if(tensors_, [&](const NamedTensor& tensor) { return tensor.name == name; });
  }
  NamedTensor& find(const std::string& name) {
    return *std::ranges::find(tensors_, name, &NamedTensor::name);
  }
  [[nodiscard]] std::vector<const NamedTensor*> all() const {
    std::vector<const NamedTensor*> pointers;
    for (const NamedTensor& tensor : tensors_) pointers.push_back(&tensor);
    return pointers;
  }

 private:
  std::deque<std::vector<std::byte>> memory_;
  std::deque<NamedTensor> tensors_;
};

/// One gated layer: 2 heads of 4 and 1 key/value head, width 8, 3 tokens, feed-forward 5.
ModelSpec gated_spec() {
  const Norm norm;
  Layer layer{.attention_norm = norm, .ffn_norm = norm};
  layer.attention = {.heads = 2, .kv_heads = 1, .head_length = 4, .scale = 0.5f};
  layer.attention.position = Rope{.dims = 4};
  layer.ffn = {.hidden = 5};
  ModelSpec spec{.vocabulary = 3, .width = 8, .context = 16, .layers = {layer}};
  EXPECT_TRUE(validate(spec));
  return spec;
}

Store gated_store(const std::string& prefix = "model.") {
  const std::string layer = prefix + "layers.0.";
  Store store;
  store.add(prefix + "embed_tokens.weight", {3, 8});
  store.add(prefix + "norm.weight", {8});
  store.add("lm_head.weight", {3, 8}, 100);
  store.add(layer + "input_layernorm.weight", {8});
  store.add(layer + "post_attention_layernorm.weight", {8});
  store.add(layer + "self_attn.q_proj.weight", {8, 8});
  store.add(layer + "self_attn.k_proj.weight", {4, 8});
  store.add(layer + "self_attn.v_proj.weight", {4, 8});
  store.add(layer + "self_attn.o_proj.weight", {8, 8});
  store.add(layer + "mlp.gate_proj.weight", {5, 8});
  store.add(layer + "mlp.up_proj.weight", {5, 8});
  store.add(layer + "mlp.down_proj.weight", {8, 5});
  return store;
}

constexpr Storage plain{.names = projection_names};

float at(const MatrixSource& matrix, std::size_t row, std::size_t column) {
  const std::size_t from = matrix.order.empty() ? row : matrix.order[row];
  float value = 0;
  std::memcpy(&value, matrix.data + from * matrix.row_bytes + column * sizeof(float), sizeof value);
  return value;
}

TEST(Binder, binds_every_part_with_its_shape) {
  const Store store = gated_store();
  const auto weights = bind_weights(gated_spec(), plain, store.all());
  ASSERT_TRUE(weights) << weights.error().message;
  EXPECT_EQ(weights->embedding.rows, 3u);
  EXPECT_EQ(weights->positions.rows, 0u);
  EXPECT_EQ(at(weights->head, 0, 0), 100.0f);
  const LayerWeights& layer = weights->layers.at(0);
  EXPECT_EQ(layer.down.rows, 8u);
  EXPECT_EQ(layer.down.columns, 5u);
  EXPECT_EQ(layer.down.row_bytes, 20u);
  EXPECT_EQ(layer.key.name, "model.layers.0.self_attn.k_proj.weight");
  EXPECT_TRUE(layer.query.order.empty());
  EXPECT_EQ(layer.attention_norm.weight, (VectorValues{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(layer.attention_norm.bias.empty() && layer.query_bias.empty());
}

TEST(Binder, reports_all_missing_misshapen_and_unused_tensors_in_one_error) {
  Store store = gated_store();
  store.remove("model.norm.weight");
  store.remove("model.layers.0.mlp.up_proj.weight");
  store.add("model.layers.0.mlp.down_proj.weight", {5, 8});
  store.add("model.layers.0.input_layernorm.weight", {1, 8});
  store.add("model.layers.1.mlp.up_proj.weight", {5, 8});
  store.add("extra", {1});
  EXPECT_TRUE(
      fails_with(bind_weights(gated_spec(), plain, store.all()), ErrorCode::corrupt_file,
                 {"Missing: model.layers.0.mlp.up_proj.weight [5 x 8], model.norm.weight [8]",
                  "model.layers.0.mlp.down_proj.weight is [5 x 8] and should be [8 x 5]",
                  "model.layers.0.input_layernorm.weight is [1 x 8] and should be [8]",
                  "Not used: model.layers.1.mlp.up_proj.weight, extra"}));
}

TEST(Binder, a_report_of_a_million_tensors_stays_short) {
  Store store = gated_store();
  for (int i = 0; i < 300; ++i) store.add("extra" + std::to_string(i), {1});
  const auto weights = bind_weights(gated_spec(), plain, store.all());
  EXPECT_TRUE(fails_with(weights, ErrorCode::corrupt_file, {"extra99 and 200 more"}));
  EXPECT_EQ(weights.error().message.find("extra100"), std::string::npos);
}

TEST(Binder, names_types_that_nobody_computes_and_values_that_are_not_finite) {
  Store store = gated_store();
  store.retype("model.layers.0.self_attn.q_proj.weight", ElementType::iq4_nl);
  EXPECT_TRUE(fails_with(bind_weights(gated_spec(), plain, store.all()), ErrorCode::unsupported,
                         {"model.layers.0.self_attn.q_proj.weight is IQ4_NL"}));
  store = gated_store();
  store.retype("model.norm.weight", ElementType::i32);
  EXPECT_TRUE(fails_with(bind_weights(gated_spec(), plain, store.all()), ErrorCode::unsupported,
                         {"model.norm.weight is I32"}));
  store = gated_store();
  store.add("model.norm.weight", {8}, HUGE_VALF);
  EXPECT_TRUE(fails_with(bind_weights(gated_spec(), plain, store.all()), ErrorCode::corrupt_file,
                         {"model.norm.weight holds inf at element 0"}));
}

TEST(Binder, files_may_leave_out_the_prefix_and_carry_known_buffers) {
  Store store = gated_store("");
  store.add("layers.0.self_attn.rotary_emb.inv_freq", {2});
  EXPECT_TRUE(bind_weights(gated_spec(), plain, store.all()));
  store.add("layers.0.self_attn.inv_freq", {2});
  EXPECT_TRUE(fails_with(bind_weights(gated_spec(), plain, store.all()), ErrorCode::corrupt_file,
                         {"Not used: layers.0.self_attn.inv_freq"}));
}

TEST(Binder, a_tied_head_is_the_embedding_and_a_second_copy_must_equal_it) {
  ModelSpec spec = gated_spec();
  spec.tied_head = true;
  Store store = gated_store();
  store.remove("lm_head.weight");
  auto weights = bind_weights(spec, plain, store.all());
  ASSERT_TRUE(weights) << weights.error().message;
  EXPECT_EQ(weights->head.data, weights->embedding.data);
  store.add("lm_head.weight", {3, 8});
  EXPECT_TRUE(bind_weights(spec, plain, store.all()));
  store.add("lm_head.weight", {3, 8}, 1);
  EXPECT_TRUE(fails_with(bind_weights(spec, plain, store.all()), ErrorCode::corrupt_file,
                         {"lm_head.weight differs from the embedding"}));
}

TEST(Binder, pairs_that_lie_side_by_side_are_brought_to_halves) {
  ModelSpec spec = gated_spec();
  HeadAttention& attention = spec.layers[0].attention;
  attention.qkv_bias = true;
  attention.head_norm = Norm{};
  attention.position = Rope{.pairing = RopePairing::adjacent, .dims = 4};
  Store store = gated_store();
  const std::string prefix = "model.layers.0.self_attn.";
  store.add(prefix + "q_proj.bias", {8});
  store.add(prefix + "k_proj.bias", {4});
  store.add(prefix + "v_proj.bias", {4});
  store.add(prefix + "q_norm.weight", {4});
  store.add(prefix + "k_norm.weight", {4}, 10);
  auto weights = bind_weights(spec, plain, store.all());
  ASSERT_TRUE(weights) << weights.error().message;
  const LayerWeights& layer = weights->layers[0];
  EXPECT_EQ(layer.query.order, (std::vector<std::uint32_t>{0, 2, 1, 3, 4, 6, 5, 7}));
  EXPECT_EQ(layer.key.order, (std::vector<std::uint32_t>{0, 2, 1, 3}));
  EXPECT_TRUE(layer.value.order.empty());
  EXPECT_EQ(layer.query_bias, (VectorValues{0, 2, 1, 3, 4, 6, 5, 7}));
  EXPECT_EQ(layer.key_bias, (VectorValues{0, 2, 1, 3}));
  EXPECT_EQ(layer.value_bias, (VectorValues{0, 1, 2, 3}));
  EXPECT_EQ(layer.query_norm.weight, (VectorValues{0, 2, 1, 3}));
  EXPECT_EQ(layer.key_norm.weight, (VectorValues{10, 12, 11, 13}));
  // Dims that do not turn stay where they are.
  attention.position = Rope{.pairing = RopePairing::adjacent, .dims = 2};
  weights = bind_weights(spec, plain, store.all());
  ASSERT_TRUE(weights) << weights.error().message;
  EXPECT_EQ(weights->layers[0].key.order, (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

/// The gated model's weights as one fused tensor, and matrices the other way round.
Store stacked_store(bool transposed) {
  Store store = gated_store();
  const std::string attention = "model.layers.0.self_attn.";
  for (const std::string part : {"q_proj", "k_proj", "v_proj"}) {
    store.remove(attention + part + ".weight");
  }
  store.add(attention + "qkv.weight", transposed ? Store::Extents{8, 16} : Store::Extents{16, 8});
  store.add(attention + "qkv.bias", {16});
  if (transposed) {
    store.add("model.layers.0.mlp.gate_proj.weight", {8, 5});
    store.add("model.layers.0.mlp.up_proj.weight", {8, 5});
    store.add("model.layers.0.mlp.down_proj.weight", {5, 8});
  }
  return store;
}

Storage stacked_storage(bool transposed) {
  Storage storage{.names = projection_names, .qkv = QkvStorage::stacked, .transposed = transposed};
  storage.names.query_key_value = "self_attn.qkv";
  return storage;
}

TEST(Binder, cuts_query_key_and_value_out_of_one_tensor) {
  ModelSpec spec = gated_spec();
  spec.layers[0].attention.qkv_bias = true;
  const Store store = stacked_store(false);
  const auto weights = bind_weights(spec, stacked_storage(false), store.all());
  ASSERT_TRUE(weights) << weights.error().message;
  const LayerWeights& layer = weights->layers[0];
  EXPECT_EQ(layer.query.rows, 8u);
  EXPECT_EQ(layer.key.rows, 4u);
  EXPECT_EQ(at(layer.query, 7, 7), 63.0f);
  EXPECT_EQ(at(layer.key, 0, 0), 64.0f);
  EXPECT_EQ(at(layer.value, 0, 1), 97.0f);
  EXPECT_EQ(layer.key_bias, (VectorValues{8, 9, 10, 11}));
  EXPECT_EQ(layer.value_bias, (VectorValues{12, 13, 14, 15}));
}

TEST(Binder, turns_transposed_matrices_round_and_refuses_transposed_blocks) {
  ModelSpec spec = gated_spec();
  spec.layers[0].attention.qkv_bias = true;
  Store store = stacked_store(true);
  auto weights = bind_weights(spec, stacked_storage(true), store.all());
  ASSERT_TRUE(weights) << weights.error().message;
  const LayerWeights& layer = weights->layers[0];
  EXPECT_EQ(at(layer.query, 3, 2), 2.0f * 16 + 3);
  EXPECT_EQ(at(layer.key, 1, 2), 2.0f * 16 + 9);
  EXPECT_EQ(at(layer.down, 7, 4), 4.0f * 8 + 7);
  EXPECT_EQ(layer.down.columns, 5u);
  EXPECT_EQ(at(weights->embedding, 1, 0), 8.0f);
  const ModelWeights moved = *std::move(weights);
  EXPECT_EQ(at(moved.layers[0].down, 7, 4), 4.0f * 8 + 7);

  store.retype("model.layers.0.mlp.up_proj.weight", ElementType::q8_0);
  EXPECT_TRUE(fails_with(bind_weights(spec, stacked_storage(true), store.all()),
                         ErrorCode::unsupported, {"up_proj.weight (stored transposed) is Q8_0"}));
}

TEST(Binder, a_tensor_that_is_there_twice_is_reported) {
  Store store = gated_store();
  std::vector<const NamedTensor*> tensors = store.all();
  tensors.push_back(tensors.front());
  EXPECT_TRUE(fails_with(bind_weights(gated_spec(), plain, tensors), ErrorCode::corrupt_file,
                         {"model.embed_tokens.weight is there twice"}));
}

TEST(VectorValues, half_and_bfloat_numbers_convert_exactly) {
  const auto convert = [](ElementType type, std::vector<std::uint16_t> bits) {
    const TensorView view{.type = type,
                          .shape = {.extents = {bits.size()}, .rank = 1},
                          .bytes = std::as_bytes(std::span(bits))};
    return floats_of("v", view);
  };
  EXPECT_EQ(convert(ElementType::f16, {0x3c00, 0xc000, 0x0001, 0x8000, 0x7bff, 0x03ff, 0x3555}),
            (VectorValues{1, -2, 0x1p-24f, -0.0f, 65504, 0x3ffp-24f, 0x1.554p-2f}));
  EXPECT_EQ(convert(ElementType::bf16, {0x3f80, 0xc000, 0x0001, 0x7f7f}),
            (VectorValues{1, -2, 0x1p-133f, 0x1.fep127f}));
  EXPECT_TRUE(
      fails_with(convert(ElementType::f16, {0x7c00}), ErrorCode::corrupt_file, {"v", "inf"}));
  EXPECT_TRUE(
      fails_with(convert(ElementType::bf16, {0, 0x7fc0}), ErrorCode::corrupt_file, {"element 1"}));
}

}  // namespace
}  // namespace zhuzi
