// Tokenizer on vocabularies made by hand: each test says in its first lines what the file holds.
// The real vocabulary is tested in default_model_test.cpp.
#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "text/tiny_tokenizer.h"

namespace zhuzi {
namespace {

TEST(Tokenizer, a_control_token_is_found_in_trusted_text_only) {
  const Tokenizer tokenizer = TinyTokenizer{.specials = {{"<|e|>"}}}.tokenizer();
  EXPECT_EQ(encoded(tokenizer, {{"<|e|>", true}}), Ids({256}));
  const Ids spelled = {'<', '|', 'e', '|', '>'};
  EXPECT_EQ(encoded(tokenizer, {{"<|e|>", false}}), spelled);
  EXPECT_EQ(encoded(tokenizer, {{"<|e", true}, {"|>", false}}), spelled);
  EXPECT_EQ(encoded(tokenizer, {{"<|e", false}, {"|>", true}}), spelled);
  EXPECT_EQ(encoded(tokenizer, {{"<|", true}, {"e", false}, {"|>", true}}), spelled);
  EXPECT_EQ(encoded(tokenizer, {{"<|", true}, {"", false}, {"e|>", true}}), Ids({256}));
  EXPECT_EQ(encoded(tokenizer, {{"<|e|>", false}, {"<|e|>", true}, {"<|e|>", false}}),
            Ids({'<', '|', 'e', '|', '>', 256, '<', '|', 'e', '|', '>'}));
}

TEST(Tokenizer, a_user_defined_token_is_found_in_any_text) {
  const Tokenizer tokenizer =
      TinyTokenizer{.specials = {{"<think>", TokenKind::user_defined}}}.tokenizer();
  EXPECT_EQ(encoded(tokenizer, {{"a<think>", false}}), Ids({'a', 256}));
  EXPECT_EQ(encoded(tokenizer, {{"<thi", true}, {"nk>", false}}), Ids({256}));
  EXPECT_EQ(tokenizer.decode(tokenizer.encode("<think>"), ControlTokens::skip), "<think>");
}

TEST(Tokenizer, the_longest_allowed_token_at_the_leftmost_place_wins) {
  const Tokenizer tokenizer = TinyTokenizer{.specials = {{"ab", TokenKind::user_defined},
                                                         {"abcd"},
                                                         {"bcde"},
                                                         {"abc", TokenKind::user_defined}}}
                                  .tokenizer();
  EXPECT_EQ(encoded(tokenizer, {{"abcde", true}}), Ids({257, 'e'}));
  EXPECT_EQ(encoded(tokenizer, {{"abcde", false}}), Ids({259, 'd', 'e'}));
  EXPECT_EQ(encoded(tokenizer, {{"abc", true}, {"de", false}}), Ids({259, 'd', 'e'}));
  EXPECT_EQ(encoded(tokenizer, {{"abx", true}}), Ids({256, 'x'}));
  EXPECT_EQ(encoded(tokenizer, {{"xbcde", true}}), Ids({'x', 258}));
  EXPECT_EQ(encoded(tokenizer, {{"a", true}}), Ids({'a'}));
}

TEST(Tokenizer, added_tokens_equal_a_plain_search_on_random_texts) {
  const TinyTokenizer tiny{.specials = {{"<a>"},
                                        {"<a>b", TokenKind::user_defined},
                                        {"a>"},
                                        {"bb", TokenKind::user_defined},
                                        {"<a>bb<"},
                                        {">b"}}};
  const Tokenizer tokenizer = tiny.tokenizer();
  for (std::uint32_t seed = 0; seed < 5'000; ++seed) {
    std::mt19937 dice(seed);
    std::string text;
    std::vector<bool> is_trusted;
    std::vector<std::string> texts(1 + dice() % 5);
    std::vector<TextPiece> pieces;
    for (std::string& piece : texts) {
      for (std::size_t n = dice() % 8; n > 0; --n) piece += "<a>b"[dice() % 4];
      pieces.push_back({.text = piece, .may_hold_control_tokens = dice() % 2 == 0});
      text += piece;
      is_trusted.resize(text.size(), pieces.back().may_hold_control_tokens);
    }
    Ids expected;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t longest = 0;
      std::int32_t id = text[at];
      for (std::size_t i = 0; i < tiny.specials.size(); ++i) {
        const auto& [spelling, kind] = tiny.specials[i];
        if (spelling.size() <= longest || text.compare(at, spelling.size(), spelling) != 0)
          continue;
        const auto first = is_trusted.begin() + static_cast<std::ptrdiff_t>(at);
        const bool is_safe =
            std::find(first, first + std::ssize(spelling), false) == first + std::ssize(spelling);
        if (kind == TokenKind::control && !is_safe) continue;
        longest = spelling.size();
        id = static_cast<std::int32_t>(256 + i);
      }
      expected.push_back(id);
      at += std::max<std::size_t>(longest, 1);
    }
    ASSERT_EQ(encoded(tokenizer, pieces), expected) << "seed " << seed << ": " << text;
  }
}

TEST(Tokenizer, words_and_merges_end_at_added_tokens_and_run_across_pieces) {
  const Tokenizer tokenizer = TinyTokenizer{.specials = {{"<e>"}}}.merge("a", "b").tokenizer();
  EXPECT_EQ(encoded(tokenizer, {{"a", false}, {"b", true}}), Ids({256}));
  EXPECT_EQ(encoded(tokenizer, {{"a<e>b", true}}), Ids({'a', 257, 'b'}));
  EXPECT_EQ(encoded(tokenizer, {{" ", true}, {" a", false}}), Ids({' ', ' ', 'a'}));
}

TEST(Tokenizer, merges_never_lead_to_a_control_or_unused_token) {
  TinyTokenizer tiny{.merges = {"a b", "c d"}, .specials = {{"ab"}, {"cd", TokenKind::unused}}};
  const Tokenizer tokenizer = tiny.tokenizer();
  EXPECT_EQ(numbers(tokenizer.encode("ab cd")), Ids({'a', 'b', ' ', 'c', 'd'}));
  EXPECT_EQ(numbers(tokenizer.encode("ab cd", true)), Ids({256, ' ', 'c', 'd'}));
  tiny.splitter = "llama-bpe";
  tiny.ids = {{"bos_token_id", 256}};
  EXPECT_EQ(numbers(tiny.tokenizer().encode("ab!cd")), Ids({'a', 'b', '!', 'c', 'd'}));
}

TEST(Tokenizer, B3_a_whole_word_of_the_vocabulary_ignores_merges_where_the_splitter_says_so) {
  TinyTokenizer tiny{.entries = {"abc"}, .ids = {{"bos_token_id", 0}}};
  tiny.merge("a", "b");
  EXPECT_EQ(numbers(tiny.tokenizer().encode("abc")), Ids({257, 'c'}));
  tiny.splitter = "llama-bpe";
  EXPECT_EQ(numbers(tiny.tokenizer().encode("abc")), Ids({256}));
  EXPECT_EQ(numbers(tiny.tokenizer().encode("abcd")), Ids({257, 'c', 'd'}));
}

TEST(Tokenizer, B3_merges_that_name_spaces_load) {
  TinyTokenizer tiny;
  tiny.entries = {"x y", "x yz", "x y z"};
  tiny.merges = {"x y z", "x y  z"};
  const auto loaded = tiny.load();
  EXPECT_FALSE(loaded);  // "x y" + "z" is an entry; "x y" + " z" is not two entries
  tiny.merges = {"x y z"};
  EXPECT_TRUE(tiny.load());
}

TEST(Tokenizer, bytes_without_a_token_are_dropped_and_their_neighbours_merge) {
  TinyTokenizer tiny{.entries = {"a", "b"}, .has_bytes = false};
  tiny.merge("a", "b");
  const Tokenizer tokenizer = tiny.tokenizer();
  Offsets offsets;
  const TextPiece piece{.text = "xaxbxa"};
  EXPECT_EQ(numbers(tokenizer.encode(std::span(&piece, 1), &offsets)), Ids({2, 0}));
  EXPECT_EQ(offsets, Offsets({{1, 4}, {5, 6}}));
}

TEST(Tokenizer, tokens_that_share_a_character_each_have_all_of_it) {
  const Tokenizer tokenizer = TinyTokenizer{.specials = {{"<e>"}}}.tokenizer();
  Offsets offsets;
  const std::vector<TextPiece> pieces = {
      {"a", false}, {"é", false}, {"<e>", true}, {"\xFF", false}};
  EXPECT_EQ(numbers(tokenizer.encode(pieces, &offsets)), Ids({'a', 0xC3, 0xA9, 256, 0xFF}));
  EXPECT_EQ(offsets, Offsets({{0, 1}, {1, 3}, {1, 3}, {3, 6}, {6, 7}}));
}

TEST(Tokenizer, any_bytes_come_back_as_they_were) {
  const Tokenizer tokenizer = TinyTokenizer{}.merge("Ã", "©").tokenizer();
  std::string text;
  for (int i = 0; i < 1'000; ++i) text += static_cast<char>(i * i * 31 + i * 7);
  EXPECT_EQ(tokenizer.decode(tokenizer.encode(text), ControlTokens::skip), text);
  EXPECT_EQ(numbers(tokenizer.encode("é")), Ids({256}));
}

TEST(Tokenizer, of_entries_with_one_spelling_the_last_is_found) {
  TinyTokenizer tiny{.entries = {"ab", "ab"}, .specials = {{"<s>"}, {"<s>"}}};
  tiny.merges = {"a b"};
  const Tokenizer tokenizer = tiny.tokenizer();
  EXPECT_EQ(tokenizer.find("ab"), TokenId{257});
  EXPECT_EQ(numbers(tokenizer.encode("ab<s>", true)), Ids({257, 259}));
}

TEST(Tokenizer, an_empty_text_has_no_tokens) {
  const Tokenizer tokenizer = TinyTokenizer{}.tokenizer();
  EXPECT_TRUE(tokenizer.encode("").empty());
  EXPECT_TRUE(tokenizer.encode(std::span<const TextPiece>()).empty());
}

TEST(Tokenizer, entries_stand_for_the_bytes_that_their_kind_says) {
  const Tokenizer tokenizer =
      TinyTokenizer{
          .entries = {"ĠaĊ", "世", "é"},
          .specials = {{"<é>"}, {"é!", TokenKind::user_defined}, {"p", TokenKind::unused}}}
          .tokenizer();
  EXPECT_EQ(tokenizer.bytes(TokenId{256}), " a\n");
  EXPECT_EQ(tokenizer.bytes(TokenId{257}), "世");  // not of the alphabet: stands for itself
  EXPECT_EQ(tokenizer.bytes(TokenId{258}), "\xE9");
  EXPECT_EQ(tokenizer.bytes(TokenId{259}), "<é>");
  EXPECT_EQ(tokenizer.bytes(TokenId{260}), "é!");
  EXPECT_EQ(tokenizer.bytes(TokenId{261}), "");
}

TEST(Tokenizer, the_first_token_and_the_last_ones_are_what_the_file_says) {
  TinyTokenizer tiny{.specials = {{"<s>"}, {"</s>"}, {"<|eot|>"}, {"<|eom|>"}},
                     .ids = {{"bos_token_id", 256},
                             {"eos_token_id", 257},
                             {"eot_token_id", 258},
                             {"eom_token_id", 257}},
                     .flags = {{"add_bos_token", true}}};
  EXPECT_EQ(tiny.tokenizer().begin_of_text(), TokenId{256});
  const Tokenizer tokenizer = tiny.tokenizer();
  EXPECT_EQ(numbers(tokenizer.end_tokens()), Ids({257, 258}));
  tiny.flags = {{"add_bos_token", false}};
  EXPECT_EQ(tiny.tokenizer().begin_of_text(), std::nullopt);
  tiny.flags = {};
  EXPECT_EQ(tiny.tokenizer().begin_of_text(), std::nullopt);
  tiny.splitter = "llama-bpe";
  EXPECT_EQ(tiny.tokenizer().begin_of_text(), TokenId{256});
}

TEST(Tokenizer, the_fingerprint_changes_with_anything_that_decides_ids_or_bytes) {
  const TinyTokenizer plain =
      TinyTokenizer{.specials = {{"<s>"}}, .ids = {{"eos_token_id", 0}}}.merge("a", "b").merge("b",
                                                                                               "a");
  const auto fingerprint = [](const TinyTokenizer& tiny) { return tiny.tokenizer().fingerprint(); };
  const std::uint64_t same = fingerprint(plain);
  EXPECT_EQ(fingerprint(plain), same);
  std::vector<TinyTokenizer> others(5, plain);
  others[0].splitter = "qwen2";
  others[1].specials[0].kind = TokenKind::user_defined;
  others[2].specials[0].spelling = "<t>";
  others[3].merges = {"b a", "a b"};
  others[4].ids = {{"eos_token_id", 1}};
  for (const TinyTokenizer& other : others) EXPECT_NE(fingerprint(other), same);
}

TEST(Tokenizer, the_small_model_files_load) {
  for (const auto* name : {"llama", "qwen3"}) {
    const auto path = std::string(ZHUZI_TEST_DATA "/gguf_models/") + name + ".gguf";
    const auto file = GgufFile::open(path);
    ASSERT_TRUE(file) << file.error().message;
    const auto loaded = Tokenizer::from_gguf(*file);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_EQ(loaded->size(), 320U);
    EXPECT_EQ(loaded->decode(loaded->encode("the rain in Spain"), ControlTokens::skip),
              "the rain in Spain");
    EXPECT_LT(loaded->encode("the rain in Spain").size(), 15U);
  }
}

// What a file can have wrong. Each case is one change to a file that loads.

std::string refusal(const TinyTokenizer& tiny, ErrorCode code) {
  const auto loaded = tiny.load();
  if (loaded) return "it loads";
  EXPECT_EQ(loaded.error().code, code) << loaded.error().message;
  return loaded.error().message;
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(Tokenizer, B7_an_unknown_splitter_or_model_is_refused_by_name) {
  const std::string splitter = refusal({.splitter = "default"}, ErrorCode::unsupported);
  EXPECT_TRUE(holds(splitter, "default") && holds(splitter, "smollm")) << splitter;
  EXPECT_TRUE(holds(refusal({.model = "llama"}, ErrorCode::unsupported), "llama"));
  TinyTokenizer spaced{.flags = {{"add_space_prefix", true}}};
  EXPECT_TRUE(holds(refusal(spaced, ErrorCode::unsupported), "add_space_prefix"));
}

TEST(Tokenizer, a_missing_key_is_refused_by_name) {
  EXPECT_TRUE(holds(refusal({.model = ""}, ErrorCode::corrupt_file), "tokenizer.ggml.model"));
  EXPECT_TRUE(holds(refusal({.splitter = ""}, ErrorCode::corrupt_file), "tokenizer.ggml.pre"));
  EXPECT_TRUE(holds(refusal({.has_tokens = false}, ErrorCode::corrupt_file), "ggml.tokens"));
  EXPECT_TRUE(holds(refusal({.has_merges = false}, ErrorCode::corrupt_file), "ggml.merges"));
  const TinyTokenizer without_kinds{.has_kinds = false};
  EXPECT_TRUE(without_kinds.load());
  const TinyTokenizer begins{.flags = {{"add_bos_token", true}}};
  EXPECT_TRUE(holds(refusal(begins, ErrorCode::corrupt_file), "bos_token_id"));
}

TEST(Tokenizer, entries_that_do_not_agree_are_refused) {
  const auto refused = [](const TinyTokenizer& tiny) {
    return refusal(tiny, ErrorCode::corrupt_file);
  };
  EXPECT_TRUE(holds(refused({.specials = {{"<s>", TokenKind{7}}}}), "token_type"));
  EXPECT_TRUE(holds(refused({.specials = {{"<s>", TokenKind{0}}}}), "token_type"));
  EXPECT_TRUE(holds(refused({.merges = {"a b"}}), "Merge 0"));
  const TinyTokenizer half_known{.entries = {"abx"}, .merges = {"ab x"}};
  EXPECT_TRUE(holds(refused(half_known), "Merge 0"));
  EXPECT_TRUE(holds(refused({.merges = {"ab"}}), "Merge 0"));
  EXPECT_TRUE(holds(refused({.merges = {""}}), "Merge 0"));
  EXPECT_TRUE(holds(refused({.ids = {{"eos_token_id", 256}}}), "eos_token_id"));
  const TinyTokenizer last_id{.ids = {{"eos_token_id", 255}}};
  EXPECT_TRUE(last_id.load());
  EXPECT_TRUE(holds(refused({.has_bytes = false}), "vocabulary"));
}

TEST(Tokenizer, an_added_token_has_a_longest_length) {
  TinyTokenizer tiny{.specials = {{std::string(1024, '<')}}};
  EXPECT_TRUE(tiny.load());
  tiny.specials[0].spelling += '<';
  EXPECT_TRUE(holds(refusal(tiny, ErrorCode::corrupt_file), "Token 256"));
}

}  // namespace
}  // namespace zhuzi
