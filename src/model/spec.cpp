// validate: the rules that a spec keeps, each with the sentence that a person reads when it does
// not.
#include "model/spec.h"

#include <cmath>
#include <string_view>

namespace zhuzi {
namespace {

Result<void> check_size(std::string_view what, std::size_t value, std::size_t largest) {
  if (value >= 1 && value <= largest) return {};
  return fail(ErrorCode::corrupt_file, "The model's {} is {}; it must be 1 to {}.", what, value,
              largest);
}

Result<void> check_norm(std::string_view what, const Norm& norm) {
  if (norm.epsilon > 0 && norm.epsilon < 1) return {};
  return fail(ErrorCode::corrupt_file,
              "The epsilon of the model's {} is {}; it must lie between 0 and 1.", what,
              norm.epsilon);
}

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

Result<void> check_scaling(const RopeScaling& scaling, std::size_t pairs) {
  if (const auto* linear = std::get_if<LinearScaling>(&scaling)) {
    if (is_positive(linear->factor)) return {};
  } else if (const auto* blended = std::get_if<Llama3Scaling>(&scaling)) {
    if (is_positive(blended->factor) && is_positive(blended->low_frequency_factor) &&
        blended->high_frequency_factor > blended->low_frequency_factor &&
        std::isfinite(blended->high_frequency_factor) && is_positive(blended->original_context)) {
      return {};
    }
  } else if (const auto* yarn = std::get_if<YarnScaling>(&scaling)) {
    if (is_positive(yarn->factor) && is_positive(yarn->original_context) &&
        is_positive(yarn->beta_slow) && yarn->beta_fast > yarn->beta_slow &&
        std::isfinite(yarn->beta_fast) && is_positive(yarn->attention_factor)) {
      return {};
    }
  } else if (const auto* own = std::get_if<FrequencyDivisors>(&scaling)) {
    if (own->divisors.size() != pairs) {
      return fail(ErrorCode::corrupt_file,
                  "The file has {} rotary divisors for {} pairs of a head.", own->divisors.size(),
                  pairs);
    }
    bool good = true;
    for (const float divisor : own->divisors) good = good && is_positive(divisor);
    if (good) return {};
  } else {
    return {};
  }
  return fail(ErrorCode::corrupt_file,
              "The numbers of the model's rotary scaling must be finite and greater than 0, the "
              "lower of two borders first.");
}

Result<void> check_rope(const Rope& rope, std::size_t head_length) {
  if (rope.dims == 0 || rope.dims % 2 != 0 || rope.dims > head_length) {
    return fail(ErrorCode::corrupt_file,
                "{} rotary dims do not fit heads of length {}; an even number is needed.",
                rope.dims, head_length);
  }
  if (!std::isfinite(rope.theta) || rope.theta <= 1) {
    return fail(ErrorCode::corrupt_file, "The model's rotary theta is {}; it must be above 1.",
                rope.theta);
  }
  return check_scaling(rope.scaling, rope.dims / 2);
}

Result<void> check_attention(const HeadAttention& attention) {
  TRY(check_size("number of attention heads", attention.heads, SpecLimits::heads));
  TRY(check_size("number of key/value heads", attention.kv_heads, SpecLimits::heads));
  TRY(check_size("head length", attention.head_length, SpecLimits::head_length));
  if (attention.heads % attention.kv_heads != 0) {
    return fail(ErrorCode::corrupt_file,
                "{} attention heads are no multiple of {} key/value heads, so there is no rule "
                "for who shares which.",
                attention.heads, attention.kv_heads);
  }
  if (!is_positive(attention.scale)) {
    return fail(ErrorCode::corrupt_file, "The scale of the attention scores is {}.",
                attention.scale);
  }
  if (attention.head_norm) TRY(check_norm("query and key norm", *attention.head_norm));
  if (const auto* rope = std::get_if<Rope>(&attention.position)) {
    return check_rope(*rope, attention.head_length);
  }
  return {};
}

Result<void> check_layer(const Layer& layer) {
  TRY(check_norm("attention norm", layer.attention_norm));
  TRY(check_attention(layer.attention));
  TRY(check_norm("feed-forward norm", layer.ffn_norm));
  return check_size("feed-forward length", layer.ffn.hidden, SpecLimits::hidden);
}

}  // namespace

Result<void> validate(const ModelSpec& spec) {
  TRY(check_size("vocabulary", spec.vocabulary, SpecLimits::vocabulary));
  TRY(check_size("width", spec.width, SpecLimits::width));
  TRY(check_size("context", spec.context, SpecLimits::context));
  TRY(check_size("number of layers", spec.layers.size(), SpecLimits::layers));
  TRY(check_norm("final norm", spec.final_norm));
  if (spec.learned_position) {
    const LearnedPosition& learned = *spec.learned_position;
    if (learned.positions < spec.context || learned.positions > SpecLimits::context ||
        learned.offset > SpecLimits::context) {
      return fail(ErrorCode::corrupt_file,
                  "The model has {} learned positions for a context of {}.", learned.positions,
                  spec.context);
    }
  }
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    if (auto good = check_layer(spec.layers[i]); !good) {
      return fail(good.error().code, "Layer {}: {}", i, good.error().message);
    }
  }
  return {};
}

}  // namespace zhuzi
