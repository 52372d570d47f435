// A conversation to token ids: through the template, then piece by piece through the tokenizer.
//
// Place in the journey: the last step before the engine. What a message says is cut as plain text,
// whatever it spells; only the template's own text can hold control tokens.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace zhuzi {

struct ChatMessage {
  std::string role;
  std::string content;
};

struct ChatPrompt {
  RenderedDocument document;
  std::vector<TokenId> tokens;
};

/// Renders `messages` with add_generation_prompt and encodes the result. Error: invalid_argument
/// with the template's own words. Any thread.
[[nodiscard]] Result<ChatPrompt> make_chat_prompt(const ChatTemplate& chat_template,
                                                  const Tokenizer& tokenizer,
                                                  std::span<const ChatMessage> messages,
                                                  const TemplateClock& clock);

/// The document's spans as the tokenizer wants them.
[[nodiscard]] std::vector<TextPiece> pieces_of(const RenderedDocument& document);

}  // namespace zhuzi
