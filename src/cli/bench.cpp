// zhuzi bench: how fast a model runs here, beside what this machine can do.
//
// Speeds are medians over the repeats, with the least and the most. Shares compare with peaks that
// are measured in the same run, before and after. The check value is a hash over the bits of every
// logits row of the first, untimed round: fast nonsense is visible, and so is a changed bit.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/machine.h"
#include "cli/options.h"
#include "cli/places.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "engine/loaded_model.h"
#include "kernels/peaks.h"

namespace zhuzi::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct BenchOptions {
  ModelOptions model;
  std::size_t prompt = 512;
  std::size_t generate = 64;
  std::size_t repeat = 5;
  bool json = false;
};

struct Spread {
  double median = 0, least = 0, most = 0;
};

Spread spread_of(std::vector<double> values) {
  std::ranges::sort(values);
  return {.median = values[values.size() / 2], .least = values.front(), .most = values.back()};
}

struct Measured {
  Spread prefill;  ///< Tokens a second.
  Spread decode;
  double load_ms = 0;
  Hash128 check;
  kernels::MachinePeaks peaks;
};

class LogitsHash : public LogitsObserver {
 public:
  void logits(RequestId, std::size_t position, std::span<const float> row) override {
    stream_.add(position);
    stream_.add_bytes(std::as_bytes(row));
  }
  [[nodiscard]] Hash128 digest() const { return stream_.digest(); }

