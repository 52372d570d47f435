// The engine with a model that says what the test scripts: reasons to end, errors of one request
// beside others, seeds, edges of the room, cancellation.
#include "engine/engine.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/reply.h"
#include "engine/scripted_model.h"

namespace zhuzi {
namespace {

using testing::Script;
using testing::ScriptedModel;

const EngineOptions small{
    .threads = 1, .max_num_seqs = 4, .max_num_batched_tokens = 8, .kv_blocks = 16};

Request request_of(std::vector<std::int32_t> prompt, std::size_t max_tokens = 0) {
  Request request;
  for (const std::int32_t id : prompt) request.prompt.push_back(TokenId{id});
  request.sampling.temperature = 0;
  request.max_tokens = max_tokens;
  return request;
}

/// Runs everything that was submitted; one reply for each request.
std::map<RequestId, Reply> drain(Engine& engine) {
  std::map<RequestId, Reply> replies;
  for (std::size_t steps = 0; !engine.idle(); ++steps) {
    EXPECT_LT(steps, 10000u);
    for (const Event& event : engine.step()) replies[event.id].add(event);
    engine.check_invariants();
  }
  return replies;
}

Reply answer(Engine& engine, Request request) {
  const RequestId id = engine.submit(std::move(request)).value();
  return drain(engine)[id];
}

std::vector<std::int32_t> numbers(const std::vector<TokenId>& tokens) {
  std::vector<std::int32_t> ids;
  for (const TokenId token : tokens) ids.push_back(static_cast<std::int32_t>(token));
  return ids;
}

TEST(Engine, says_what_the_script_says_and_ends_at_the_end_token) {
  const ScriptedModel model(
      Script{.tokens = {"hello", " world"}, .control = {"<|end|>"}}.say(2, {256, 257, 258}));
  const auto engine = model.engine(small);
  const Reply reply = answer(*engine, request_of({'a', 'b', 'c'}));
  EXPECT_EQ(reply.text, "hello world");
  EXPECT_EQ(numbers(reply.token_ids), (std::vector<std::int32_t>{256, 257, 258}));
  EXPECT_EQ(reply.finish->reason, FinishReason::stop);
  EXPECT_EQ(reply.finish->stop_token, TokenId{258});
  EXPECT_EQ(reply.finish->usage.prompt_tokens, 3u);
  EXPECT_EQ(reply.finish->usage.completion_tokens, 3u);
  EXPECT_EQ(engine->free_blocks(), 16u);
}

TEST(Engine, C1_a_character_over_several_tokens_is_shown_when_it_is_whole) {
  const ScriptedModel model(
      Script{.tokens = {"\xF0", "\x9F\x98", "\x80", "ok"}, .control = {"<|end|>"}}.say(
          0, {256, 257, 258, 259, 260}));
  const auto engine = model.engine(small);
  ASSERT_TRUE(engine->submit(request_of({'a'})));
  std::vector<std::string> deltas;
  while (!engine->idle()) {
    for (const Event& event : engine->step()) deltas.emplace_back(event.text);
  }
  EXPECT_EQ(deltas, (std::vector<std::string>{"", "", "😀", "ok", ""}));
}

TEST(Engine, C1_a_tail_cut_off_by_max_tokens_is_one_replacement_character) {
  const ScriptedModel model(Script{.tokens = {"\xF0", "\x9F"}}.say(0, {256, 257}));
  const auto engine = model.engine(small);
  const Reply reply = answer(*engine, request_of({'a'}, 2));
  EXPECT_EQ(reply.text, "\xEF\xBF\xBD");
  EXPECT_EQ(reply.finish->reason, FinishReason::length);
}

TEST(Engine, C4_text_held_for_a_stop_string_is_released_at_the_end) {
  const ScriptedModel model(
      Script{.tokens = {"ok"}, .control = {"<|end|>"}}.say(0, {256, '\n', 257}));
  const auto engine = model.engine(small);
  Request request = request_of({'a'});
  request.stops = StopStrings::make({"\nUser:"}, false).value();
  EXPECT_EQ(answer(*engine, request).text, "ok\n");
  request.max_tokens = 2;
  EXPECT_EQ(answer(*engine, request).text, "ok\n");
}

TEST(Engine, C5_a_stop_string_over_several_tokens_ends_the_answer_at_a_token) {
  const ScriptedModel model(
      Script{.tokens = {"alpha be", "ta ga", "mma delta", "more"}}.say(0, {256, 257, 258, 259}));
  const auto engine = model.engine(small);
  Request request = request_of({'a'});
  request.stops = StopStrings::make({"beta gamma"}, false).value();
  const Reply reply = answer(*engine, request);
  EXPECT_EQ(reply.text, "alpha ");
  EXPECT_EQ(reply.finish->reason, FinishReason::stop);
  EXPECT_EQ(reply.finish->stop_string, 0u);
  EXPECT_EQ(reply.finish->usage.completion_tokens, 3u);
}

TEST(Engine, log_probabilities_of_swallowed_tokens_are_dropped_with_their_text) {
  const ScriptedModel model(Script{.tokens = {"one ", "STOP"}}.say(0, {256, 257}));
  const auto engine = model.engine(small);
  Request request = request_of({'a'});
  request.sampling.logprobs = true;
  request.sampling.top_logprobs = 2;
  request.stops = StopStrings::make({"STOP"}, false).value();
  const Reply reply = answer(*engine, request);
  EXPECT_EQ(reply.text, "one ");
  ASSERT_EQ(reply.logprobs.size(), 1u);
  EXPECT_EQ(reply.logprobs[0].token, TokenId{256});
  EXPECT_EQ(reply.logprobs[0].top_logprobs.size(), 2u);
  EXPECT_NEAR(reply.logprobs[0].logprob.logprob, 0.0f, 1e-3f);
}

TEST(Engine, E6_the_edges_of_the_room) {
  const ScriptedModel model(Script{});
  EngineOptions options = small;
  options.max_model_len = 16;
  const auto engine = model.engine(options);
  const auto prompt = [](std::size_t tokens) {
    return request_of(std::vector<std::int32_t>(tokens, 'x'));
  };
  EXPECT_EQ(answer(*engine, prompt(15)).token_ids.size(), 1u);
  for (const std::size_t tokens : {16u, 17u}) {
    const Result<RequestId> refused = engine->submit(prompt(tokens));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::context_length);
    EXPECT_NE(refused.error().message.find("16"), std::string::npos);
  }
  Request too_many = prompt(10);
  too_many.max_tokens = 1000;
  EXPECT_EQ(answer(*engine, too_many).token_ids.size(), 6u);
}

TEST(Engine, E7_running_into_the_end_of_the_room_is_a_length_finish) {
  const ScriptedModel model(Script{});
  EngineOptions options = small;
  options.max_model_len = 16;
  const auto engine = model.engine(options);
  const Reply reply = answer(*engine, request_of(std::vector<std::int32_t>(10, 'x'), 100));
  EXPECT_EQ(reply.token_ids.size(), 6u);
  EXPECT_EQ(reply.finish->reason, FinishReason::length);
  EXPECT_TRUE(engine->idle());
}

TEST(Engine, E4_what_the_pool_can_never_hold_is_refused_and_the_next_request_runs) {
  const ScriptedModel model(Script{});
  EngineOptions options = small;
  options.kv_blocks = 1;
  const auto engine = model.engine(options);
  EXPECT_EQ(engine->room(), 16u);
  EXPECT_FALSE(engine->submit(request_of(std::vector<std::int32_t>(17, 'x'))));
  EXPECT_EQ(answer(*engine, request_of({'a', 'b', 'c'}, 2)).token_ids.size(), 2u);
}

TEST(Engine, D7_a_seed_is_the_requests_own) {
  Script script{.context = 64, .floor = -30.0f};
  for (std::size_t p = 0; p < 63; ++p) {
    for (std::int32_t token = 0; token < 8; ++token) {
      script.rows[p]['a' + token] =
          1.0f + 0.1f * static_cast<float>((token * 5 + static_cast<std::int32_t>(p)) % 7);
    }
  }
  const ScriptedModel model(script);
  const auto sampled = [](std::uint64_t seed) {
    Request request = request_of({'x', 'y'}, 20);
    request.sampling.temperature = 0.8f;
    request.sampling.seed = seed;
    return request;
  };
  const std::vector<TokenId> alone = answer(*model.engine(small), sampled(42)).token_ids;
  const auto engine = model.engine(small);
  ASSERT_TRUE(engine->submit(sampled(7)));
  const RequestId id = engine->submit(sampled(42)).value();
  const RequestId twin = engine->submit(sampled(42)).value();
  std::map<RequestId, Reply> replies = drain(*engine);
  EXPECT_EQ(replies[id].token_ids, alone);
  EXPECT_EQ(replies[twin].token_ids, alone);
  EXPECT_NE(answer(*engine, sampled(43)).token_ids, alone);
}

TEST(Engine, a_cancelled_request_gives_its_blocks_back_in_every_phase) {
  const ScriptedModel model(Script{});
  EngineOptions options = small;
  options.max_num_seqs = 1;
  const auto engine = model.engine(options);
  const RequestId first = engine->submit(request_of(std::vector<std::int32_t>(20, 'x'))).value();
  const RequestId queued = engine->submit(request_of({'a'})).value();
  (void)engine->step();  // The first chunk of the prompt.
  engine->cancel(first);
  engine->cancel(queued);
  engine->cancel(queued);
  engine->cancel(RequestId{999});
  std::map<RequestId, Reply> replies = drain(*engine);
  EXPECT_EQ(replies.at(first).finish->reason, FinishReason::cancelled);
  EXPECT_EQ(replies.at(queued).finish->reason, FinishReason::cancelled);
  EXPECT_EQ(engine->free_blocks(), 16u);
  // While decoding:
  const RequestId third = engine->submit(request_of({'a'})).value();
  for (int i = 0; i < 5; ++i) (void)engine->step();
  engine->cancel(third);
  EXPECT_EQ(drain(*engine).at(third).finish->reason, FinishReason::cancelled);
  EXPECT_EQ(engine->free_blocks(), 16u);
}

TEST(Engine, an_infinite_logit_ends_its_own_request_with_an_error_that_says_so) {
  Script script{.context = 64};
  script.rows[40] = {{'b', std::numeric_limits<float>::infinity()}};
  const ScriptedModel model(script);
  const auto engine = model.engine(small);
  const RequestId bad = engine->submit(request_of(std::vector<std::int32_t>(41, 'x'), 2)).value();
  const RequestId good = engine->submit(request_of({'x', 'y'}, 3)).value();
  std::map<RequestId, Reply> replies = drain(*engine);
  EXPECT_EQ(replies[good].finish->reason, FinishReason::length);
  ASSERT_EQ(replies[bad].finish->reason, FinishReason::error);
  EXPECT_EQ(replies[bad].finish->error->code, ErrorCode::numeric);
  EXPECT_EQ(engine->free_blocks(), 16u);
}

TEST(Engine, J4_a_value_that_the_kv_format_cannot_hold_ends_the_request_by_name) {
  const ScriptedModel model(Script{.value_bias = 7e4f});
  const Reply refused = answer(*model.engine(small), request_of({'a'}, 2));
  ASSERT_EQ(refused.finish->reason, FinishReason::error);
  EXPECT_NE(refused.finish->error->message.find("f16"), std::string::npos);
  EngineOptions options = small;
  options.kv_format = kernels::KvFormat::bf16;
  EXPECT_EQ(answer(*model.engine(options), request_of({'a'}, 2)).finish->reason,
            FinishReason::length);
}

TEST(Engine, D8_token_ids_beyond_the_vocabulary_are_refused_before_any_work) {
  const ScriptedModel model(Script{});
  const auto engine = model.engine(small);
  EXPECT_FALSE(engine->submit(request_of({256})));
  EXPECT_FALSE(engine->submit(request_of({-1})));
  EXPECT_FALSE(engine->submit(request_of({})));
  Request stop = request_of({'a'});
  stop.stop_tokens = {TokenId{1 << 30}};
  EXPECT_FALSE(engine->submit(stop));
  EXPECT_TRUE(engine->idle());
}

TEST(Engine, D8_no_end_token_before_min_tokens) {
  Script script{.tokens = {"word"}, .control = {"<|end|>"}};
  for (std::size_t p = 0; p < 20; ++p) script.rows[p] = {{257, 20.0f}, {'s', 19.0f}, {256, 10.0f}};
  const ScriptedModel model(script);
  const auto engine = model.engine(small);
  Request request = request_of({'a'});
  request.stop_tokens = {TokenId{'s'}};
  request.sampling.min_tokens = 3;
  const Reply reply = answer(*engine, request);
  EXPECT_EQ(numbers(reply.token_ids), (std::vector<std::int32_t>{256, 256, 256, 257}));
  EXPECT_EQ(reply.text, "wordwordword");
}

TEST(Engine, going_on_behind_the_end_token_shows_no_control_token) {
  const ScriptedModel model(
      Script{.tokens = {"a"}, .control = {"<|end|>"}}.say(0, {'a', 257, 'b'}));
  const auto engine = model.engine(small);
  Request request = request_of({'x'}, 3);
  request.ignore_end_tokens = true;
  EXPECT_EQ(answer(*engine, request).text, "ab");
  request.skip_special_tokens = false;
  EXPECT_EQ(answer(*engine, request).text, "a<|end|>b");
}

}  // namespace
}  // namespace zhuzi
