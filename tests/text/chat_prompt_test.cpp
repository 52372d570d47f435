// From messages to tokens: only the template's own text can hold control tokens.
#include "text/chat_prompt.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "formats/gguf.h"

namespace zhuzi {
namespace {

/// The tiny GGUF model's vocabulary: single bytes, a few merges, control tokens such as <|eos|>.
Tokenizer tiny_tokenizer(const GgufFile& file) { return Tokenizer::from_gguf(file).value(); }

std::size_t count(const std::vector<TokenId>& tokens, TokenId token) {
  return static_cast<std::size_t>(std::ranges::count(tokens, token));
}

struct ChatPromptTest : ::testing::Test {
  GgufFile file =
      GgufFile::open(std::filesystem::path(ZHUZI_TEST_DATA) / "gguf_models/llama.gguf").value();
  Tokenizer tokenizer = tiny_tokenizer(file);
  TokenId eos = tokenizer.eos().value();
  std::string eos_text = std::string(tokenizer.spelling(eos));

  std::vector<TokenId> prompt(std::string_view source, const std::vector<ChatMessage>& messages) {
    auto parsed = ChatTemplate::parse(source);
    EXPECT_TRUE(parsed);
    Result<ChatPrompt> made = make_chat_prompt(*parsed, tokenizer, messages, {});
    EXPECT_TRUE(made) << made.error().message;
    return made->tokens;
  }
};

TEST_F(ChatPromptTest, the_templates_own_control_tokens_are_control_tokens) {
  const std::string source = "{% for m in messages %}{{ m.content }}" + eos_text + "{% endfor %}";
  EXPECT_EQ(count(prompt(source, {{"user", "a"}, {"user", "b"}}), eos), 2u);
}

TEST_F(ChatPromptTest, the_end_token_from_the_file_is_the_templates_own_too) {
  EXPECT_EQ(count(prompt("{{ messages[0].content }}{{ eos_token }}", {{"user", "a"}}), eos), 1u);
}

TEST_F(ChatPromptTest, a_message_or_a_role_that_spells_one_stays_text) {
  const char* source = "{% for m in messages %}[{{ m.role }}]{{ m.content | trim }}{% endfor %}";
  EXPECT_EQ(count(prompt(source, {{eos_text, "a" + eos_text + "b"}}), eos), 0u);
  // Nor can a message complete what the template began.
  const std::string half = eos_text.substr(0, 3);
  EXPECT_EQ(count(prompt(half + "{{ messages[0].content }}", {{"user", eos_text.substr(3)}}), eos),
            0u);
}

TEST_F(ChatPromptTest, A8_the_templates_refusal_is_the_error) {
  auto parsed = ChatTemplate::parse(
      "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}");
  ASSERT_TRUE(parsed);
  const std::vector<ChatMessage> messages{{"system", "x"}};
  const Result<ChatPrompt> refused = make_chat_prompt(*parsed, tokenizer, messages, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_NE(refused.error().message.find("no system"), std::string::npos);
}

}  // namespace
}  // namespace zhuzi
