// TextStream: tokens in, text out, never a broken character and never a swallowed stop string.
//
// Place in the journey: inside Engine::step, after sampling, so that a stop string ends a request at
// a token and not at a time. One stream for each choice of a request; owned by the engine thread.
//
// What may be shown after a token is all bytes except
//   - the longest tail of 1 to 3 bytes that is a proper beginning of a character, and
//   - the longest tail that is a proper beginning of a stop string.
// Bytes that can never become a character are shown as U+FFFD, one for each maximal part. At the
// end everything held is released. The earliest end of a match wins: the only rule that does not
// depend on how the text was cut into tokens.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace zhuzi {

struct StopStrings {
  static constexpr std::size_t count_max = 16;
  static constexpr std::size_t bytes_max = 4096;

  std::vector<std::string> strings;
  bool include_in_output = false;

  /// Errors: invalid_argument for an empty string, too many, or one that is too long.
  [[nodiscard]] static Result<StopStrings> make(std::vector<std::string> strings,
                                                bool include_in_output);
};

class TextStream {
 public:
  explicit TextStream(StopStrings stops);

  /// Adds the bytes of one token and returns the text that has become safe to show (perhaps empty;
  /// valid until the next call). After a stop string matched, more bytes are ignored.
  std::string_view push(std::string_view token_bytes);
  /// The end: what was still held, the incomplete character as one U+FFFD.
  std::string_view finish();

  /// The index of the stop string that matched.
  [[nodiscard]] std::optional<std::size_t> stopped_by() const { return stopped_by_; }
  /// Bytes received so far whose text is decided, i.e. shown or swallowed by a stop string. Tokens
  /// and their log-probabilities travel when their bytes are decided.
  [[nodiscard]] std::size_t decided_bytes() const { return decided_bytes_; }
  [[nodiscard]] const StopStrings& stops() const { return stops_; }

 private:
  StopStrings stops_;
  std::string held_;
  std::string delta_;
  std::optional<std::size_t> stopped_by_;
  std::size_t decided_bytes_ = 0;
};

}  // namespace zhuzi
