#include "cli/options.h"

#include <charconv>
#include <limits>
#include <random>
#include <string_view>
#include <utility>

namespace zhuzi::cli {
namespace {

Result<TokenId> token_id(const char* flag, std::int64_t id) {
  if (id < 0 || id > std::numeric_limits<std::int32_t>::max()) {
    return fail(ErrorCode::invalid_argument, "{} {} is no token id; ids begin at 0", flag, id);
  }
  return static_cast<TokenId>(id);
}

Result<std::vector<TokenId>> token_ids(const char* flag, const std::vector<std::int64_t>& ids) {
  std::vector<TokenId> tokens;
  for (const std::int64_t id : ids) tokens.push_back(TRY(token_id(flag, id)));
  return tokens;
}

/// "ID=BIAS", as in 42=-3.5.
Result<LogitBias> logit_bias(const std::string& text) {
  const char* end = text.data() + text.size();
  std::int64_t id = 0;
  float bias = 0;
  const auto [after_id, id_error] = std::from_chars(text.data(), end, id);
  if (id_error == std::errc{} && after_id != end && *after_id == '=') {
    const auto [after_bias, bias_error] = std::from_chars(after_id + 1, end, bias);
    if (bias_error == std::errc{} && after_bias == end) {
      return LogitBias{.token = TRY(token_id("--logit-bias", id)), .bias = bias};
    }
  }
  return fail(ErrorCode::invalid_argument, "--logit-bias wants ID=BIAS, as in 42=-3.5; got '{}'",
              text);
}

std::uint64_t random_seed() {
  std::random_device device;
  // 53 bits, so that every JSON reader keeps the number as it is.
  return (static_cast<std::uint64_t>(device()) << 32 | device()) >> 11;
}

void add_choosing_options(CLI::App& command, AnswerOptions& options) {
  const char* choosing = "How tokens are chosen";
  command.add_option("--temperature", options.temperature, "0 always takes the likeliest token")
      ->capture_default_str()
      ->group(choosing);
  command
      .add_option("--top-p", options.top_p, "Likeliest tokens that together have this probability")
      ->capture_default_str()
      ->group(choosing);
  command.add_option("--top-k", options.top_k, "This many likeliest tokens (0: all)")
      ->capture_default_str()
      ->group(choosing);
  command
      .add_option("--min-p", options.min_p, "Tokens at least so likely, measured by the likeliest")
      ->capture_default_str()
      ->group(choosing);
  command
      .add_option("--repetition-penalty", options.repetition_penalty,
                  "Above 1: what stood already is less likely")
      ->capture_default_str()
      ->group(choosing);
  command
      .add_option("--frequency-penalty", options.frequency_penalty,
                  "For each time the answer has a token")
      ->capture_default_str()
      ->group(choosing);
  command
      .add_option("--presence-penalty", options.presence_penalty,
                  "Once for a token that the answer has")
      ->capture_default_str()
      ->group(choosing);
  command
      .add_option("--repeat-last-n", options.repeat_last_n,
                  "Tokens that the repetition penalty sees (-1: all)")
      ->capture_default_str()
      ->group(choosing);
  command
      .add_option("--seed", options.seed, "Same seed, same answer (drawn and shown where absent)")
      ->group(choosing);
  command.add_option("--logit-bias", options.logit_bias, "ID=BIAS, added to a token's logit")
      ->allow_extra_args(false)
      ->group(choosing);
  command
      .add_option("--forbid-token-id", options.forbidden_token_ids, "Tokens that are never chosen")
      ->allow_extra_args(false)
      ->group(choosing);
  command
      .add_option("--allow-token-id", options.allowed_token_ids,
                  "The only tokens that may be chosen")
      ->allow_extra_args(false)
      ->group(choosing);
}

void add_ending_options(CLI::App& command, AnswerOptions& options) {
  const char* ending = "When the answer ends";
  command
      .add_option("-n,--max-tokens", options.max_tokens,
                  "Tokens of the answer (0: as many as there is room for)")
      ->capture_default_str()
      ->group(ending);
  command.add_option("--min-tokens", options.min_tokens, "No end before so many tokens")
      ->capture_default_str()
      ->group(ending);
  command
      .add_option("--stop", options.stop, "Text that ends the answer; may be given several times")
      ->allow_extra_args(false)
      ->group(ending);
  command.add_option("--stop-token-id", options.stop_token_ids, "Token that ends the answer")
      ->allow_extra_args(false)
      ->group(ending);
  command.add_flag("--include-stop", options.include_stop, "Show the stop text too")->group(ending);
  command.add_flag("--ignore-eos", options.ignore_eos, "Go on behind the model's own end")
      ->group(ending);
  command
      .add_flag("--show-special-tokens", options.show_special_tokens, "Show control tokens as text")
      ->group(ending);
}

}  // namespace

void add_model_options(CLI::App& command, ModelOptions& options) {
  const char* group = "Model and machine";
  command.add_option("-m,--model", options.model, "GGUF file (the default model where absent)")
      ->envname("ZHUZI_MODEL")
      ->group(group);
  command.add_option("-t,--threads", options.threads, "Threads that compute (0: all)")
      ->envname("ZHUZI_THREADS")
      ->check(CLI::Range(0, 1024))
      ->group(group);
  command
      .add_option("--isa", options.isa, "Instruction set: scalar, avx2, avx512 (best where absent)")
      ->envname("ZHUZI_ISA")
      ->group(group);
  command
      .add_option("--max-model-len", options.max_model_len,
                  "Tokens of a conversation (0: what the file allows)")
      ->envname("ZHUZI_MAX_MODEL_LEN")
      ->group(group);
  command
      .add_option("--max-num-batched-tokens", options.max_num_batched_tokens, "Rows of one step")
      ->envname("ZHUZI_MAX_NUM_BATCHED_TOKENS")
      ->capture_default_str()
      ->check(CLI::Range(1, 65536))
      ->group(group);
  command
      .add_option("--kv-cache-dtype", options.kv_cache_dtype,
                  "Format of the KV cache: f16, bf16, f32")
      ->envname("ZHUZI_KV_CACHE_DTYPE")
      ->capture_default_str()
      ->group(group);
}

Result<EngineOptions> engine_options(const ModelOptions& options) {
  EngineOptions engine{.threads = options.threads,
                       .max_model_len = options.max_model_len,
                       .max_num_seqs = 1,
                       .max_num_batched_tokens = options.max_num_batched_tokens};
  if (!options.isa.empty()) {
    const auto set = kernels::instruction_set_named(options.isa);
    if (!set) {
      return fail(ErrorCode::invalid_argument, "--isa is scalar, avx2 or avx512; got '{}'",
                  options.isa);
    }
    if (!kernels::is_supported(*set)) {
      return fail(ErrorCode::invalid_argument,
                  "this machine has no {}; leave --isa out to take the best it has", options.isa);
    }
    engine.set = *set;
  }
  const auto format = kernels::kv_format_named(options.kv_cache_dtype);
  if (!format) {
    return fail(ErrorCode::invalid_argument, "--kv-cache-dtype is f16, bf16 or f32; got '{}'",
                options.kv_cache_dtype);
  }
  engine.kv_format = *format;
  return engine;
}

void add_answer_options(CLI::App& command, AnswerOptions& options) {
  add_choosing_options(command, options);
  add_ending_options(command, options);
}

Result<Request> make_request(const AnswerOptions& options, std::vector<TokenId> prompt) {
  Request request;
  request.prompt = std::move(prompt);
  SamplingParams& sampling = request.sampling;
  sampling.temperature = options.temperature;
  sampling.top_p = options.top_p;
  sampling.top_k = options.top_k;
  sampling.min_p = options.min_p;
  sampling.repetition_penalty = options.repetition_penalty;
  sampling.frequency_penalty = options.frequency_penalty;
  sampling.presence_penalty = options.presence_penalty;
  sampling.repeat_last_n = options.repeat_last_n;
  sampling.seed = options.seed ? *options.seed : random_seed();
  sampling.min_tokens = options.min_tokens;
  for (const std::string& text : options.logit_bias) {
    sampling.logit_bias.push_back(TRY(logit_bias(text)));
  }
  sampling.forbidden_tokens = TRY(token_ids("--forbid-token-id", options.forbidden_token_ids));
  sampling.allowed_tokens = TRY(token_ids("--allow-token-id", options.allowed_token_ids));
  sampling.logprobs = options.logprobs || options.top_logprobs > 0;
  sampling.top_logprobs = options.top_logprobs;
  request.stop_tokens = TRY(token_ids("--stop-token-id", options.stop_token_ids));
  request.stops = TRY(StopStrings::make(options.stop, options.include_stop));
  request.ignore_end_tokens = options.ignore_eos;
  request.skip_special_tokens = !options.show_special_tokens;
  request.max_tokens = options.max_tokens;
  return request;
}

}  // namespace zhuzi::cli
