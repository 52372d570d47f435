// Text: a string that knows for each of its bytes where it came from.
//
// Place in the journey: every string value of a template, and the document itself, is a Text. All
// string operations build their result with a TextBuilder, which carries the marks along, so a
// message's bytes stay a message's bytes however they were cut, joined or changed.
//
// Invariant: the runs' lengths add up to the size; no two neighbours have equal marks; no run is
// empty. A text of one mark (nearly all are) keeps no list of runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zhuzi::jinja {

/// A row of the render's Origins; 0 is the template itself.
enum class OriginId : std::uint32_t {};
inline constexpr OriginId template_origin{0};

/// The origin of something made from two: the context wins, the first one before the second.
[[nodiscard]] constexpr OriginId mixed(OriginId first, OriginId second) {
  return first == template_origin ? second : first;
}

struct Mark {
  OriginId origin = template_origin;
  bool is_generation = false;  ///< Inside {% generation %}.
  friend bool operator==(const Mark&, const Mark&) = default;
};

struct Run {
  std::size_t length = 0;
  Mark mark;
};

class Text {
 public:
  Text() = default;
  explicit Text(std::string bytes, Mark mark = {}) : bytes_(std::move(bytes)), mark_(mark) {}

  [[nodiscard]] std::string_view bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }

  /// The first origin that is not the template; the template if there is none.
  [[nodiscard]] OriginId origin() const;

  /// Calls `visit(Run)` for each run in order.
  template <typename Visit>
  void each_run(Visit&& visit) const {
    if (runs_.empty()) {
      if (!bytes_.empty()) visit(Run{bytes_.size(), mark_});
      return;
    }
    for (const Run& run : runs_) visit(run);
  }

  /// Markup is text that an autoescaping output leaves alone (the filters `safe` and `escape`).
  [[nodiscard]] bool is_markup() const { return is_markup_; }
  [[nodiscard]] Text as_markup(bool is_markup) && {
    is_markup_ = is_markup;
    return std::move(*this);
  }

 private:
  friend class TextBuilder;
  friend class MarkCursor;

  std::string bytes_;
  std::vector<Run> runs_;  ///< Empty when `mark_` holds for all bytes.
  Mark mark_;
  bool is_markup_ = false;
};

class TextBuilder {
 public:
  void append(std::string_view bytes, Mark mark);
  void append(const Text& text);
  void append(const Text& text, std::size_t begin, std::size_t end);
  void append_as_generation(const Text& text);
  void reserve(std::size_t bytes) { text_.bytes_.reserve(bytes); }

  [[nodiscard]] std::size_t size() const { return text_.bytes_.size(); }
  [[nodiscard]] Text take() { return std::exchange(text_, Text()); }

 private:
  Text text_;
};

/// Reads the marks of a text from left to right: `at` is called with rising positions.
class MarkCursor {
 public:
  explicit MarkCursor(const Text& text) : text_(text) {}
  [[nodiscard]] Mark at(std::size_t position);

 private:
  const Text& text_;
  std::size_t run_ = 0;
  std::size_t run_end_ = 0;
};

/// The bytes [begin, end) with their marks; keeps whether it is markup.
[[nodiscard]] Text slice(const Text& text, std::size_t begin, std::size_t end);

/// One character at a time.
struct Character {
  char32_t code_point = 0;
  std::string_view bytes;
  std::size_t offset = 0;
  Mark mark;
};
class CharacterReader {
 public:
  explicit CharacterReader(const Text& text) : text_(text), marks_(text) {}
  [[nodiscard]] bool at_end() const { return offset_ == text_.size(); }
  [[nodiscard]] Character next();

 private:
  const Text& text_;
  MarkCursor marks_;
  std::size_t offset_ = 0;
};

[[nodiscard]] std::size_t count_characters(std::string_view utf8);
/// The byte offset of character `index`, which is at most the number of characters.
[[nodiscard]] std::size_t offset_of_character(std::string_view utf8, std::size_t index);

/// The first place of `needle` at or after `from`, or npos. Linear in the sum of the lengths.
[[nodiscard]] std::size_t find_bytes(std::string_view haystack, std::string_view needle,
                                     std::size_t from = 0);

}  // namespace zhuzi::jinja
