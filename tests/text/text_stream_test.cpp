// TextStream against recorded streams, the public cases, and a plain reference that looks at the
// whole byte string at once. Streams are scripted as lists of byte strings; no tokenizer is needed.
#include "text/text_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/utf8.h"

namespace zhuzi {
namespace {

using Tokens = std::vector<std::string>;

StopStrings stops(std::vector<std::string> strings, bool include_in_output = false) {
  auto made = StopStrings::make(std::move(strings), include_in_output);
  EXPECT_TRUE(made) << made.error().message;
  return *std::move(made);
}

/// What a whole stream gives.
struct Heard {
  std::vector<std::string> deltas;
  std::string tail;
  std::optional<std::size_t> stopped_by;
  std::vector<std::size_t> decided;

  [[nodiscard]] std::string text() const {
    std::string joined;
    for (const std::string& delta : deltas) joined += delta;
    return joined + tail;
  }
};

Heard hear(const Tokens& tokens, const StopStrings& stop_strings = {}) {
  TextStream stream(stop_strings);
  Heard heard;
  for (const std::string& token : tokens) {
    heard.deltas.emplace_back(stream.push(token));
    heard.decided.push_back(stream.decided_bytes());
  }
  heard.tail = stream.finish();
  heard.stopped_by = stream.stopped_by();
  return heard;
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

Tokens texts_of(const json::Value* array) {
  Tokens texts;
  for (const json::Value& value : *array->array()) texts.push_back(*value.string());
  return texts;
}

TEST(TextStream, equals_every_recorded_stream) {
  std::ifstream file(ZHUZI_TEST_DATA "/text/tokenizers/stream.jsonl");
  std::size_t rows = 0;
  for (std::string line; std::getline(file, line); ++rows) {
    const auto row = json::parse(line);
    ASSERT_TRUE(row) << row.error().message;
    Tokens tokens;
    for (const std::string& hex : texts_of(row->find("bytes"))) tokens.push_back(from_hex(hex));
    const Heard heard = hear(tokens);
    const std::string where = "row " + std::to_string(rows) + ": " + *row->find("note")->string();
    EXPECT_EQ(heard.deltas, texts_of(row->find("deltas"))) << where;
    EXPECT_EQ(heard.tail, *row->find("final_tail")->string()) << where;
    EXPECT_EQ(heard.text(), *row->find("final")->string()) << where;
    std::string safe;
    const Tokens expected = texts_of(row->find("safe"));
    for (std::size_t i = 0; i < heard.deltas.size(); ++i) {
      safe += heard.deltas[i];
      EXPECT_EQ(safe, expected.at(i)) << where;
    }
  }
  EXPECT_EQ(rows, 335U);
}

TEST(TextStream, C1_a_character_over_several_tokens_is_shown_when_it_is_whole) {
  const Heard heard = hear({"\xF0", "\x9F\x98", "\x80", "ok"});
  EXPECT_EQ(heard.deltas, (Tokens{"", "", "\xF0\x9F\x98\x80", "ok"}));
  EXPECT_EQ(heard.decided, (std::vector<std::size_t>{0, 0, 4, 6}));
  EXPECT_EQ(heard.tail, "");
  EXPECT_EQ(hear({"\xC3", "\xA9"}).deltas, (Tokens{"", "\xC3\xA9"}));
}

TEST(TextStream, C1_a_character_cut_off_by_the_end_is_one_replacement) {
  const Heard heard = hear({"a", "\xF0", "\x9F\x98"});
  EXPECT_EQ(heard.deltas, (Tokens{"a", "", ""}));
  EXPECT_EQ(heard.tail, utf8::replacement);
}

TEST(TextStream, C4_text_held_for_a_stop_string_is_released_at_the_end) {
  const Heard heard = hear({"ok", "\n"}, stops({"\nUser:"}));
  EXPECT_EQ(heard.deltas, (Tokens{"ok", ""}));
  EXPECT_EQ(heard.tail, "\n");
  EXPECT_FALSE(heard.stopped_by);
}

TEST(TextStream, C4_text_held_for_a_stop_string_is_released_when_it_cannot_match) {
  EXPECT_EQ(hear({"ok", "\nUs", "ual"}, stops({"\nUser:"})).deltas, (Tokens{"ok", "", "\nUsual"}));
}

TEST(TextStream, C5_a_stop_string_over_several_tokens_is_found_and_not_shown) {
  const Heard heard = hear({"alpha be", "ta ga", "mma delta"}, stops({"beta gamma"}));
  EXPECT_EQ(heard.deltas, (Tokens{"alpha ", "", ""}));
  EXPECT_EQ(heard.tail, "");
  EXPECT_EQ(heard.stopped_by, 0U);
  EXPECT_EQ(heard.decided, (std::vector<std::size_t>{6, 6, 22}));
}

TEST(TextStream, C5_the_earliest_end_of_a_match_wins) {
  const Heard heard = hear({"xabcd"}, stops({"bc", "abcd"}));
  EXPECT_EQ(heard.text(), "xa");
  EXPECT_EQ(heard.stopped_by, 0U);
}

TEST(TextStream, C5_of_two_stop_strings_with_one_end_the_longest_wins) {
  for (const auto& strings : {Tokens{"bc", "abc"}, Tokens{"abc", "bc"}}) {
    const Heard heard = hear({"xa", "bc"}, stops(strings));
    EXPECT_EQ(heard.text(), "x");
    EXPECT_EQ(strings.at(heard.stopped_by.value()), "abc");
  }
  EXPECT_EQ(hear({"abc"}, stops({"abc", "abc"})).stopped_by, 0U);
}

TEST(TextStream, C5_a_stop_string_of_a_character_in_two_tokens_is_found) {
  const Heard heard = hear({"caf\xC3", "\xA9!"}, stops({"\xC3\xA9"}));
  EXPECT_EQ(heard.deltas, (Tokens{"caf", ""}));
  EXPECT_EQ(heard.stopped_by, 0U);
}

TEST(TextStream, C5_include_in_output_adds_exactly_the_stop_string) {
  const Heard heard = hear({"one ST", "OP two", "more"}, stops({"STOP"}, true));
  EXPECT_EQ(heard.deltas, (Tokens{"one ", "STOP", ""}));
  EXPECT_EQ(heard.tail, "");
}

TEST(TextStream, C5_stop_strings_are_checked) {
  EXPECT_TRUE(StopStrings::make({"a", "b", "c", "d", "e"}, false));
  EXPECT_TRUE(StopStrings::make(Tokens(StopStrings::count_max, "a"), false));
  EXPECT_FALSE(StopStrings::make(Tokens(StopStrings::count_max + 1, "a"), false));
  EXPECT_TRUE(StopStrings::make({std::string(StopStrings::bytes_max, 'a')}, false));
  EXPECT_FALSE(StopStrings::make({std::string(StopStrings::bytes_max + 1, 'a')}, false));
  EXPECT_FALSE(StopStrings::make({"\xC3"}, false));
  const auto empty = StopStrings::make({"a", ""}, false);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(empty.error().message.find("Stop string 2"), std::string::npos);
}

TEST(TextStream, C7_blanks_before_punctuation_and_quotes_stay) {
  for (const std::string text :
       {"x != y and a.b == c", " ...", "the word 'social'", "for 'manual'", " .", "do n't"}) {
    Tokens letters;
    for (const char letter : text) letters.emplace_back(1, letter);
    EXPECT_EQ(hear(letters).text(), text);
    EXPECT_EQ(hear({text}).text(), text);
  }
  EXPECT_EQ(hear({"Hi", ".", " It"}).text(), "Hi. It");
}

TEST(TextStream, an_incomplete_character_before_a_stop_string_is_one_replacement) {
  const Heard heard = hear({"\xE2\x82", "\xC3", "\xA9"}, stops({"\xC3\xA9"}));
  EXPECT_EQ(heard.deltas, (Tokens{"", std::string(utf8::replacement), ""}));
  EXPECT_EQ(heard.stopped_by, 0U);
}

TEST(TextStream, a_stop_string_of_the_replacement_matches_no_broken_byte) {
  const StopStrings stop_strings = stops({std::string(utf8::replacement)});
  EXPECT_FALSE(hear({"a\xFF", "b"}, stop_strings).stopped_by);
  EXPECT_TRUE(hear({"a\xEF\xBF", "\xBD"}, stop_strings).stopped_by);
}

TEST(TextStream, bytes_after_a_stop_string_are_ignored) {
  TextStream stream(stops({"."}));
  EXPECT_EQ(stream.push("a.b"), "a");
  EXPECT_EQ(stream.decided_bytes(), 3U);
  EXPECT_EQ(stream.push("c."), "");
  EXPECT_EQ(stream.finish(), "");
  EXPECT_EQ(stream.decided_bytes(), 3U);
}

// The plain reference: the rules of the header, each by looking at the whole byte string.

struct Reference {
  std::string text;
  std::optional<std::size_t> stopped_by;
};

Reference reference(const std::string& bytes, const StopStrings& stop_strings) {
  for (std::size_t end = 1; end <= bytes.size(); ++end) {
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < stop_strings.strings.size(); ++i) {
      const std::string& stop = stop_strings.strings[i];
      if (!std::string_view(bytes).substr(0, end).ends_with(stop)) continue;
      if (!best || stop.size() > stop_strings.strings[*best].size()) best = i;
    }
    if (!best) continue;
    const std::string& stop = stop_strings.strings[*best];
    std::string text = utf8::lossy(std::string_view(bytes).substr(0, end - stop.size()));
    if (stop_strings.include_in_output) text += stop;
    return {.text = text, .stopped_by = best};
  }
  return {.text = utf8::lossy(bytes), .stopped_by = std::nullopt};
}

/// How many bytes of `bytes`, in which no stop string ends, must be held.
std::size_t held(const std::string& bytes, const StopStrings& stop_strings) {
  std::size_t longest = 0;
  for (std::size_t tail = 1; tail <= bytes.size(); ++tail) {
    const std::string_view end = std::string_view(bytes).substr(bytes.size() - tail);
    const utf8::Piece piece = utf8::first_piece(end);
    if (piece.kind == utf8::Kind::incomplete) longest = tail;
    for (const std::string& stop : stop_strings.strings) {
      if (stop.size() > tail && stop.starts_with(end)) longest = tail;
    }
  }
  return longest;
}

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::size_t below(std::size_t count) { return engine_() % count; }
  /// Few different fragments, so that beginnings of stop strings and of characters come up often.
  std::string fragments(std::size_t count_max, bool whole_characters) {
    static const Tokens whole = {
        "a", "b", "ab", "\n", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xEF\xBF\xBD"};
    static const Tokens any = {"a",        "b",    "ab",   "\n",   "\xC3\xA9", "\xE2\x82\xAC",
                               "\xF0\x9F", "\x98", "\xC3", "\xA9", "\xE2",     "\xED\xA0",
                               "\xFF"};
    const Tokens& choices = whole_characters ? whole : any;
    std::string text;
    for (std::size_t n = below(count_max) + 1; n > 0; --n) text += choices[below(choices.size())];
    return text;
  }
  Tokens cut(const std::string& bytes) {
    Tokens tokens;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t length = std::min(below(6), bytes.size() - at);
      tokens.push_back(bytes.substr(at, length));
      at += length;
    }
    return tokens;
  }

