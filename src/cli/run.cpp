// zhuzi run: one prompt, one answer.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/places.h"
#include "cli/terminal.h"
#include "engine/loaded_model.h"
#include "engine/reply.h"
#include "text/chat_prompt.h"

namespace zhuzi::cli {
namespace {

struct RunOptions {
  ModelOptions model;
  AnswerOptions answer;
  std::string prompt;
  std::string system;
  bool raw = false;
  bool json = false;
};

/// The tokens of the prompt: as they are, or as the user's turn of a conversation.
Result<std::vector<TokenId>> prompt_tokens(const RunOptions& options, const LoadedModel& model,
                                           const std::string& text) {
  if (options.raw) {
    std::vector<TokenId> tokens = model.tokenizer->encode(text, /*may_hold_control_tokens=*/true);
    const auto first = model.tokenizer->begin_of_text();
    if (first && (tokens.empty() || tokens.front() != *first))
      tokens.insert(tokens.begin(), *first);
    return tokens;
  }
  if (!model.chat_template) {
    return fail(ErrorCode::invalid_argument,
                "the model's file has no chat template; use --raw to continue a plain text");
  }
  std::vector<ChatMessage> messages;
  if (!options.system.empty()) messages.push_back({"system", options.system});
  messages.push_back({"user", text});
  return TRY(make_chat_prompt(*model.chat_template, *model.tokenizer, messages, local_clock()))
      .tokens;
}

void write_logprob(json::Writer& json, const Tokenizer& tokenizer, const TokenLogprob& logprob) {
  const std::string_view bytes = tokenizer.bytes(logprob.token);
  json.member("token", utf8::lossy(bytes)).member("id", static_cast<std::int32_t>(logprob.token));
  json.member("logprob", logprob.logprob).key("bytes").begin_array();
  for (const char byte : bytes) json.value(static_cast<unsigned>(static_cast<unsigned char>(byte)));
  json.end_array();
}

void write_logprobs(json::Writer& json, const Tokenizer& tokenizer, const Reply& reply) {
  json.key("logprobs").begin_object().key("content").begin_array();
  for (const ReplyToken& token : reply.logprobs) {
    json.begin_object();
    write_logprob(json, tokenizer, token.logprob);
    json.key("top_logprobs").begin_array();
    for (const TokenLogprob& other : token.top_logprobs) {
      json.begin_object();
      write_logprob(json, tokenizer, other);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
}

void write_timings(json::Writer& json, const Finish& finish) {
  const Timings& timings = finish.timings;
  const Usage& usage = finish.usage;
  const auto per_second = [](std::size_t tokens, double seconds) {
    return seconds > 0 ? static_cast<double>(tokens) / seconds : 0.0;
  };
  json.key("usage").begin_object();
  json.member("prompt_tokens", usage.prompt_tokens);
  json.member("completion_tokens", usage.completion_tokens);
  json.member("total_tokens", usage.prompt_tokens + usage.completion_tokens).end_object();
  json.key("timings").begin_object();
  json.member("queue_ms", timings.queue * 1e3).member("prefill_ms", timings.prefill * 1e3);
  json.member("decode_ms", timings.decode * 1e3);
  json.member("prefill_tokens_per_second", per_second(usage.prompt_tokens, timings.prefill));
  const std::size_t decoded = usage.completion_tokens == 0 ? 0 : usage.completion_tokens - 1;
  json.member("decode_tokens_per_second", per_second(decoded, timings.decode)).end_object();
}

std::string reply_json(const LoadedModel& model, const Request& request, const Reply& reply) {
  const Finish& finish = *reply.finish;
  json::Writer json;
  json.begin_object().member("model", model.name).member("text", reply.text);
  json.key("token_ids").begin_array();
  for (const TokenId token : reply.token_ids) json.value(static_cast<std::int32_t>(token));
  json.end_array().member("finish_reason", name_of(finish.reason)).key("stop_reason");
  if (finish.stop_string) {
    json.value(request.stops.strings[*finish.stop_string]);
  } else if (finish.stop_token) {
    json.value(static_cast<std::int32_t>(*finish.stop_token));
  } else {
    json.null();
  }
  json.member("seed", request.sampling.seed).member("receipt", model.receipt);
  write_timings(json, finish);
  if (request.sampling.logprobs) write_logprobs(json, *model.tokenizer, reply);
  return json.end_object().text() + "\n";
}

/// Drives the engine until the request has ended. With `streams` the text is shown as it comes.
Result<Reply> answer(Engine& engine, const Request& request, bool streams) {
  const RequestId id = TRY(engine.submit(request));
  Reply reply;
  while (!reply.finish) {
    if (take_interrupt()) engine.cancel(id);
    for (const Event& event : engine.step()) {
      if (event.id != id) continue;
      reply.add(event);
      if (streams && !event.text.empty() && !show(event.text)) engine.cancel(id);
    }
  }
  return reply;
}

Result<int> run(const RunOptions& options) {
  const std::filesystem::path path = TRY(model_path(options.model.model));
  const EngineOptions engine = TRY(engine_options(options.model));
  const bool reads_input = options.prompt.empty() || options.prompt == "-";
  if (reads_input && is_terminal_input()) {
    return fail(ErrorCode::invalid_argument,
                "there is no prompt; write `zhuzi run \"Why is the sky blue?\"` or pipe a text in");
  }
  const std::string text = reads_input ? TRY(read_input()) : options.prompt;
  const LoadedModel model = TRY(load_model(path, engine));
  std::vector<TokenId> prompt = TRY(prompt_tokens(options, model, text));
  const Request request = TRY(make_request(options.answer, std::move(prompt)));
  catch_interrupts();
  const Reply reply = TRY(answer(*model.engine, request, /*streams=*/!options.json));
  if (options.json) {
    show(reply_json(model, request, reply));
  } else {
    show("\n");
  }
  if (reply.finish->error) return std::unexpected(*reply.finish->error);
  return reply.finish->reason == FinishReason::cancelled ? exit_interrupted : exit_done;
}

constexpr const char* examples = R"(
Examples:
  zhuzi run "Why is the sky blue?"
  zhuzi run --temperature 0 --max-tokens 40 --json "Name three rivers."
  cat letter.txt | zhuzi run --system "Summarize what you get."
  zhuzi run --raw "Once upon a time"           no chat template: just go on writing)";

}  // namespace

void add_run(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = program.add_subcommand("run", "Answer one prompt");
  command->add_option("prompt", options->prompt, "The prompt; '-' or nothing: read it from a pipe");
  command->add_option("--system", options->system, "The system message");
  command->add_flag("--raw", options->raw, "No chat template; control tokens in the text count");
  command->add_flag("--json", options->json,
                    "One JSON object with everything known about the answer");
  command->add_flag("--logprobs", options->answer.logprobs,
                    "Log-probability of each token (with --json)");
  command->add_option("--top-logprobs", options->answer.top_logprobs,
                      "This many likeliest tokens beside each, at most 20 (with --json)");
  add_model_options(*command, options->model);
  add_answer_options(*command, options->answer);
  command->footer(examples);
  command->callback([options, &exit_code] {
    const Result<int> code = run(*options);
    exit_code = code ? *code : report(code.error());
  });
}

}  // namespace zhuzi::cli
