// The tokenizer of the default model against the recorded encodings and a plain merge.
//
// The file is found as the program finds it: ZHUZI_DEFAULT_MODEL, else the user's cache. Without it
// these tests fail, because `./dev test` fetches it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/utf8.h"
#include "formats/gguf.h"
#include "text/internal/byte_level.h"
#include "text/tiny_tokenizer.h"
#include "text/tokenizer.h"

namespace zhuzi {
namespace {

std::filesystem::path default_model() {
  if (const char* path = std::getenv("ZHUZI_DEFAULT_MODEL")) return path;
  std::filesystem::path cache;
  if (const char* home = std::getenv("HOME")) cache = std::filesystem::path(home) / ".cache";
  if (const char* path = std::getenv("XDG_CACHE_HOME"); path != nullptr && *path != '\0')
    cache = path;
  return cache / "zhuzi" / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf";
}

/// The tokenizer of the default model, loaded once.
class DefaultModel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto path = default_model();
    auto file = GgufFile::open(path);
    if (!file) {
      hint_ = "The default model is not at " + path.string() +
              "; `./dev test` fetches it, or set ZHUZI_DEFAULT_MODEL to its file.";
      return;
    }
    auto loaded = Tokenizer::from_gguf(*file);
    const auto merges = file->texts("tokenizer.ggml.merges");
    hint_ = loaded ? "" : loaded.error().message;
    if (!loaded || !merges) return;
    tokenizer_ = std::make_unique<Tokenizer>(*std::move(loaded));
    for (const std::string_view merge : **merges) {
      ranks_.try_emplace(std::string(merge), ranks_.size());
    }
  }
  static void TearDownTestSuite() { tokenizer_.reset(); }
  void SetUp() override { ASSERT_NE(tokenizer_, nullptr) << hint_; }

  static std::unique_ptr<Tokenizer> tokenizer_;
  static std::map<std::string, std::size_t> ranks_;  ///< Of the merges as the file spells them.
  static std::string hint_;
};
std::unique_ptr<Tokenizer> DefaultModel::tokenizer_;
std::map<std::string, std::size_t> DefaultModel::ranks_;
std::string DefaultModel::hint_;

Ids ids_of(const json::Value* array) {
  Ids ids;
  for (const json::Value& id : *array->array()) {
    ids.push_back(static_cast<std::int32_t>(id.integer().value()));
  }
  return ids;
}

Offsets offsets_of(const json::Value* array) {
  Offsets offsets;
  for (const json::Value& pair : *array->array()) {
    const json::Array& ends = *pair.array();
    offsets.emplace_back(ends.at(0).integer().value(), ends.at(1).integer().value());
  }
  return offsets;
}

TEST_F(DefaultModel, equals_every_recorded_encoding) {
  std::ifstream file(ZHUZI_TEST_DATA "/text/tokenizers/smollm2.jsonl");
  std::size_t rows = 0;
  std::size_t rows_with_offsets = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    const auto row = json::parse(line);
    ASSERT_TRUE(row) << row.error().message;
    const std::string where = "row " + std::to_string(rows) + ": " + *row->find("note")->string();
    const std::string& text = *row->find("text")->string();
    Offsets offsets;
    const TextPiece piece{.text = text, .may_hold_control_tokens = true};
    const auto ids = tokenizer_->encode(std::span(&piece, 1), &offsets);
    EXPECT_EQ(numbers(ids), ids_of(row->find("ids"))) << where;
    EXPECT_EQ(utf8::lossy(tokenizer_->decode(ids, ControlTokens::spell)),
              *row->find("decoded")->string())
        << where;
    ASSERT_EQ(offsets.size(), ids.size()) << where;
    if (const json::Value* expected = row->find("offsets")) {
      EXPECT_EQ(offsets, offsets_of(expected)) << where;
      ++rows_with_offsets;
    }
  }
  EXPECT_EQ(rows, 327U);
  EXPECT_EQ(rows_with_offsets, 49U);
}