 private:
  std::mt19937 engine_;
};

TEST(TextStream, any_cut_of_the_same_bytes_gives_the_text_and_the_stop_of_the_reference) {
  std::size_t stopped = 0;
  for (std::uint32_t seed = 0; seed < 20'000; ++seed) {
    Dice dice(seed);
    Tokens strings;
    for (std::size_t n = dice.below(4); n > 0; --n) strings.push_back(dice.fragments(4, true));
    const StopStrings stop_strings = stops(std::move(strings), dice.below(2) == 0);
    const std::string bytes = dice.fragments(20, false);
    const Reference expected = reference(bytes, stop_strings);
    stopped += expected.stopped_by ? 1 : 0;
    for (int cuts = 0; cuts < 3; ++cuts) {
      const Heard heard = hear(dice.cut(bytes), stop_strings);
      ASSERT_EQ(heard.text(), expected.text) << "seed " << seed;
      ASSERT_EQ(heard.stopped_by, expected.stopped_by) << "seed " << seed;
    }
  }
  EXPECT_GT(stopped, 2'000U);
  EXPECT_LT(stopped, 15'000U);
}

TEST(TextStream, nothing_is_held_longer_than_the_rules_ask) {
  for (std::uint32_t seed = 0; seed < 5'000; ++seed) {
    Dice dice(seed);
    const StopStrings stop_strings =
        stops({dice.fragments(4, true), dice.fragments(4, true)}, dice.below(2) == 0);
    TextStream stream(stop_strings);
    std::string received;
    std::string shown;
    for (const std::string& token : dice.cut(dice.fragments(20, false))) {
      received += token;
      shown += stream.push(token);
      if (stream.stopped_by()) break;
      const std::size_t decided = received.size() - held(received, stop_strings);
      ASSERT_EQ(stream.decided_bytes(), decided) << "seed " << seed;
      ASSERT_EQ(shown, utf8::lossy(received.substr(0, decided))) << "seed " << seed;
    }
  }
}

TEST(TextStream, a_long_stop_string_that_almost_matches_again_and_again_is_found) {
  const std::string almost(StopStrings::bytes_max - 1, 'a');
  TextStream stream(stops({almost + "b"}));
  std::size_t shown = 0;
  for (std::size_t i = 0; i < 200'000; ++i) shown += stream.push("a").size();
  EXPECT_EQ(shown, 200'000 - almost.size());
  EXPECT_EQ(stream.push("b"), "");
  EXPECT_EQ(stream.stopped_by(), 0U);
}

}  // namespace
}  // namespace zhuzi