 private:
  HashStream stream_;
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Ordinary tokens, always the same ones.
Request bench_request(const BenchOptions& options, const LoadedModel& model) {
  Request request;
  std::uint32_t state = 1;
  while (request.prompt.size() < options.prompt) {
    state = state * 1664525 + 1013904223;
    const auto token = static_cast<TokenId>((state >> 8) % model.tokenizer->size());
    if (model.tokenizer->kind(token) == TokenKind::normal) request.prompt.push_back(token);
  }
  request.sampling.temperature = 0;
  request.ignore_end_tokens = true;
  request.max_tokens = options.generate;
  return request;
}

struct Round {
  double prefill_seconds = 0;
  double decode_seconds = 0;
};

Result<Round> run_round(Engine& engine, const Request& request) {
  TRY(engine.submit(request));
  Round round;
  Clock::time_point start = Clock::now();
  for (bool has_first = false; !engine.idle();) {
    for (const Event& event : engine.step()) {
      if (event.finish != nullptr && event.finish->error)
        return std::unexpected(*event.finish->error);
      if (event.token && !has_first) {
        has_first = true;
        round.prefill_seconds = seconds_since(start);
        start = Clock::now();
      }
      if (event.finish != nullptr) round.decode_seconds = seconds_since(start);
    }
    if (take_interrupt()) return fail(ErrorCode::io, "stopped by Ctrl-C");
  }
  return round;
}

/// The better of two measurements: a peak is what the machine can do.
kernels::MachinePeaks better(const kernels::MachinePeaks& a, const kernels::MachinePeaks& b) {
  return {.read_bytes = std::max(a.read_bytes, b.read_bytes),
          .int8_operations = std::max(a.int8_operations, b.int8_operations),
          .float_operations = std::max(a.float_operations, b.float_operations)};
}

Result<Measured> measure(const BenchOptions& options, LoadedModel& model, double load_ms) {
  Engine& engine = *model.engine;
  const Request request = bench_request(options, model);
  Measured measured;
  measured.load_ms = load_ms;
  LogitsHash check;
  engine.observe(&check);
  TRY(run_round(engine, request));
  engine.observe(nullptr);
  measured.check = check.digest();
  measured.peaks = TRY(kernels::measure_peaks(engine.context()));
  std::vector<double> prefill;
  std::vector<double> decode;
  for (std::size_t i = 0; i < options.repeat; ++i) {
    const Round round = TRY(run_round(engine, request));
    prefill.push_back(static_cast<double>(options.prompt) / round.prefill_seconds);
    decode.push_back(static_cast<double>(options.generate - 1) / round.decode_seconds);
    if (is_terminal_error()) fmt::print(stderr, "\rround {} of {}", i + 1, options.repeat);
  }
  if (is_terminal_error()) fmt::print(stderr, "\r\x1b[K");
  const kernels::MachinePeaks after = TRY(kernels::measure_peaks(engine.context()));
  measured.peaks = better(measured.peaks, after);
  measured.prefill = spread_of(prefill);
  measured.decode = spread_of(decode);
  return measured;
}

/// Rates of the model's weights that follow from tokens a second.
struct Shares {
  double decode_bytes = 0;  ///< Weight bytes a second.
  double decode_share = 0;  ///< Of the read bandwidth.
  double prefill_operations = 0;
  double prefill_share = 0;  ///< Of the peak of the arithmetic that the weights use.
};

Shares shares_of(const BenchOptions& options, const Engine& engine, const Measured& measured) {
  const PackedModel& weights = engine.forward().weights();
  const double tokens = static_cast<double>(options.prompt);
  const double operations = static_cast<double>(weights.layer_operations()) +
                            static_cast<double>(weights.head_operations()) / tokens;
  Shares shares;
  shares.decode_bytes = measured.decode.median * static_cast<double>(weights.bytes_for_token());
  shares.decode_share = shares.decode_bytes / measured.peaks.read_bytes;
  shares.prefill_operations = measured.prefill.median * operations;
  shares.prefill_share =
      shares.prefill_operations /
      (weights.is_integer() ? measured.peaks.int8_operations : measured.peaks.float_operations);
  return shares;
}

void write_spread(json::Writer& json, const char* name, const Spread& spread) {
  json.key(name).begin_object().member("median", spread.median);
  json.member("least", spread.least).member("most", spread.most).end_object();
}

std::string as_json(const BenchOptions& options, const LoadedModel& model,
                    const Measured& measured) {
  const Engine& engine = *model.engine;
  const Shares shares = shares_of(options, engine, measured);
  const Machine machine = this_machine();
  json::Writer json;
  json.begin_object().member("version", version).member("machine", machine.processor);
  json.member("cores", machine.cores).member("load", machine.load);
  json.member("model", model.name).member("receipt", model.receipt);
  json.member("threads", engine.threads()).member("isa", kernels::name_of(engine.options().set));
  json.member("kv_cache_dtype", kernels::name_of(engine.options().kv_format));
  json.member("max_num_batched_tokens", engine.options().max_num_batched_tokens);
  json.member("prompt", options.prompt).member("generate", options.generate);
  json.member("repeat", options.repeat).member("load_ms", measured.load_ms);
  json.member("prefill_tokens_per_second", measured.prefill.median);
  json.member("decode_tokens_per_second", measured.decode.median);
  write_spread(json, "prefill", measured.prefill);
  write_spread(json, "decode", measured.decode);
  json.member("decode_weight_bytes_per_second", shares.decode_bytes);
  json.member("decode_share_of_read_bandwidth", shares.decode_share);
  json.member("prefill_operations_per_second", shares.prefill_operations);
  json.member("prefill_share_of_peak", shares.prefill_share);
  json.key("peaks").begin_object().member("read_bytes_per_second", measured.peaks.read_bytes);
  json.member("int8_operations_per_second", measured.peaks.int8_operations);
  json.member("float_operations_per_second", measured.peaks.float_operations).end_object();
  json.member("check", measured.check.hex());
  return json.end_object().text() + "\n";
}

std::string as_table(const BenchOptions& options, const LoadedModel& model,
                     const Measured& measured) {
  const Engine& engine = *model.engine;
  const Shares shares = shares_of(options, engine, measured);
  const Machine machine = this_machine();
  const char* kind = engine.forward().weights().is_integer() ? "int8" : "float";
  std::string table =
      fmt::format("{}, {} threads, {}; load {:.2f}\n", machine.processor, engine.threads(),
                  kernels::name_of(engine.options().set), machine.load);
  table +=
      fmt::format("{}, loaded in {:.0f} ms, {}\n\n", model.name, measured.load_ms, model.receipt);
  table += fmt::format("{:<22} {:>10} {:>18}   {}\n", "", "tokens/s", "(least .. most)",
                       "of this machine");
  const auto row = [&](const std::string& name, const Spread& spread, const std::string& share) {
    table += fmt::format("{:<22} {:>10.1f} {:>18}   {}\n", name, spread.median,
                         fmt::format("({:.1f} .. {:.1f})", spread.least, spread.most), share);
  };
  row(fmt::format("prefill of {}", options.prompt), measured.prefill,
      fmt::format("{:.0f} of {:.0f} {} GOP/s: {:.2f}", shares.prefill_operations / 1e9,
                  (engine.forward().weights().is_integer() ? measured.peaks.int8_operations
                                                           : measured.peaks.float_operations) /
                      1e9,
                  kind, shares.prefill_share));
  row(fmt::format("decode of {}", options.generate), measured.decode,
      fmt::format("{:.1f} of {:.1f} GB/s: {:.2f}", shares.decode_bytes / 1e9,
                  measured.peaks.read_bytes / 1e9, shares.decode_share));
  return table + fmt::format("\ncheck {}\n", measured.check.hex());
}

Result<int> bench(const BenchOptions& options) {
  const std::filesystem::path path = TRY(model_path(options.model.model));
  const EngineOptions engine = TRY(engine_options(options.model));
  catch_interrupts();
  const Clock::time_point start = Clock::now();
  LoadedModel model = TRY(load_model(path, engine));
  const double load_ms = seconds_since(start) * 1e3;
  if (options.prompt + options.generate > model.engine->room()) {
    return fail(ErrorCode::invalid_argument,
                "--prompt {} and --generate {} are more than the {} tokens of room", options.prompt,
                options.generate, model.engine->room());
  }
  const Measured measured = TRY(measure(options, model, load_ms));
  show(options.json ? as_json(options, model, measured) : as_table(options, model, measured));
  return exit_done;
}

constexpr const char* examples = R"(
Examples:
  zhuzi bench
  zhuzi bench --model FILE.gguf --threads 2 --prompt 512 --generate 64 --repeat 5 --json)";

}  // namespace

void add_bench(CLI::App& program, int& exit_code) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command =
      program.add_subcommand("bench", "Measure speed beside what this machine can do");
  command->add_option("--prompt", options->prompt, "Tokens of the prompt")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  command->add_option("--generate", options->generate, "Tokens to generate")
      ->capture_default_str()
      ->check(CLI::Range(2, 1000000));
  command->add_option("--repeat", options->repeat, "Timed rounds")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_flag("--json", options->json, "One JSON object");
  add_model_options(*command, options->model);
  command->footer(examples);
  command->callback([options, &exit_code] {
    const Result<int> code = bench(*options);
    exit_code = code ? *code : report(code.error());
  });
}

}  // namespace zhuzi::cli
