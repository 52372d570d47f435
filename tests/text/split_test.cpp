// Splitters, as lists of words. `⏎` in a comment is a line feed.
#include "text/internal/split.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "text/internal/unicode.h"

namespace zhuzi::internal {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view splitter, std::string_view text) {
  const Splitter* found = find_splitter(splitter);
  EXPECT_NE(found, nullptr) << splitter;
  Words words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = found->word_end(text, begin);
    EXPECT_GT(end, begin);
    EXPECT_LE(end, text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

TEST(Split, B7_numbers) {
  EXPECT_EQ(words_of("qwen2", "12345"), (Words{"1", "2", "3", "4", "5"}));
  EXPECT_EQ(words_of("llama-bpe", "12345"), (Words{"123", "45"}));
  EXPECT_EQ(words_of("gpt-2", "12345"), (Words{"12345"}));
  EXPECT_EQ(words_of("smollm", "12345"), (Words{"1", "2", "3", "4", "5"}));
}

TEST(Split, B7_runs_of_symbols) {
  const Words joined = {"x", "->", "y", "(x", "):\n"};
  EXPECT_EQ(words_of("qwen2", "x->y(x):\n"), joined);
  EXPECT_EQ(words_of("llama-bpe", "x->y(x):\n"), joined);
  const Words apart = {"x", "->", "y", "(", "x", "):", "\n"};
  EXPECT_EQ(words_of("gpt-2", "x->y(x):\n"), apart);
  EXPECT_EQ(words_of("smollm", "x->y(x):\n"), apart);
}

TEST(Split, B7_contractions) {
  EXPECT_EQ(words_of("qwen2", "I'M"), (Words{"I", "'M"}));
  EXPECT_EQ(words_of("llama-bpe", "I'M"), (Words{"I", "'M"}));
  EXPECT_EQ(words_of("gpt-2", "I'M"), (Words{"I", "'", "M"}));
  EXPECT_EQ(words_of("gpt-2", "I'm"), (Words{"I", "'m"}));
}

TEST(Split, B7_line_breaks_behind_symbols) {
  const Words joined = {"hi", "!\r\n\r\n", " x"};
  EXPECT_EQ(words_of("qwen2", "hi!\r\n\r\n x"), joined);
  EXPECT_EQ(words_of("llama-bpe", "hi!\r\n\r\n x"), joined);
  EXPECT_EQ(words_of("gpt-2", "hi!\r\n\r\n x"), (Words{"hi", "!", "\r\n\r\n", " x"}));
}

TEST(Split, B7_the_last_space_goes_to_the_word) {
  for (const auto* name : {"qwen2", "llama-bpe", "gpt-2", "smollm"}) {
    EXPECT_EQ(words_of(name, "a   b"), (Words{"a", "  ", " b"})) << name;
    EXPECT_EQ(words_of(name, "a   "), (Words{"a", "   "})) << name;
  }
}

TEST(Split, B7_an_unknown_splitter_is_not_found) {
  EXPECT_EQ(find_splitter("default"), nullptr);
  EXPECT_EQ(find_splitter(""), nullptr);
  EXPECT_EQ(find_splitter("GPT-2"), nullptr);
}

TEST(Split, every_contraction_is_found_before_more_letters) {
  for (const std::string tail : {"s", "t", "re", "ve", "m", "ll", "d"}) {
    for (const auto* name : {"qwen2", "llama-bpe", "gpt-2", "smollm"}) {
      EXPECT_EQ(words_of(name, "x'" + tail + "ab"), (Words{"x", "'" + tail, "ab"})) << name;
    }
  }
  EXPECT_EQ(words_of("qwen2", "x'Lly"), (Words{"x", "'Ll", "y"}));
  EXPECT_EQ(words_of("qwen2", "x'l"), (Words{"x", "'l"}));
  EXPECT_EQ(words_of("gpt-2", "x'l"), (Words{"x", "'", "l"}));
}

TEST(Split, a_long_s_contracts_where_case_does_not_count) {
  const std::string text = "x'\u017Fab";
  EXPECT_EQ(words_of("qwen2", text), (Words{"x", "'\u017F", "ab"}));
  EXPECT_EQ(words_of("llama-bpe", text), (Words{"x", "'\u017F", "ab"}));
  EXPECT_EQ(words_of("gpt-2", text), (Words{"x", "'", "\u017Fab"}));
}

TEST(Split, smollm_takes_numbers_out_before_anything_else) {
  EXPECT_EQ(words_of("smollm", "a 1"), (Words{"a", " ", "1"}));
  EXPECT_EQ(words_of("smollm", "a  12  b"), (Words{"a", "  ", "1", "2", " ", " b"}));
  EXPECT_EQ(words_of("smollm", "'1s"), (Words{"'", "1", "s"}));
  EXPECT_EQ(words_of("smollm", "x\u00B2\u0663\u2167"), (Words{"x", "\u00B2", "\u0663", "\u2167"}));
}

TEST(Split, white_space_of_every_script_is_white_space) {
  EXPECT_EQ(words_of("gpt-2", "a\u3000\u3000b"), (Words{"a", "\u3000", "\u3000", "b"}));
  EXPECT_EQ(words_of("gpt-2", "a\u00A0\u2028 b"), (Words{"a", "\u00A0\u2028", " b"}));
  EXPECT_EQ(words_of("gpt-2", "a\u0085\u0085"), (Words{"a", "\u0085\u0085"}));
  EXPECT_EQ(words_of("gpt-2", "a\u200Bb"), (Words{"a", "\u200B", "b"}));  // no white space
  EXPECT_EQ(words_of("qwen2", "a\u3000b"), (Words{"a", "\u3000b"}));
}

TEST(Split, qwen2_ends_white_space_behind_its_last_line_break) {
  EXPECT_EQ(words_of("qwen2", "a \n\t\n  b"), (Words{"a", " \n\t\n", " ", " b"}));
  EXPECT_EQ(words_of("qwen2", "a\n\nb"), (Words{"a", "\n\n", "b"}));
  EXPECT_EQ(words_of("qwen2", "\tb"), (Words{"\tb"}));
  EXPECT_EQ(words_of("qwen2", " \t1"), (Words{" ", "\t", "1"}));
}

TEST(Split, marks_are_symbols) {
  EXPECT_EQ(words_of("gpt-2", "e\u0301a"), (Words{"e", "\u0301", "a"}));
  EXPECT_EQ(words_of("qwen2", "e\u0301a"), (Words{"e", "\u0301a"}));
}

TEST(Split, broken_bytes_are_symbols) {
  EXPECT_EQ(words_of("gpt-2", "a\xFF\xE2\x82 b"), (Words{"a", "\xFF\xE2\x82", " b"}));
  EXPECT_EQ(words_of("smollm", "\xC3"), (Words{"\xC3"}));
}

TEST(Split, words_cover_any_bytes_without_gaps) {
  const Words parts = {"a",  "Z",  "1",      " ", "  ",     "\n",     "\r",     "\t",   "'",
                       "'s", "'L", "\u017F", "!", "\u4E2D", "\u0301", "\u3000", "\xFF", "\xE2\x82"};
  for (std::uint32_t seed = 0; seed < 5'000; ++seed) {
    std::mt19937 dice(seed);
    std::string text;
    for (std::size_t n = dice() % 30; n > 0; --n) text += parts[dice() % parts.size()];
    for (const auto* name : {"qwen2", "llama-bpe", "gpt-2", "smollm"}) {
      std::string joined;
      for (const std::string& word : words_of(name, text)) joined += word;
      ASSERT_EQ(joined, text) << name << ", seed " << seed;
    }
  }
}

TEST(Unicode, categories_at_the_ends_of_stretches) {
  EXPECT_EQ(category_of(0), Category::Cc);
  EXPECT_EQ(category_of('A'), Category::Lu);
  EXPECT_EQ(category_of('Z' + 1), Category::Ps);
  EXPECT_EQ(category_of(0x00AA), Category::Lo);
  EXPECT_EQ(category_of(0x0300), Category::Mn);
  EXPECT_EQ(category_of(0x4E00), Category::Lo);
  EXPECT_EQ(category_of(0x9FFF), Category::Lo);
  EXPECT_EQ(category_of(0xA48D), Category::Cn);
  EXPECT_EQ(category_of(0xD800), Category::Cs);
  EXPECT_EQ(category_of(0xE000), Category::Co);
  EXPECT_EQ(category_of(0x10D40), Category::Nd);  // Garay digit zero: new in Unicode 16
  EXPECT_EQ(category_of(0x1F600), Category::So);
  EXPECT_EQ(category_of(0x10FFFD), Category::Co);
  EXPECT_EQ(category_of(0x10FFFF), Category::Cn);
}

TEST(Unicode, as_many_code_points_of_each_kind_as_the_standard_has) {
  std::size_t letters = 0;
  std::size_t numbers = 0;
  std::size_t spaces = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    const Category category = category_of(c);
    letters += is_letter(category) ? 1 : 0;
    numbers += is_number(category) ? 1 : 0;
    spaces += is_white_space(c, category) ? 1 : 0;
  }
  EXPECT_EQ(letters, 141'028U);
  EXPECT_EQ(numbers, 1'911U);
  EXPECT_EQ(spaces, 25U);
}

}  // namespace
}  // namespace zhuzi::internal
