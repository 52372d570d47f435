// One automaton for each stop string says how long a beginning of it the bytes end with: the
// longest of these tails is held, and so is an incomplete character at the end. Everything before
// is decoded and shown once, so each byte is looked at a bounded number of times.
#include "text/text_stream.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"

namespace zhuzi {
namespace {

/// Room for one token beside what is held; a longer token grows the buffers once.
constexpr std::size_t token_bytes_usual = 256;

static_assert(StopStrings::bytes_max <= UINT16_MAX, "positions in a stop string have 16 bits");

}  // namespace

Result<StopStrings> StopStrings::make(std::vector<std::string> strings, bool include_in_output) {
  if (strings.size() > count_max) {
    return fail(ErrorCode::invalid_argument, "{} stop strings are too many; give at most {}.",
                strings.size(), count_max);
  }
  for (std::size_t i = 0; i < strings.size(); ++i) {
    if (strings[i].empty()) {
      return fail(ErrorCode::invalid_argument, "Stop string {} is empty; leave it out.", i + 1);
    }
    if (strings[i].size() > bytes_max) {
      return fail(ErrorCode::invalid_argument,
                  "Stop string {} has {} bytes; at most {} are allowed.", i + 1, strings[i].size(),
                  bytes_max);
    }
    if (!utf8::is_valid(strings[i])) {
      return fail(ErrorCode::invalid_argument, "Stop string {} is not valid UTF-8.", i + 1);
    }
  }
  return StopStrings{.strings = std::move(strings), .include_in_output = include_in_output};
}

TextStream::TextStream(StopStrings stops) : stops_(std::move(stops)) {
  check(stops_.strings.size() <= StopStrings::count_max, "too many stop strings");
  std::size_t longest = 0;
  for (const std::string& stop : stops_.strings) {
    check(!stop.empty() && stop.size() <= StopStrings::bytes_max, "a stop string's length");
    check(utf8::is_valid(stop), "a stop string that is not UTF-8");
    progress_.push_back(progress_of(stop));
    longest = std::max(longest, stop.size());
  }
  held_.reserve(longest + token_bytes_usual);
  delta_.reserve(longest + token_bytes_usual);
}

TextStream::Progress TextStream::progress_of(std::string_view stop) {
  std::vector<std::uint16_t> fallback(stop.size() + 1, 0);
  std::size_t border = 0;
  for (std::size_t i = 1; i < stop.size(); ++i) {
    while (border > 0 && stop[border] != stop[i]) border = fallback[border];
    if (stop[border] == stop[i]) ++border;
    fallback[i + 1] = static_cast<std::uint16_t>(border);
  }
  return {.fallback = std::move(fallback)};
}

bool TextStream::ends_stop(char byte) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < progress_.size(); ++i) {
    const std::string& stop = stops_.strings[i];
    Progress& progress = progress_[i];
    while (progress.matched > 0 && stop[progress.matched] != byte) {
      progress.matched = progress.fallback[progress.matched];
    }
    if (stop[progress.matched] == byte) ++progress.matched;
    if (progress.matched == stop.size() && stop.size() > longest) {
      longest = stop.size();
      stopped_by_ = i;
    }
  }
  return longest > 0;
}

std::string_view TextStream::push(std::string_view token_bytes) {
  delta_.clear();
  if (stopped_by_) return {};
  received_bytes_ += token_bytes.size();
  for (std::size_t i = 0; i < token_bytes.size(); ++i) {
    if (!ends_stop(token_bytes[i])) continue;
    held_ += token_bytes.substr(0, i + 1);
    const std::string& stop = stops_.strings[*stopped_by_];
    show(held_.size() - stop.size());
    if (stops_.include_in_output) delta_ += stop;
    held_.clear();
    return delta_;
  }
  held_ += token_bytes;
  std::size_t stop_tail = 0;
  for (const Progress& progress : progress_) stop_tail = std::max(stop_tail, progress.matched);
  show(held_.size() - stop_tail);
  return delta_;
}

std::string_view TextStream::finish() {
  delta_.clear();
  show(held_.size());
  if (!held_.empty()) delta_ += utf8::replacement;
  held_.clear();
  return delta_;
}

/// Moves the first `limit` held bytes into the delta, but not an incomplete character at the end.
void TextStream::show(std::size_t limit) {
  std::size_t at = 0;
  while (at < limit) {
    const std::string_view rest = std::string_view(held_).substr(at);
    const utf8::Piece piece = utf8::first_piece(rest);
    if (piece.kind == utf8::Kind::incomplete) break;
    check(at + piece.length <= limit, "a stop string begins inside a character");
    delta_ +=
        piece.kind == utf8::Kind::character ? rest.substr(0, piece.length) : utf8::replacement;
    at += piece.length;
  }
  held_.erase(0, at);
}

}  // namespace zhuzi
