// The flags that several commands share, and the requests that they make.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "engine/request.h"

namespace zhuzi::cli {

/// Which model, and on what it runs.
struct ModelOptions {
  std::filesystem::path model;
  std::size_t threads = 0;
  std::string isa;
  std::size_t max_model_len = 0;
  std::size_t max_num_batched_tokens = 512;
  std::string kv_cache_dtype = "f16";
};
void add_model_options(CLI::App& command, ModelOptions& options);
/// For one conversation at a time. Error: invalid_argument that names the flag.
[[nodiscard]] Result<EngineOptions> engine_options(const ModelOptions& options);

/// How tokens are chosen and when an answer ends.
struct AnswerOptions {
  float temperature = 0.3f;
  float top_p = 0.9f;
  int top_k = 0;
  float min_p = 0;
  float repetition_penalty = 1;
  float frequency_penalty = 0;
  float presence_penalty = 0;
  int repeat_last_n = -1;
  std::optional<std::uint64_t> seed;
  std::size_t max_tokens = 0;
  std::size_t min_tokens = 0;
  std::vector<std::string> stop;
  std::vector<std::int64_t> stop_token_ids;
  bool include_stop = false;
  bool ignore_eos = false;
  bool show_special_tokens = false;
  std::vector<std::string> logit_bias;
  std::vector<std::int64_t> forbidden_token_ids;
  std::vector<std::int64_t> allowed_token_ids;
  bool logprobs = false;
  std::size_t top_logprobs = 0;
};
void add_answer_options(CLI::App& command, AnswerOptions& options);
/// A request for these tokens. Draws a seed where none was given. Error: invalid_argument that
/// names the flag.
[[nodiscard]] Result<Request> make_request(const AnswerOptions& options,
                                           std::vector<TokenId> prompt);

}  // namespace zhuzi::cli
