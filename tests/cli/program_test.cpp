// The program with the default model, as a user meets it: commands, exit codes, errors, and the
// same bytes whatever the machine options.
#include <gtest/gtest.h>

#include <string>

#include "base/json.h"
#include "cli/program.h"

namespace zhuzi {
namespace {

using testing::Ran;
using testing::run_program;

json::Value parsed(const std::string& text) {
  Result<json::Value> value = json::parse(text);
  EXPECT_TRUE(value) << text;
  return value ? std::move(*value) : json::Value();
}

TEST(Program, help_and_version_are_exit_code_0) {
  const Ran help = run_program("--help");
  EXPECT_EQ(help.exit_code, 0);
  for (const char* word : {"chat", "run", "tokenize", "inspect", "bench", "Examples"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(run_program("--version").out.substr(0, 6), "zhuzi ");
  for (const char* command : {"chat", "run", "tokenize", "inspect", "bench"}) {
    const Ran each = run_program(std::string(command) + " --help");
    EXPECT_EQ(each.exit_code, 0);
    EXPECT_NE(each.out.find("Examples"), std::string::npos) << command;
  }
}

TEST(Program, usage_errors_are_exit_code_2_and_name_what_is_wrong) {
  const struct {
    const char* arguments;
    const char* names;
  } cases[] = {
      {"", "Usage"},
      {"rnu", "rnu"},
      {"run --no-such-flag hello", "--no-such-flag"},
      {"run --temperature -1 hello", "temperature"},
      {"run --top-p 1.5 hello", "top_p"},
      {"run --isa mmx hello", "--isa"},
      {"run --kv-cache-dtype int3 hello", "--kv-cache-dtype"},
      {"run --logit-bias 5:3 hello", "--logit-bias"},
      {"run --logit-bias 99999999=3 hello", "logit_bias"},
      {"run --stop '' hello", "top string"},
      {"run --top-logprobs 21 hello", "top_logprobs"},
      {"run --max-model-len 9999999 hello", "max-model-len"},
  };
  for (const auto& each : cases) {
    const Ran ran = run_program(each.arguments);
    EXPECT_EQ(ran.exit_code, 2) << each.arguments << "\n" << ran.err;
    EXPECT_NE((ran.out + ran.err).find(each.names), std::string::npos) << each.arguments << "\n"
                                                                       << ran.out << ran.err;
  }
}

TEST(Program, failures_are_exit_code_1_and_say_the_way_out) {
  const Ran missing = run_program("run --model /no/such/file.gguf hello");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_NE(missing.err.find("/no/such/file.gguf"), std::string::npos);
  EXPECT_NE(missing.err.find("--model"), std::string::npos);
  const Ran wrong = run_program("run --model /etc/passwd hello");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_FALSE(wrong.err.empty());
  const Ran long_prompt = run_program("run --max-model-len 40", std::string(4000, 'x'));
  EXPECT_EQ(long_prompt.exit_code, 1);
  EXPECT_NE(long_prompt.err.find("40"), std::string::npos);
}

TEST(Program, the_answer_has_the_same_bytes_whatever_computes_it) {
  const std::string question = "run \"Why is the sky blue?\" --temperature 0 --max-tokens 24 ";
  const Ran expected = run_program(question + "--threads 1 --isa avx2");
  ASSERT_EQ(expected.exit_code, 0) << expected.err;
  EXPECT_NE(expected.out.find("sky"), std::string::npos) << expected.out;
  for (const char* way :
       {"--threads 2", "--isa scalar", "--isa avx2 --threads 2", "--max-num-batched-tokens 1",
        "--max-num-batched-tokens 7", "--threads 3 --max-num-batched-tokens 64"}) {
    EXPECT_EQ(run_program(question + way).out, expected.out) << way;
  }
}

TEST(Program, json_holds_everything_known_about_the_answer) {
  const std::string arguments =
      "run --json --seed 9 --max-tokens 12 --top-logprobs 3 \"Name three rivers.\"";
  const Ran ran = run_program(arguments);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json::Value reply = parsed(ran.out);
  for (const char* key : {"model", "text", "token_ids", "finish_reason", "stop_reason", "seed",
                          "receipt", "usage", "timings", "logprobs"}) {
    EXPECT_NE(reply.find(key), nullptr) << key;
  }
  EXPECT_EQ(reply.find("seed")->integer(), 9);
  const std::size_t tokens = reply.find("token_ids")->array()->size();
  EXPECT_EQ(reply.find("usage")->find("completion_tokens")->integer(),
            static_cast<std::int64_t>(tokens));
  const json::Array& content = *reply.find("logprobs")->find("content")->array();
  ASSERT_FALSE(content.empty());
  EXPECT_EQ(content[0].find("top_logprobs")->array()->size(), 3u);
  EXPECT_LE(content[0].find("logprob")->real().value(), 0.0);
  const json::Value again = parsed(run_program(arguments).out);
  EXPECT_EQ(*again.find("text")->string(), *reply.find("text")->string());
  EXPECT_EQ(*again.find("receipt")->string(), *reply.find("receipt")->string());
}

TEST(Program, a_prompt_comes_from_a_pipe_and_raw_goes_on_writing) {
  const Ran piped = run_program("run --temperature 0 --max-tokens 8", "Say hello.");
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_FALSE(piped.out.empty());
  const Ran raw = run_program("run --raw --temperature 0 --max-tokens 8 \"One, two, three,\"");
  EXPECT_EQ(raw.exit_code, 0);
  EXPECT_NE(raw.out.find("four"), std::string::npos) << raw.out;
  EXPECT_EQ(run_program("run", "\xFF\xFE").exit_code, 2);
}

TEST(Program, text_of_a_message_never_becomes_a_control_token) {
  // Were <|im_end|> in the message a control token, both prompts would have as many tokens.
  const auto prompt_tokens = [](const std::string& message) {
    const Ran ran = run_program("run --json --max-tokens 1", message);
    return parsed(ran.out).find("usage")->find("prompt_tokens")->integer().value();
  };
  EXPECT_GT(prompt_tokens("a<|im_end|>b"), prompt_tokens("a b") + 3);
}

TEST(Program, tokenize_shows_ids_and_bytes) {
  const Ran table = run_program("tokenize \"Hello 你好\"");
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find("'Hello'"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("tokens"), std::string::npos);
  const json::Value tokens = parsed(run_program("tokenize --json", "12").out);
  EXPECT_EQ(tokens.find("count")->integer(), 2);
  const auto count = [](const char* arguments) {
    return parsed(run_program(std::string("tokenize --json ") + arguments).out)
        .find("count")
        ->integer();
  };
  EXPECT_EQ(count("--control \"<|im_end|>\""), 1);
  EXPECT_GT(count("\"<|im_end|>\"").value(), 1);
}

TEST(Program, inspect_describes_the_model) {
  const Ran ran = run_program("inspect");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  for (const char* word : {"llama", "576", "Q4_1", "Q8_0", "272 tensors"}) {
    EXPECT_NE(ran.out.find(word), std::string::npos) << word << "\n" << ran.out;
  }
  const json::Value json = parsed(run_program("inspect --json").out);
  EXPECT_EQ(json.find("tensors")->array()->size(), 272u);
  EXPECT_EQ(run_program(std::string("inspect ") + ZHUZI_TEST_DATA + "/models/gpt2").exit_code, 0);
}

TEST(Program, bench_prints_speeds_shares_and_a_check_value_that_does_not_move) {
  const std::string arguments = "bench --prompt 16 --generate 4 --repeat 1 --json ";
  const json::Value one = parsed(run_program(arguments + "--threads 1").out);
  for (const char* key : {"prefill_tokens_per_second", "decode_tokens_per_second",
                          "decode_share_of_read_bandwidth", "prefill_share_of_peak"}) {
    ASSERT_NE(one.find(key), nullptr) << key;
    EXPECT_GT(one.find(key)->real().value(), 0.0) << key;
  }
  const json::Value two =
      parsed(run_program(arguments + "--threads 2 --max-num-batched-tokens 5").out);
  EXPECT_EQ(*one.find("check")->string(), *two.find("check")->string());
}

TEST(Program, chat_answers_line_by_line_in_a_pipe) {
  const Ran ran =
      run_program("chat --temperature 0 --max-tokens 12",
                  "Hello!\n/stats\n/regen\n/nonsense\n/clear\n你好\n/exit\nnever read\n");
  EXPECT_NE(ran.out.find("receipt zhuzi-"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("empty again"), std::string::npos);
  EXPECT_NE(ran.err.find("/nonsense"), std::string::npos) << ran.err;
  // The same question at temperature 0, again: the same answer.
  const std::size_t stats = ran.out.find("read ");
  const std::string first = ran.out.substr(0, stats);
  EXPECT_NE(ran.out.find(first, stats), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace zhuzi
