// ChatSession: a conversation with a loaded model, and the commands that change it.
//
// Place in the journey: between the lines that a person types and the engine. Knows no terminal:
// text goes out through a function, so that it is tested without one. Used by one thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options.h"
#include "engine/loaded_model.h"
#include "engine/request.h"
#include "text/chat_prompt.h"

namespace zhuzi::cli {

class ChatSession {
 public:
  /// Receives text as it comes; false ends the answer (the reader has gone).
  using Sink = std::function<bool(std::string_view)>;
  /// Asked between tokens; true stops the answer, what has come stays in the history.
  using Stopper = std::function<bool()>;

  /// `model` outlives the session.
  ChatSession(LoadedModel& model, AnswerOptions options, std::string system);

  enum class Next { go_on, leave };
  /// One line: a command that begins with '/', or a message to answer. An error leaves the
  /// conversation as it was before the line.
  [[nodiscard]] Result<Next> line(std::string_view text, const Sink& sink, const Stopper& stopper);

  [[nodiscard]] const std::vector<ChatMessage>& messages() const { return messages_; }

 private:
  [[nodiscard]] Result<Next> command(std::string_view text, const Sink& sink,
                                     const Stopper& stopper);
  [[nodiscard]] Result<void> answer(std::string_view message, const Sink& sink,
                                    const Stopper& stopper);
  [[nodiscard]] Result<void> regenerate(const Sink& sink, const Stopper& stopper);
  [[nodiscard]] Result<void> save(std::string_view path, const Sink& sink) const;
  void set_system(std::string_view text);
  [[nodiscard]] std::string stats() const;

  LoadedModel& model_;
  AnswerOptions options_;
  std::vector<ChatMessage> messages_;  ///< A system message first, where there is one.
  Finish last_;
  std::uint64_t last_seed_ = 0;
  std::size_t answers_ = 0;
};

}  // namespace zhuzi::cli
