#include "engine/reply.h"

#include <algorithm>

namespace zhuzi {

void Reply::add(const Event& event) {
  text += event.text;
  if (event.token) {
    token_ids.push_back(*event.token);
    stream_bytes_ += event.token_bytes;
    if (event.draw->has_logprobs) {
      logprobs.push_back(
          {.token = *event.token,
           .end_byte = stream_bytes_,
           .logprob = event.draw->logprob,
           .top_logprobs = {event.draw->top_logprobs.begin(), event.draw->top_logprobs.end()}});
    }
  }
  if (event.finish == nullptr) return;
  finish = *event.finish;
  if (!finish->stop_string) return;
  // The text ends where the stop string began (or ended, if it is included): tokens that reach
  // beyond it are gone.
  std::erase_if(logprobs, [&](const ReplyToken& token) { return token.end_byte > text.size(); });
}

}  // namespace zhuzi
