// Session: what one render may spend, and what its functions may know.
//
// Place in the journey: made by `render`, handed to every filter, test and method.
//
// A step is a node of the template evaluated, an item of a row touched, or 64 bytes of text
// produced: so the limit on steps bounds time and memory of any template over any context.
#pragma once

#include <cstddef>
#include <cstdint>

#include "text/chat_template.h"
#include "text/internal/jinja_fault.h"
#include "text/internal/jinja_frame.h"

namespace zhuzi::jinja {

class Session {
 public:
  static constexpr std::size_t bytes_per_step = 64;
  /// Jinja's sandbox: MAX_RANGE.
  static constexpr std::size_t range_items_max = 100'000;

  Session(const RenderLimits& limits, TemplateClock clock) : limits_(limits), clock_(clock) {}

  /// Error: TimeoutError when the render's steps are used up.
  [[nodiscard]] Done spend(std::uint64_t steps) {
    if (steps <= limits_.steps_max - spent_) [[likely]] {
      spent_ += steps;
      return {};
    }
    return raise(python::timeout_error, "the template takes more than {} steps", limits_.steps_max);
  }

  /// Error: MemoryError for a text above the output's limit.
  [[nodiscard]] Done check_bytes(std::size_t bytes) const {
    if (bytes <= limits_.output_bytes_max) [[likely]]
      return {};
    return raise(python::memory_error, "the template makes a text of more than {} bytes",
                 limits_.output_bytes_max);
  }
  /// Before a text of `bytes` is made.
  [[nodiscard]] Done spend_bytes(std::size_t bytes) {
    TRY(check_bytes(bytes));
    return spend(1 + bytes / bytes_per_step);
  }

  [[nodiscard]] const RenderLimits& limits() const { return limits_; }
  [[nodiscard]] FrameStore& frames() { return frames_; }
  [[nodiscard]] TemplateClock clock() const { return clock_; }

  /// Inside {% autoescape true %}.
  [[nodiscard]] bool is_autoescaping() const { return is_autoescaping_; }
  void set_autoescaping(bool value) { is_autoescaping_ = value; }

 private:
  RenderLimits limits_;
  TemplateClock clock_;
  FrameStore frames_;
  std::uint64_t spent_ = 0;
  bool is_autoescaping_ = false;
};

}  // namespace zhuzi::jinja
