// Growing in steps of the exponent: what lies 4 temperatures below the best token has less than 2 %
// of its width, so a peaked row rarely needs a second step and a flat one needs few.
#include "sampling/internal/bar.h"

#include <algorithm>
#include <array>

#include "kernels/vocabulary.h"

namespace zhuzi::sampling {
namespace {

constexpr float first_reach = 4;
/// exp(-128) is 0 in f32, even where subnormal numbers are kept.
constexpr float last_reach = 128;
/// Tokens whose widths are computed together.
constexpr std::size_t chunk = 256;

}  // namespace

Bar::Bar(std::size_t vocabulary) : ranking_(vocabulary), segments_(vocabulary) {}

float Bar::start(std::span<const float> row, float temperature) {
  ranking_.start(row);
  size_ = 0;
  temperature_ = temperature;
  reach_ = 0;
  is_whole_ = false;
  return ranking_.maximum();
}

void Bar::set_only(TokenId token) {
  segments_[0] = {.token = token, .width = 1};
  size_ = 1;
  is_whole_ = true;
}

void Bar::rank_first(const kernels::OpContext& context, std::size_t count) {
  ranking_.rank_first(count);
  add_ranked(context);
}

bool Bar::grow(const kernels::OpContext& context, std::size_t rank) {
  while (rank >= size_ && !is_whole_) {
    reach_ = reach_ == 0 ? first_reach : 2 * reach_;
    ranking_.rank_down_to(ranking_.maximum() - reach_ * temperature_);
    add_ranked(context);
    if (reach_ >= last_reach) is_whole_ = true;
  }
  return rank < size_;
}

void Bar::add_ranked(const kernels::OpContext& context) {
  std::array<float, chunk> logits;
  std::array<float, chunk> widths;
  while (size_ < ranking_.size()) {
    const std::size_t count = std::min(chunk, ranking_.size() - size_);
    for (std::size_t i = 0; i < count; ++i) logits[i] = ranking_.logit(size_ + i);
    kernels::exponential_widths(context, std::span(logits).first(count), ranking_.maximum(),
                                temperature_, std::span(widths).first(count));
    for (std::size_t i = 0; i < count; ++i) {
      if (widths[i] == 0) {
        is_whole_ = true;
        return;
      }
      segments_[size_] = {.token = ranking_.token(size_), .width = widths[i]};
      ++size_;
    }
  }
}

}  // namespace zhuzi::sampling