TEST_F(DefaultModel, knows_its_special_tokens) {
  EXPECT_EQ(tokenizer_->size(), 49'152U);
  EXPECT_EQ(tokenizer_->bos(), TokenId{1});
  EXPECT_EQ(tokenizer_->eos(), TokenId{2});
  EXPECT_EQ(tokenizer_->begin_of_text(), std::nullopt);
  EXPECT_EQ(Ids({2}), numbers(tokenizer_->end_tokens()));
  EXPECT_EQ(tokenizer_->find("<|im_end|>"), TokenId{2});
  EXPECT_EQ(tokenizer_->kind(TokenId{2}), TokenKind::control);
  EXPECT_EQ(tokenizer_->bytes(TokenId{2}), "<|im_end|>");
  const auto the = tokenizer_->find("Ġthe");
  ASSERT_TRUE(the);
  EXPECT_EQ(tokenizer_->bytes(*the), " the");
  EXPECT_EQ(tokenizer_->spelling(*the), "Ġthe");
  EXPECT_EQ(tokenizer_->find("no such entry"), std::nullopt);
}

TEST_F(DefaultModel, every_entry_can_be_found_by_its_spelling) {
  for (std::size_t i = 0; i < tokenizer_->size(); ++i) {
    const auto id = static_cast<TokenId>(i);
    ASSERT_EQ(tokenizer_->find(tokenizer_->spelling(id)), id);
  }
}

TEST_F(DefaultModel, C7_texts_come_back_as_they_were) {
  for (const std::string text :
       {"x != y and a.b == c", " ...", "the word 'social'", "for 'manual'", "a , b . c ? d !"}) {
    EXPECT_EQ(tokenizer_->decode(tokenizer_->encode(text), ControlTokens::skip), text);
  }
}

/// The spellings of one word's tokens: for each merge a look at all pairs.
std::vector<std::string> merged_plainly(std::string_view word,
                                        const std::map<std::string, std::size_t>& ranks) {
  std::vector<std::string> symbols;
  for (const char byte : word)
    internal::append_spelling_of_bytes({&byte, 1}, symbols.emplace_back());
  const auto rank = [&](std::size_t left) {
    const auto found = ranks.find(symbols[left] + " " + symbols[left + 1]);
    return found == ranks.end() ? ranks.size() : found->second;
  };
  std::vector<std::size_t> pairs;
  for (std::size_t i = 0; i + 1 < symbols.size(); ++i) pairs.push_back(rank(i));
  while (!pairs.empty()) {
    const auto best = std::ranges::min_element(pairs);
    if (*best == ranks.size()) break;
    const auto left = best - pairs.begin();
    const auto at = static_cast<std::size_t>(left);
    symbols[at] += symbols[at + 1];
    symbols.erase(symbols.begin() + left + 1);
    pairs.erase(best);
    if (at > 0) pairs[at - 1] = rank(at - 1);
    if (at < pairs.size()) pairs[at] = rank(at);
  }
  return symbols;
}

std::string repeated(std::string_view unit, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += unit;
  return text;
}

TEST_F(DefaultModel, B2_one_long_run_comes_back_and_its_beginning_equals_a_plain_merge) {
  for (const std::string& run : {repeated("x", 512 << 10), repeated("^", 1'000'000),
                                 repeated("_", 50'000), repeated("\u4E2D", 14'000),
                                 repeated("\u4E00\u9FA5\u6587", 4'000), repeated(" ", 1 << 20)}) {
    EXPECT_TRUE(tokenizer_->decode(tokenizer_->encode(run), ControlTokens::skip) == run);
    const std::string beginning = run.substr(0, 4'096);
    std::vector<std::string> spellings;
    for (const TokenId id : tokenizer_->encode(beginning)) {
      spellings.emplace_back(tokenizer_->spelling(id));
    }
    EXPECT_EQ(spellings, merged_plainly(beginning, ranks_)) << run.substr(0, 3);
  }
}

TEST_F(DefaultModel, the_text_of_a_message_never_becomes_a_control_token) {
  for (std::size_t i = 0; i < tokenizer_->size(); ++i) {
    const auto control = static_cast<TokenId>(i);
    if (tokenizer_->kind(control) != TokenKind::control) continue;
    const std::string text = "a" + std::string(tokenizer_->spelling(control)) + "b";
    for (const TokenId id : tokenizer_->encode(text)) {
      EXPECT_NE(tokenizer_->kind(id), TokenKind::control) << text;
    }
    EXPECT_EQ(tokenizer_->decode(tokenizer_->encode(text), ControlTokens::skip), text);
  }
}

TEST_F(DefaultModel, pieces_change_nothing_but_which_control_tokens_are_found) {
  const std::string text = "<|im_start|>user\nHello  world, it's 12345 中文!<|im_end|>\n";
  const Ids whole = numbers(tokenizer_->encode(text, true));
  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); second += 7) {
      const std::string_view view = text;
      EXPECT_EQ(encoded(*tokenizer_, {{view.substr(0, first), true},
                                      {view.substr(first, second - first), true},
                                      {view.substr(second), true}}),
                whole);
    }
  }
  EXPECT_EQ(numbers(tokenizer_->encode(text)),
            encoded(*tokenizer_, {{std::string_view(text).substr(0, 9), false},
                                  {std::string_view(text).substr(9), false}}));
}

}  // namespace
}  // namespace zhuzi
