// See rope_reader.h.
#include "model/internal/rope_reader.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/json.h"
#include "base/math64.h"
#include "model/internal/vector_values.h"

namespace zhuzi {
namespace {

/// Everything that the known types of scaling read. "finetuned" says how the model was made.
constexpr std::string_view known_keys[] = {
    "rope_type",        "type",
    "rope_theta",       "factor",
    "low_freq_factor",  "high_freq_factor",
    "beta_fast",        "beta_slow",
    "mscale",           "mscale_all_dim",
    "truncate",         "finetuned",
    "attention_factor", "original_max_position_embeddings",
};

/// YaRN's magnitude where a file gives none: 0.1 m ln(factor) + 1.
double yarn_magnitude(double factor, double multiplier) {
  return factor <= 1 ? 1 : 0.1 * multiplier * math64::log(factor) + 1;
}

Result<void> refuse_unknown_keys(const ConfigReader& settings) {
  const json::Object* object = settings.value().object();
  if (object == nullptr) {
    return fail(ErrorCode::corrupt_file, "{} must be an object.", settings.where());
  }
  for (const json::Member& member : object->members()) {
    if (std::ranges::find(known_keys, member.key) != std::end(known_keys)) continue;
    return fail(ErrorCode::unsupported,
                "{}: the key \"{}\" is unknown, so the model cannot be "
                "computed as it is meant.",
                settings.where(), member.key);
  }
  return {};
}

/// `rope_type`, or `type` as older files call it.
Result<std::string_view> scaling_type(const ConfigReader& settings) {
  const bool named = settings.has("rope_type");
  if (!named && !settings.has("type")) {
    for (const json::Member& member : settings.value().object()->members()) {
      if (member.key != "rope_theta" && !member.value.is_null()) return settings.text("rope_type");
    }
    return "default";
  }
  const std::string_view type = TRY(settings.text(named ? "rope_type" : "type"));
  if (named && settings.has("type")) {
    const std::string_view old = TRY(settings.text("type"));
    if (old != type) {
      return fail(ErrorCode::corrupt_file, "{}: \"rope_type\" is \"{}\" and \"type\" is \"{}\".",
                  settings.where(), type, old);
    }
  }
  return type;
}

/// A number of at least `least`; the error names the key.
Result<double> at_least(double least, const ConfigReader& settings, std::string_view key) {
  const double value = TRY(settings.real(key));
  if (value >= least) return value;
  return fail(ErrorCode::corrupt_file, "{}: the key \"{}\" is {}; it must be at least {}.",
              settings.where(), key, value, least);
}

Result<RopeScaling> read_linear(const ConfigReader& settings) {
  return LinearScaling{.factor = TRY(at_least(1, settings, "factor"))};
}

Result<RopeScaling> read_blended(const ConfigReader& settings) {
  Llama3Scaling scaling;
  scaling.factor = TRY(at_least(1, settings, "factor"));
  scaling.low_frequency_factor = TRY(settings.real("low_freq_factor"));
  scaling.high_frequency_factor = TRY(settings.real("high_freq_factor"));
  scaling.original_context = TRY(at_least(1, settings, "original_max_position_embeddings"));
  if (scaling.low_frequency_factor > 0 &&
      scaling.high_frequency_factor > scaling.low_frequency_factor) {
    return scaling;
  }
  return fail(ErrorCode::corrupt_file,
              "{}: \"low_freq_factor\" ({}) must be above 0 and below \"high_freq_factor\" ({}).",
              settings.where(), scaling.low_frequency_factor, scaling.high_frequency_factor);
}

Result<double> read_yarn_magnitude(const ConfigReader& settings, double factor) {
  if (settings.has("attention_factor")) {
    const double value = TRY(settings.real("attention_factor"));
    if (value > 0) return value;
    return fail(ErrorCode::corrupt_file, "{}: the key \"attention_factor\" is {}.",
                settings.where(), value);
  }
  if (!settings.has("mscale") && !settings.has("mscale_all_dim")) return yarn_magnitude(factor, 1);
  // One of the pair alone means different things to different programs: it is incomplete.
  const double part = TRY(settings.real("mscale"));
  const double whole = TRY(settings.real("mscale_all_dim"));
  if (part > 0 && whole > 0) return yarn_magnitude(factor, part) / yarn_magnitude(factor, whole);
  return fail(ErrorCode::corrupt_file, "{}: \"mscale\" and \"mscale_all_dim\" must be above 0.",
              settings.where());
}

Result<RopeScaling> read_yarn(const ConfigReader& settings) {
  YarnScaling scaling;
  scaling.factor = TRY(at_least(1, settings, "factor"));
  scaling.original_context = TRY(at_least(1, settings, "original_max_position_embeddings"));
  scaling.beta_fast = TRY(settings.real_or("beta_fast", scaling.beta_fast));
  scaling.beta_slow = TRY(settings.real_or("beta_slow", scaling.beta_slow));
  scaling.attention_factor = TRY(read_yarn_magnitude(settings, scaling.factor));
  scaling.truncate = TRY(settings.boolean_or("truncate", true));
  if (scaling.beta_slow > 0 && scaling.beta_fast > scaling.beta_slow) return scaling;
  return fail(ErrorCode::corrupt_file,
              "{}: \"beta_slow\" ({}) must be above 0 and below \"beta_fast\" ({}).",
              settings.where(), scaling.beta_slow, scaling.beta_fast);
}

Result<RopeScaling> read_scaling(const ConfigReader& settings) {
  TRY(refuse_unknown_keys(settings));
  const std::string_view type = TRY(scaling_type(settings));
  if (type == "default") return NoScaling{};
  if (type == "linear") return read_linear(settings);
  if (type == "llama3") return read_blended(settings);
  if (type == "yarn") return read_yarn(settings);
  return fail(ErrorCode::unsupported,
              "{}: \"rope_type\" is \"{}\"; known are default, linear, llama3 and yarn.",
              settings.where(), type);
}

/// GGUF's YaRN. What its writers can say beyond this changes the numbers in ways of other families.
Result<RopeScaling> read_gguf_yarn(const GgufKeys& keys, double factor) {
  struct Neutral {
    std::string_view key;
    double value;
  };
  constexpr Neutral neutral[] = {{"rope.scaling.yarn_ext_factor", 1},
                                 {"rope.scaling.yarn_attn_factor", 1},
                                 {"rope.scaling.yarn_log_multiplier", 0}};
  for (const auto& [key, value] : neutral) {
    if (TRY(keys.real_or(key, value)) != value) {
      return fail(ErrorCode::unsupported, "The key {} has a value other than {}.", keys.full(key),
                  value);
    }
  }
  YarnScaling scaling{.factor = factor};
  scaling.original_context =
      static_cast<double>(TRY(keys.size("rope.scaling.original_context_length")));
  scaling.beta_fast = TRY(keys.real_or("rope.scaling.yarn_beta_fast", scaling.beta_fast));
  scaling.beta_slow = TRY(keys.real_or("rope.scaling.yarn_beta_slow", scaling.beta_slow));
  scaling.attention_factor =
      TRY(keys.real_or("rope.scaling.attn_factor", 1)) * yarn_magnitude(factor, 1);
  return scaling;
}

Result<RopeScaling> read_gguf_scaling(const GgufKeys& keys) {
  if (keys.has("rope.scale_linear")) {  // Before `rope.scaling` was there.
    return LinearScaling{.factor = TRY(keys.real("rope.scale_linear"))};
  }
  const std::string_view type = TRY(keys.text_or("rope.scaling.type", ""));
  if (type == "none") return NoScaling{};
  if (type.empty()) {
    if (!keys.has("rope.scaling.factor")) return NoScaling{};
    return fail(ErrorCode::corrupt_file, "The key {} is missing beside {}.",
                keys.full("rope.scaling.type"), keys.full("rope.scaling.factor"));
  }
  if (type != "linear" && type != "yarn") {
    return fail(ErrorCode::unsupported, "The key {} is \"{}\"; known are none, linear and yarn.",
                keys.full("rope.scaling.type"), type);
  }
  const double factor = TRY(keys.real("rope.scaling.factor"));
  if (!(factor >= 1)) {
    return fail(ErrorCode::corrupt_file, "The key {} is {}; it must be at least 1.",
                keys.full("rope.scaling.factor"), factor);
  }
  if (type == "linear") return LinearScaling{.factor = factor};
  return read_gguf_yarn(keys, factor);
}

}  // namespace

Result<Rope> rope_from_config(const ConfigReader& config, std::size_t dims, double default_theta) {
  Rope rope{.dims = dims};
  std::optional<double> theta;
  if (config.has("rope_theta")) theta = TRY(config.real("rope_theta"));
  std::optional<RopeScaling> scaling;
  for (const std::string_view key : {"rope_parameters", "rope_scaling"}) {
    if (!config.has(key)) continue;
    const ConfigReader settings(*config.find(key), fmt::format("{}, {}", config.where(), key));
    RopeScaling read = TRY(read_scaling(settings));
    if (scaling && *scaling != read) {
      return fail(ErrorCode::corrupt_file, "{}: \"rope_parameters\" and \"rope_scaling\" differ.",
                  config.where());
    }
    scaling = std::move(read);
    if (!settings.has("rope_theta")) continue;
    const double own = TRY(settings.real("rope_theta"));
    if (theta && *theta != own) {
      return fail(ErrorCode::corrupt_file, "{}: \"rope_theta\" is {}, and {} elsewhere.",
                  settings.where(), own, *theta);
    }
    theta = own;
  }
  rope.theta = theta.value_or(default_theta);
  if (scaling) rope.scaling = *std::move(scaling);
  return rope;
}

Result<Rope> rope_from_gguf(const GgufKeys& keys, std::size_t head_length) {
  Rope rope;
  rope.dims = TRY(keys.size_or("rope.dimension_count", head_length));
  rope.theta = TRY(keys.real_or("rope.freq_base", 10000));
  rope.scaling = TRY(read_gguf_scaling(keys));
  constexpr std::string_view divisors = "rope_freqs.weight";
  if (const TensorView* tensor = keys.tensor(divisors); tensor != nullptr) {
    if (!std::holds_alternative<NoScaling>(rope.scaling)) {
      return fail(ErrorCode::unsupported, "The file has the tensor {} and a rope.scaling.type too.",
                  divisors);
    }
    VectorValues values = TRY(floats_of(divisors, *tensor));
    rope.scaling = FrequencyDivisors{std::move(values)};
  }
  return rope;
}

std::size_t stretched_context(std::size_t named, const Rope& rope) {
  const auto* yarn = std::get_if<YarnScaling>(&rope.scaling);
  if (yarn == nullptr) return named;
  constexpr double most = 1 << 30;
  return std::max(named,
                  static_cast<std::size_t>(std::min(yarn->factor * yarn->original_context, most)));
}

}  // namespace zhuzi
