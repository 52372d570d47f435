// A conversation without a terminal, with a model that says what the test scripts.
#include "cli/chat_session.h"

#include <gtest/gtest.h>

#include <string>

#include "base/json.h"
#include "engine/scripted_model.h"
#include "formats/text_file.h"

namespace zhuzi::cli {
namespace {

/// A model that answers "yes" to a conversation of any length: every position says it.
struct Conversation {
  testing::ScriptedModel scripted;
  LoadedModel model;
  ChatSession session;
  std::string shown;

  static testing::Script script() {
    testing::Script script{.context = 256, .tokens = {"yes"}, .control = {"<|end|>"}};
    for (std::size_t p = 0; p < 256; ++p) script.rows[p] = {{256, 5.0f}, {257, 4.0f}};
    return script;
  }
  static LoadedModel load(const testing::ScriptedModel& scripted) {
    LoadedModel model;
    model.name = "scripted";
    model.receipt = "zhuzi-test";
    model.tokenizer = scripted.copy_of_tokenizer();
    auto parsed =
        ChatTemplate::parse("{% for m in messages %}[{{ m.role }}:{{ m.content }}]{% endfor %}");
    EXPECT_TRUE(parsed);
    model.chat_template.emplace(std::move(*parsed));
    model.engine = scripted.engine({.threads = 1, .max_num_seqs = 1});
    return model;
  }
  explicit Conversation(AnswerOptions options = {.temperature = 0, .max_tokens = 2},
                        std::string system = "")
      : scripted(script()), model(load(scripted)), session(model, options, std::move(system)) {}

  Result<ChatSession::Next> say(std::string_view line, bool stops = false) {
    shown.clear();
    return session.line(
        line,
        [this](std::string_view text) {
          shown += text;
          return true;
        },
        [stops] { return stops; });
  }
};

TEST(ChatSession, keeps_the_history_and_answers) {
  Conversation chat;
  ASSERT_TRUE(chat.say("one"));
  EXPECT_EQ(chat.shown, "yesyes\n");
  ASSERT_TRUE(chat.say("  two  "));
  ASSERT_EQ(chat.session.messages().size(), 4u);
  EXPECT_EQ(chat.session.messages()[2].content, "two");
  EXPECT_EQ(chat.session.messages()[3].role, "assistant");
  EXPECT_EQ(chat.session.messages()[3].content, "yesyes");
}

TEST(ChatSession, system_clear_and_regen) {
  Conversation chat({.temperature = 0, .max_tokens = 1}, "be brief");
  EXPECT_FALSE(chat.say("/regen"));
  ASSERT_TRUE(chat.say("one"));
  ASSERT_TRUE(chat.say("/regen"));
  EXPECT_EQ(chat.session.messages().size(), 3u);
  ASSERT_TRUE(chat.say("/clear"));
  ASSERT_EQ(chat.session.messages().size(), 1u);
  EXPECT_EQ(chat.session.messages()[0].content, "be brief");
  ASSERT_TRUE(chat.say("/system be long"));
  EXPECT_EQ(chat.session.messages()[0].content, "be long");
  ASSERT_TRUE(chat.say("/system"));
  EXPECT_TRUE(chat.session.messages().empty());
}

TEST(ChatSession, a_stopped_answer_keeps_what_has_come) {
  Conversation chat;
  ASSERT_TRUE(chat.say("one", /*stops=*/true));
  EXPECT_EQ(chat.session.messages().size(), 2u);
  EXPECT_EQ(chat.session.messages()[1].content, "");
  EXPECT_TRUE(chat.model.engine->idle());
}

TEST(ChatSession, a_conversation_that_is_too_long_says_the_way_out_and_stays_as_it_was) {
  Conversation chat;
  ASSERT_TRUE(chat.say("one"));
  const Result<ChatSession::Next> refused = chat.say(std::string(400, 'x'));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("/clear"), std::string::npos);
  EXPECT_EQ(chat.session.messages().size(), 2u);
  EXPECT_TRUE(chat.say("two"));
}

TEST(ChatSession, save_writes_json) {
  Conversation chat;
  const testing::ScratchFolder folder;
  const std::string path = (folder.path() / "talk.json").string();
  ASSERT_TRUE(chat.say("say \"hi\"\t你好"));
  ASSERT_TRUE(chat.say("/save " + path));
  Result<json::Value> saved = read_json_file(path);
  ASSERT_TRUE(saved);
  EXPECT_EQ(*saved->find("messages")->array()->at(0).find("content")->string(), "say \"hi\"\t你好");
  EXPECT_FALSE(chat.say("/save"));
  EXPECT_FALSE(chat.say("/save /no/such/folder/file"));
  EXPECT_FALSE(chat.say("/what"));
  EXPECT_EQ(chat.say("/exit").value(), ChatSession::Next::leave);
}

}  // namespace
}  // namespace zhuzi::cli
