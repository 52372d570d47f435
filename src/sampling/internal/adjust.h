// What changes logits before temperature: masks, bias and penalties.
//
// Place in the journey: after log-probabilities are taken from the raw row, before the ranking. The
// work is in proportion to the lists and the distinct tokens, not to the vocabulary; only
// `allowed_tokens` touches the whole row.
#pragma once

#include <span>

#include "sampling/history.h"
#include "sampling/params.h"

namespace zhuzi::sampling {

/// Masks become -inf; no NaN arises from a row without NaN and +inf. `scratch` has the size of the
/// row.
void adjust(std::span<float> logits, const SamplingParams& params, const TokenHistory& history,
            std::span<float> scratch);

}  // namespace zhuzi::sampling
