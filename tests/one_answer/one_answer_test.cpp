// The law of one answer, on real models: for one request, tokens and the bits of every logits row
// are the same however they were computed.
//
// `alone` is the oracle: batch of one, whole prompt in one step, scalar code, one thread. A
// schedule then draws everything that may not matter: threads, instruction set, step budget,
// strangers in the batch, when they come, and when they are cancelled. Each test asserts that what
// it draws occurred.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include "base/hash.h"
#include "engine/engine.h"
#include "model/model_file.h"
#include "text/tokenizer.h"

namespace zhuzi {
namespace {

using kernels::InstructionSet;

/// A loaded file from which engines of all kinds are made.
struct Subject {
  ModelFile file;
  Tokenizer tokenizer;

  static Subject open(const std::filesystem::path& path) {
    Result<ModelFile> file = ModelFile::open(path);
    if (!file) throw std::runtime_error(file.error().message);
    Result<Tokenizer> tokenizer = Tokenizer::from_gguf(std::get<GgufFile>(file->source));
    if (!tokenizer) throw std::runtime_error(tokenizer.error().message);
    return {std::move(*file), std::move(*tokenizer)};
  }
  [[nodiscard]] std::unique_ptr<Engine> engine(const EngineOptions& options) const {
    auto made = Engine::make(file.spec, file.weights, tokenizer, options);
    if (!made) throw std::runtime_error(made.error().message);
    return std::move(*made);
  }
};

/// One hash for each logits row, by the position of the token that it draws.
struct Answer {
  std::map<std::size_t, Hash128> rows;
  std::vector<TokenId> tokens;
  bool operator==(const Answer&) const = default;
};

class RowHashes : public LogitsObserver {
 public:
  void logits(RequestId id, std::size_t position, std::span<const float> row) override {
    answers[id].rows[position] = hash128(std::as_bytes(row));
  }
  std::map<RequestId, Answer> answers;
};

Request request_of(std::mt19937& random, std::size_t vocabulary, std::size_t prompt,
                   std::size_t output) {
  Request request;
  for (std::size_t i = 0; i < prompt; ++i) {
    request.prompt.push_back(static_cast<TokenId>(random() % vocabulary));
  }
  request.sampling.temperature = 0.8f;
  request.sampling.top_p = 0.95f;
  request.sampling.repetition_penalty = 1.1f;
  request.sampling.seed = random();
  request.ignore_end_tokens = true;
  request.max_tokens = output;
  return request;
}

/// Runs an engine until it is idle and collects the answers of all requests.
void drain(Engine& engine, RowHashes& hashes) {
  while (!engine.idle()) {
    for (const Event& event : engine.step()) {
      ASSERT_TRUE(event.finish == nullptr || !event.finish->error);
      if (event.token) hashes.answers[event.id].tokens.push_back(*event.token);
    }
  }
}

Answer alone(const Subject& subject, const Request& request, const EngineOptions& options) {
  const std::unique_ptr<Engine> engine = subject.engine(options);
  RowHashes hashes;
  engine->observe(&hashes);
  const RequestId id = engine->submit(request).value();
  drain(*engine, hashes);
  return hashes.answers[id];
}

const EngineOptions oracle{.threads = 1,
                           .set = InstructionSet::scalar,
                           .max_num_seqs = 1,
                           .max_num_batched_tokens = 4096,
                           .kv_blocks = 64};

/// What a schedule did, so that a test can see that it tested something.
struct Events {
  std::size_t steps = 0, shared_steps = 0, chunks = 0, cancelled = 0, sets = 0;
};

/// The target among strangers that come and go at random.
Answer in_a_crowd(const Subject& subject, const Request& target, std::mt19937& random,
                  Events& events) {
  const auto draw = [&](std::size_t low, std::size_t high) {
    return low + random() % (high - low + 1);
  };
  std::vector<InstructionSet> sets;
  for (const InstructionSet set : kernels::all_instruction_sets) {
    if (kernels::is_supported(set)) sets.push_back(set);
  }
  EngineOptions options = oracle;
  options.set = sets[random() % sets.size()];
  options.threads = draw(1, 3);
  options.max_num_seqs = draw(2, 5);
  options.max_num_batched_tokens = draw(1, 40);
  options.kv_blocks = 200;
  const std::unique_ptr<Engine> engine = subject.engine(options);
  events.sets |= std::size_t{1} << static_cast<std::size_t>(options.set);
  RowHashes hashes;
  engine->observe(&hashes);
  std::vector<RequestId> strangers;
  const std::size_t vocabulary = subject.file.spec.vocabulary;
  const auto add_stranger = [&] {
    strangers.push_back(
        engine->submit(request_of(random, vocabulary, draw(1, 60), draw(1, 30))).value());
  };
  for (std::size_t i = draw(0, 3); i > 0; --i) add_stranger();
  const RequestId id = engine->submit(target).value();
  bool has_ended = false;
  while (!has_ended) {
    if (draw(0, 7) == 0) add_stranger();
    if (!strangers.empty() && draw(0, 9) == 0) {
      engine->cancel(strangers[random() % strangers.size()]);
    }
    const std::size_t rows_before = engine->rows_computed();
    bool is_shared = false;
    for (const Event& event : engine->step()) {
      EXPECT_TRUE(event.finish == nullptr || !event.finish->error);
      if (event.id != id) {
        is_shared = is_shared || event.token.has_value();
        if (event.finish != nullptr && event.finish->reason == FinishReason::cancelled)
          ++events.cancelled;
        continue;
      }
      if (event.token) hashes.answers[id].tokens.push_back(*event.token);
      has_ended = event.finish != nullptr;
    }
    ++events.steps;
    if (is_shared) ++events.shared_steps;
    if (engine->rows_computed() - rows_before < target.prompt.size()) ++events.chunks;
    engine->check_invariants();
  }
  return hashes.answers[id];
}

Subject tiny(const char* name) {
  Subject subject = Subject::open(std::filesystem::path(ZHUZI_TEST_DATA) / "gguf_models" / name);
  subject.file.spec.context = 1024;
  return subject;
}

class OneAnswerOfTinyModels : public ::testing::TestWithParam<const char*> {};

TEST_P(OneAnswerOfTinyModels, does_not_depend_on_anything_that_a_schedule_can_draw) {
  const Subject subject = tiny(GetParam());
  Events events;
  for (std::uint32_t seed = 1; seed <= 16; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937 random(seed);
    // Every fourth prompt crosses the border of an attention partition.
    const std::size_t prompt = seed % 4 == 0 ? 240 + random() % 30 : 1 + random() % 50;
    const Request target = request_of(random, subject.file.spec.vocabulary, prompt, 24);
    const Answer expected = alone(subject, target, oracle);
    ASSERT_EQ(expected.rows.size(), 24u);
    const Answer crowded = in_a_crowd(subject, target, random, events);
    ASSERT_EQ(crowded.tokens, expected.tokens);
    ASSERT_TRUE(crowded.rows == expected.rows) << "the bits of a logits row differ";
  }
  EXPECT_GT(events.shared_steps, 50u);
  EXPECT_GT(events.cancelled, 8u);
  EXPECT_GT(events.chunks, 50u);
  EXPECT_NE(events.sets & (events.sets - 1), 0u) << "at least two instruction sets were drawn";
}

INSTANTIATE_TEST_SUITE_P(
    Files, OneAnswerOfTinyModels, ::testing::Values("llama.gguf", "qwen3.gguf"),
    [](const auto& name) {
      return std::string(name.param).substr(0, std::string(name.param).find('.'));
    });

TEST(OneAnswer, every_kv_format_has_one_answer_of_its_own) {
  const Subject subject = tiny("qwen3.gguf");
  std::mt19937 random(11);
  const Request target = request_of(random, subject.file.spec.vocabulary, 70, 24);
  std::vector<Answer> answers;
  for (const kernels::KvFormat format :
       {kernels::KvFormat::f32, kernels::KvFormat::f16, kernels::KvFormat::bf16}) {
    EngineOptions options = oracle;
    options.kv_format = format;
    const Answer expected = alone(subject, target, options);
    for (const InstructionSet set : kernels::all_instruction_sets) {
      if (!kernels::is_supported(set)) continue;
      options.set = set;
      options.threads = 2;
      options.max_num_batched_tokens = 7;
      EXPECT_TRUE(alone(subject, target, options) == expected) << kernels::name_of(set);
    }
    answers.push_back(expected);
  }
  EXPECT_FALSE(answers[0].rows == answers[1].rows) << "f16 rounds, so it is seen";
  EXPECT_FALSE(answers[0].rows == answers[2].rows);
}

std::filesystem::path default_model_path() {
  if (const char* given = std::getenv("ZHUZI_DEFAULT_MODEL")) return given;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const std::filesystem::path folder = cache != nullptr
                                           ? std::filesystem::path(cache)
                                           : std::filesystem::path(std::getenv("HOME")) / ".cache";
  return folder / "zhuzi" / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf";
}

/// 220 tokens of prompt and 90 of answer: across the border at 256, in odd chunks, on every
/// instruction set that this machine has, with one thread and two, alone and beside strangers.
TEST(OneAnswer, the_default_model_gives_the_same_bits_however_it_is_run) {
  const Subject subject = Subject::open(default_model_path());
  std::mt19937 random(3);
  Request target;
  const std::string text =
      "The river rises in the mountains, passes three towns, and reaches the sea. ";
  while (target.prompt.size() < 220) {
    for (const TokenId token : subject.tokenizer.encode(text)) target.prompt.push_back(token);
  }
  target.prompt.resize(220);
  target.sampling.seed = 5;
  target.sampling.temperature = 0.7f;
  target.ignore_end_tokens = true;
  target.max_tokens = 90;
  EngineOptions options = oracle;
  options.max_model_len = 1024;
  options.threads = 2;
  const Answer expected = alone(subject, target, options);
  ASSERT_EQ(expected.rows.size(), 90u);
  struct Way {
    InstructionSet set;
    std::size_t threads, budget, strangers;
  };
  for (const Way& way :
       {Way{InstructionSet::avx2, 1, 512, 0}, Way{InstructionSet::avx2, 2, 37, 0},
        Way{InstructionSet::avx2, 2, 64, 3}, Way{InstructionSet::avx512, 1, 512, 0},
        Way{InstructionSet::avx512, 2, 51, 3}}) {
    if (!kernels::is_supported(way.set)) {
      fmt::print("this machine has no {}: skipped\n", kernels::name_of(way.set));
      continue;
    }
    options.set = way.set;
    options.threads = way.threads;
    options.max_num_batched_tokens = way.budget;
    options.max_num_seqs = 4;
    options.kv_blocks = 256;
    const std::unique_ptr<Engine> engine = subject.engine(options);
    RowHashes hashes;
    engine->observe(&hashes);
    for (std::size_t i = 0; i < way.strangers; ++i) {
      ASSERT_TRUE(engine->submit(request_of(random, 49152, 50 + 31 * i, 40)));
    }
    const RequestId id = engine->submit(target).value();
    drain(*engine, hashes);
    EXPECT_EQ(hashes.answers[id].tokens, expected.tokens);
    EXPECT_TRUE(hashes.answers[id] == expected)
        << kernels::name_of(way.set) << ", " << way.threads << " threads, budget " << way.budget;
  }
}

}  // namespace
}  // namespace zhuzi
