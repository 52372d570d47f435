#include "text/chat_prompt.h"

#include <utility>

#include "base/check.h"
#include "base/json.h"

namespace zhuzi {
namespace {

json::Value object_of(std::vector<json::Member> members) {
  Result<json::Object> object =
      json::Object::from(std::move(members), json::Object::Duplicates::refuse);
  check(object.has_value(), "the keys of a context are our own");
  return json::Value(std::move(*object));
}

json::Value context_of(const Tokenizer& tokenizer, std::span<const ChatMessage> messages) {
  json::Array list;
  for (const ChatMessage& message : messages) {
    std::vector<json::Member> members;
    members.push_back({"role", json::Value(message.role)});
    members.push_back({"content", json::Value(message.content)});
    list.push_back(object_of(std::move(members)));
  }
  std::vector<json::Member> context;
  context.push_back({"messages", json::Value(std::move(list))});
  context.push_back({"tools", json::Value()});
  context.push_back({"add_generation_prompt", json::Value(true)});
  const auto add_token = [&](const char* key, std::optional<TokenId> token) {
    if (token) context.push_back({key, json::Value(std::string(tokenizer.spelling(*token)))});
  };
  add_token("bos_token", tokenizer.bos());
  add_token("eos_token", tokenizer.eos());
  return object_of(std::move(context));
}

}  // namespace

std::vector<TextPiece> pieces_of(const RenderedDocument& document) {
  std::vector<TextPiece> pieces;
  for (const RenderedSpan& span : document.spans) {
    pieces.push_back(
        {.text = std::string_view(document.text).substr(span.begin, span.end - span.begin),
         .may_hold_control_tokens = span.origin.kind == Origin::Kind::template_text});
  }
  return pieces;
}

Result<ChatPrompt> make_chat_prompt(const ChatTemplate& chat_template, const Tokenizer& tokenizer,
                                    std::span<const ChatMessage> messages,
                                    const TemplateClock& clock) {
  auto rendered = chat_template.render(
      context_of(tokenizer, messages),
      {.clock = clock, .limits = {}, .trusted_keys = {"bos_token", "eos_token"}});
  if (!rendered) {
    return fail(ErrorCode::invalid_argument,
                "the model's chat template refuses the conversation: {}", rendered.error().message);
  }
  ChatPrompt prompt{.document = std::move(*rendered), .tokens = {}};
  prompt.tokens = tokenizer.encode(pieces_of(prompt.document));
  return prompt;
}

}  // namespace zhuzi
