#include "cli/chat_session.h"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "base/json_writer.h"
#include "cli/terminal.h"
#include "engine/reply.h"

namespace zhuzi::cli {
namespace {

constexpr const char* help = R"(/system TEXT   set the system message (nothing: remove it)
/regen         another answer to the last message
/clear         forget the conversation
/stats         tokens, speed, seed and receipt of the last answer
/save FILE     write the conversation as JSON
/exit          leave (Ctrl-D too); Ctrl-C stops an answer
)";

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

ChatSession::ChatSession(LoadedModel& model, AnswerOptions options, std::string system)
    : model_(model), options_(std::move(options)) {
  set_system(system);
}

Result<ChatSession::Next> ChatSession::line(std::string_view text, const Sink& sink,
                                            const Stopper& stopper) {
  const std::string_view message = trimmed(text);
  if (message.empty()) return Next::go_on;
  if (message.front() == '/') return command(message, sink, stopper);
  TRY(answer(message, sink, stopper));
  return Next::go_on;
}

Result<ChatSession::Next> ChatSession::command(std::string_view text, const Sink& sink,
                                               const Stopper& stopper) {
  const std::size_t space = text.find_first_of(" \t");
  const std::string_view name = text.substr(0, space);
  const std::string_view argument =
      space == std::string_view::npos ? std::string_view{} : trimmed(text.substr(space));
  if (name == "/exit" || name == "/quit") return Next::leave;
  if (name == "/help") {
    sink(help);
  } else if (name == "/clear") {
    const bool has_system = !messages_.empty() && messages_.front().role == "system";
    messages_.resize(has_system ? 1 : 0);
    sink("The conversation is empty again.\n");
  } else if (name == "/system") {
    set_system(argument);
    sink(argument.empty() ? "There is no system message now.\n" : "The system message is set.\n");
  } else if (name == "/regen") {
    TRY(regenerate(sink, stopper));
  } else if (name == "/stats") {
    sink(stats());
  } else if (name == "/save") {
    TRY(save(argument, sink));
  } else {
    return fail(ErrorCode::invalid_argument, "there is no command {}; /help lists them", name);
  }
  return Next::go_on;
}

Result<void> ChatSession::answer(std::string_view message, const Sink& sink,
                                 const Stopper& stopper) {
  std::vector<ChatMessage> messages = messages_;
  messages.push_back({"user", std::string(message)});
  ChatPrompt prompt =
      TRY(make_chat_prompt(*model_.chat_template, *model_.tokenizer, messages, local_clock()));
  const Request request = TRY(make_request(options_, std::move(prompt.tokens)));
  const Result<RequestId> id = model_.engine->submit(request);
  if (!id && id.error().code == ErrorCode::context_length) {
    return fail(ErrorCode::context_length, "{}, with /clear", id.error().message);
  }
  TRY(id);
  Reply reply;
  while (!reply.finish) {
    if (stopper()) model_.engine->cancel(*id);
    for (const Event& event : model_.engine->step()) {
      if (event.id != *id) continue;
      reply.add(event);
      if (!event.text.empty() && !sink(event.text)) model_.engine->cancel(*id);
    }
  }
  sink("\n");
  if (reply.finish->error) return std::unexpected(*reply.finish->error);
  messages.push_back({"assistant", reply.text});
  messages_ = std::move(messages);
  last_ = *reply.finish;
  last_seed_ = request.sampling.seed;
  ++answers_;
  return {};
}

Result<void> ChatSession::regenerate(const Sink& sink, const Stopper& stopper) {
  if (messages_.size() < 2 || messages_.back().role != "assistant") {
    return fail(ErrorCode::invalid_argument, "there is no answer yet to make again");
  }
  std::vector<ChatMessage> before = messages_;
  const std::string message = before[before.size() - 2].content;
  messages_.resize(messages_.size() - 2);
  Result<void> answered = answer(message, sink, stopper);
  if (!answered) messages_ = std::move(before);
  return answered;
}

Result<void> ChatSession::save(std::string_view path, const Sink& sink) const {
  if (path.empty()) return fail(ErrorCode::invalid_argument, "/save needs the name of a file");
  json::Writer json;
  json.begin_object().member("model", model_.name).member("receipt", model_.receipt);
  json.key("messages").begin_array();
  for (const ChatMessage& message : messages_) {
    json.begin_object()
        .member("role", message.role)
        .member("content", message.content)
        .end_object();
  }
  json.end_array().end_object();
  std::ofstream file{std::string(path)};
  file << json.text() << '\n';
  file.flush();
  if (!file) return fail(ErrorCode::io, "the conversation cannot be written to {}", path);
  sink(fmt::format("{} messages are in {}.\n", messages_.size(), path));
  return {};
}

void ChatSession::set_system(std::string_view text) {
  const bool has_system = !messages_.empty() && messages_.front().role == "system";
  if (has_system) messages_.erase(messages_.begin());
  if (!text.empty()) messages_.insert(messages_.begin(), {"system", std::string(text)});
}

std::string ChatSession::stats() const {
  if (answers_ == 0) return "There is no answer yet.\n";
  const double prefill = std::max(last_.timings.prefill, 1e-9);
  const double decode = std::max(last_.timings.decode, 1e-9);
  const std::size_t decoded = last_.usage.completion_tokens - 1;
  return fmt::format(
      "read {} tokens in {:.0f} ms ({:.0f}/s), wrote {} ({:.1f}/s), ended by {}\n"
      "seed {}, receipt {}\n",
      last_.usage.prompt_tokens, prefill * 1e3,
      static_cast<double>(last_.usage.prompt_tokens) / prefill, last_.usage.completion_tokens,
      static_cast<double>(decoded) / decode, name_of(last_.reason), last_seed_, model_.receipt);
}

}  // namespace zhuzi::cli
