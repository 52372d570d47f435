// Text: see the header. Runs are merged where they are appended, nowhere else.
#include "text/internal/jinja_text.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/utf8.h"

namespace zhuzi::jinja {

OriginId Text::origin() const {
  OriginId found = template_origin;
  each_run([&](const Run& run) { found = mixed(found, run.mark.origin); });
  return found;
}

void TextBuilder::append(std::string_view bytes, Mark mark) {
  if (bytes.empty()) return;
  auto& runs = text_.runs_;
  if (text_.empty()) {
    text_.mark_ = mark;
  } else if (!runs.empty() && runs.back().mark == mark) {
    runs.back().length += bytes.size();
  } else if (!runs.empty() || text_.mark_ != mark) {
    if (runs.empty()) runs.push_back({text_.size(), text_.mark_});
    runs.push_back({bytes.size(), mark});
  }
  text_.bytes_ += bytes;
}

void TextBuilder::append(const Text& text) { append(text, 0, text.size()); }

void TextBuilder::append(const Text& text, std::size_t begin, std::size_t end) {
  check(begin <= end && end <= text.size(), "a slice lies inside its text");
  std::size_t run_begin = 0;
  text.each_run([&](const Run& run) {
    const std::size_t run_end = run_begin + run.length;
    const std::size_t low = std::max(begin, run_begin);
    const std::size_t high = std::min(end, run_end);
    if (low < high) append(text.bytes().substr(low, high - low), run.mark);
    run_begin = run_end;
  });
}

void TextBuilder::append_as_generation(const Text& text) {
  std::size_t begin = 0;
  text.each_run([&](const Run& run) {
    append(text.bytes().substr(begin, run.length),
           {.origin = run.mark.origin, .is_generation = true});
    begin += run.length;
  });
}

Mark MarkCursor::at(std::size_t position) {
  if (text_.runs_.empty()) return text_.mark_;
  if (run_end_ == 0) run_end_ = text_.runs_[0].length;
  while (position >= run_end_ && run_ + 1 < text_.runs_.size()) {
    run_end_ += text_.runs_[++run_].length;
  }
  return text_.runs_[run_].mark;
}

Text slice(const Text& text, std::size_t begin, std::size_t end) {
  TextBuilder builder;
  builder.append(text, begin, end);
  return builder.take().as_markup(text.is_markup());
}

Character CharacterReader::next() {
  const std::string_view rest = text_.bytes().substr(offset_);
  const utf8::Piece piece = utf8::first_piece(rest);
  Character character{.code_point = piece.code_point,
                      .bytes = rest.substr(0, piece.length),
                      .offset = offset_,
                      .mark = marks_.at(offset_)};
  offset_ += piece.length;
  return character;
}

namespace {
bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }
}  // namespace

std::size_t count_characters(std::string_view utf8) {
  std::size_t count = 0;
  for (const char byte : utf8) count += begins_character(byte) ? 1 : 0;
  return count;
}

std::size_t offset_of_character(std::string_view utf8, std::size_t index) {
  std::size_t offset = 0;
  for (; offset < utf8.size(); ++offset) {
    if (!begins_character(utf8[offset])) continue;
    if (index == 0) return offset;
    --index;
  }
  return offset;
}

std::size_t find_bytes(std::string_view haystack, std::string_view needle, std::size_t from) {
  if (from > haystack.size()) return std::string_view::npos;
  const std::string_view rest = haystack.substr(from);
  if (needle.empty()) return from;
  const void* found = memmem(rest.data(), rest.size(), needle.data(), needle.size());
  if (found == nullptr) return std::string_view::npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - haystack.data());
}

}  // namespace zhuzi::jinja
