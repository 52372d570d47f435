// TextStream: tokens in, text out, never a broken character and never a swallowed stop string.
//
// Place in the journey: inside Engine::step, after sampling, so that a stop string ends a request
// at a token and not at a time. One stream for each choice of a request; owned by the engine
// thread.
//
// What may be shown after a token is all bytes except
//   - the longest tail of 1 to 3 bytes that is a proper beginning of a character, and
//   - the longest tail that is a proper beginning of a stop string.
// Bytes that can never become a character are shown as U+FFFD, one for each maximal part. At the
// end everything held is released. The earliest end of a match wins: the only rule that does not
// depend on how the text was cut into tokens. Where several stop strings end at the same byte the
// longest wins, so that no part of it is shown.
//
// Stop strings are compared with the bytes as they come, before broken ones turn into U+FFFD: a
// stop string that holds U+FFFD matches a true EF BF BD only. Stop strings are whole characters, so
// a match begins and ends between characters; an incomplete character right before it can no longer
// be completed and is shown as one U+FFFD.
//
// Invariant: the joined text, the stop decision and, after each byte, what is held depend on the
// joined bytes alone. Work for each byte is a few steps for each stop string on average, memory the
// longest stop string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace zhuzi {

struct StopStrings {
  static constexpr std::size_t count_max = 16;
  static constexpr std::size_t bytes_max = 4096;  ///< Of each string.

  std::vector<std::string> strings;
  bool include_in_output = false;  ///< Adds exactly the stop string, nothing behind it.

  /// Errors: invalid_argument for an empty string, too many, one that is too long or not UTF-8.
  [[nodiscard]] static Result<StopStrings> make(std::vector<std::string> strings,
                                                bool include_in_output);
};

class TextStream {
 public:
  /// `stops` are within the rules of StopStrings::make.
  explicit TextStream(StopStrings stops);

  /// Adds the bytes of one token and returns the text that has become safe to show (perhaps empty;
  /// valid until the next call). After a stop string matched, more bytes are ignored.
  std::string_view push(std::string_view token_bytes);
  /// The end: what was still held, the incomplete character as one U+FFFD.
  std::string_view finish();

  /// The index of the stop string that matched; of equal ones the first.
  [[nodiscard]] std::optional<std::size_t> stopped_by() const { return stopped_by_; }
  /// Bytes received so far whose text is decided, i.e. shown or swallowed by a stop string. Tokens
  /// and their log-probabilities travel when their bytes are decided. The bytes of the last token
  /// that stand behind a stop string count as decided: they are dropped for good.
  [[nodiscard]] std::size_t decided_bytes() const { return received_bytes_ - held_.size(); }
  [[nodiscard]] const StopStrings& stops() const { return stops_; }

 private:
  /// How far one stop string has been matched (Knuth, Morris, Pratt).
  struct Progress {
    /// fallback[n]: the longest proper beginning of the first n bytes that is also their end.
    std::vector<std::uint16_t> fallback;
    std::size_t matched = 0;
  };

  [[nodiscard]] static Progress progress_of(std::string_view stop);
  /// Takes one byte; true where a stop string ends with it, and then `stopped_by_` is set.
  bool ends_stop(char byte);
  void show(std::size_t limit);

  StopStrings stops_;
  std::vector<Progress> progress_;  ///< One for each stop string.
  std::string held_;
  std::string delta_;
  std::optional<std::size_t> stopped_by_;
  std::size_t received_bytes_ = 0;
};

}  // namespace zhuzi
