// Operations on texts: see the header.
#include "text/internal/jinja_text_operation.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/utf8.h"

namespace zhuzi::jinja {
namespace {

std::vector<Character> characters_of(const Text& text) {
  std::vector<Character> characters;
  for (CharacterReader reader(text); !reader.at_end();) characters.push_back(reader.next());
  return characters;
}

constexpr char32_t capital_sigma = 0x3A3;
constexpr std::string_view final_sigma = "\u03C2";

/// A sigma is final behind a letter and not before one; marks between do not count.
bool is_final_sigma(const std::vector<Character>& characters, std::size_t place) {
  const auto is_skipped = [](const Character& one) { return is_case_ignorable(one.code_point); };
  const auto here = characters.begin() + static_cast<std::ptrdiff_t>(place);
  const auto before =
      std::find_if_not(std::make_reverse_iterator(here), characters.rend(), is_skipped);
  if (before == characters.rend() || !is_cased(before->code_point)) return false;
  const auto after = std::find_if_not(here + 1, characters.end(), is_skipped);
  return after == characters.end() || !is_cased(after->code_point);
}

std::string lowered(const std::vector<Character>& characters, std::size_t place) {
  const char32_t c = characters[place].code_point;
  if (c == capital_sigma && is_final_sigma(characters, place)) return std::string(final_sigma);
  return in_case(Case::lower, c);
}

/// `change(characters, place)` gives the new bytes of each character.
template <typename Change>
Text changed(const Text& text, Change change) {
  const std::vector<Character> characters = characters_of(text);
  TextBuilder builder;
  builder.reserve(text.size());
  for (std::size_t i = 0; i < characters.size(); ++i) {
    builder.append(change(characters, i), characters[i].mark);
  }
  return builder.take().as_markup(text.is_markup());
}

}  // namespace

Text in_case(const Text& text, Case which) {
  return changed(text, [&](const std::vector<Character>& characters, std::size_t i) {
    return which == Case::lower ? lowered(characters, i) : in_case(which, characters[i].code_point);
  });
}

Text capitalized(const Text& text) {
  return changed(text, [](const std::vector<Character>& characters, std::size_t i) {
    return i == 0 ? in_case(Case::title, characters[0].code_point) : lowered(characters, i);
  });
}

Text titled(const Text& text) {
  return changed(text, [](const std::vector<Character>& characters, std::size_t i) {
    const bool is_inside = i > 0 && is_cased(characters[i - 1].code_point);
    return is_inside ? lowered(characters, i) : in_case(Case::title, characters[i].code_point);
  });
}

Text swapped_case(const Text& text) {
  return changed(text, [](const std::vector<Character>& characters, std::size_t i) {
    const char32_t c = characters[i].code_point;
    if (is_upper(c)) return lowered(characters, i);
    return is_lower(c) ? in_case(Case::upper, c) : std::string(characters[i].bytes);
  });
}

bool is_in_case(const Text& text, Case which) {
  bool is_found = false;
  for (CharacterReader reader(text); !reader.at_end();) {
    const char32_t c = reader.next().code_point;
    if (!is_cased(c)) continue;
    if (which == Case::upper ? !is_upper(c) : !is_lower(c)) return false;
    is_found = true;
  }
  return is_found;
}

Text stripped(const Text& text, Side side, std::optional<std::string_view> characters) {
  std::set<char32_t> listed;
  if (characters) {
    const Text list{std::string(*characters)};
    for (const Character& one : characters_of(list)) listed.insert(one.code_point);
  }
  const auto is_stripped = [&](char32_t c) {
    return characters ? listed.contains(c) : is_space(c);
  };
  const std::string_view bytes = text.bytes();
  std::size_t begin = 0;
  std::size_t end = bytes.size();
  while (side != Side::right && begin < end) {
    const utf8::Piece piece = utf8::first_piece(bytes.substr(begin));
    if (!is_stripped(piece.code_point)) break;
    begin += piece.length;
  }
  while (side != Side::left && begin < end) {
    const std::string_view last = last_character(bytes.substr(0, end));
    if (!is_stripped(utf8::first_piece(last).code_point)) break;
    end -= last.size();
  }
  return slice(text, begin, end);
}

Outcome<Text> replaced(Session& session, const Text& text, const Text& from, const Text& to,
                       std::int64_t count) {
  TextBuilder builder;
  TRY(session.spend_bytes(text.size()));
  const std::string_view bytes = text.bytes();
  std::size_t copied = 0;
  std::size_t searched = 0;
  for (; count != 0; count -= count > 0 ? 1 : 0) {
    const std::size_t found = find_bytes(bytes, from.bytes(), searched);
    if (found == std::string_view::npos) break;
    builder.append(text, copied, found);
    builder.append(to);
    TRY(session.spend_bytes(to.size()));
    TRY(session.check_bytes(builder.size()));
    copied = found + from.size();
    searched = copied;
    if (from.empty()) {
      // Between two characters: the next place is behind the next character.
      if (searched == bytes.size()) break;
      searched += utf8::first_piece(bytes.substr(searched)).length;
    }
  }
  builder.append(text, copied, text.size());
  return builder.take().as_markup(text.is_markup());
}

Outcome<std::vector<Value>> split(Session& session, const Text& text, std::string_view separator,
                                  std::int64_t splits_max) {
  std::vector<Value> parts;
  std::size_t begin = 0;
  TRY(session.spend_bytes(text.size()));
  while (splits_max < 0 || static_cast<std::int64_t>(parts.size()) < splits_max) {
    const std::size_t found = find_bytes(text.bytes(), separator, begin);
    if (found == std::string_view::npos) break;
    TRY(session.spend(1));
    parts.emplace_back(slice(text, begin, found));
    begin = found + separator.size();
  }
  parts.emplace_back(slice(text, begin, text.size()));
  return parts;
}

Outcome<std::vector<Value>> split_from_right(Session& session, const Text& text,
                                             std::string_view separator, std::int64_t splits_max) {
  if (splits_max < 0) return split(session, text, separator, splits_max);
  std::vector<Value> parts;
  std::size_t end = text.size();
  TRY(session.spend_bytes(text.size()));
  TRY(session.spend(text.size() / Session::bytes_per_step * separator.size()));
  while (static_cast<std::int64_t>(parts.size()) < splits_max && end >= separator.size()) {
    const std::size_t found = text.bytes().rfind(separator, end - separator.size());
    if (found == std::string_view::npos) break;
    TRY(session.spend(1));
    parts.emplace_back(slice(text, found + separator.size(), end));
    end = found;
  }
  parts.emplace_back(slice(text, 0, end));
  std::reverse(parts.begin(), parts.end());
  return parts;
}

Outcome<std::vector<Value>> split_words(Session& session, const Text& text,
                                        std::int64_t splits_max) {
  std::vector<Value> parts;
  const std::string_view bytes = text.bytes();
  TRY(session.spend_bytes(text.size()));
  std::size_t begin = leading_space(bytes);
  while (begin < bytes.size()) {
    TRY(session.spend(1));
    if (splits_max >= 0 && static_cast<std::int64_t>(parts.size()) == splits_max) {
      parts.emplace_back(slice(text, begin, bytes.size() - trailing_space(bytes)));
      break;
    }
    std::size_t end = begin;
    while (end < bytes.size() && leading_space(bytes.substr(end, 4)) == 0) {
      end += utf8::first_piece(bytes.substr(end)).length;
    }
    parts.emplace_back(slice(text, begin, end));
    begin = end + leading_space(bytes.substr(end));
  }
  return parts;
}

Outcome<std::vector<Value>> split_words_from_right(Session& session, const Text& text,
                                                   std::int64_t splits_max) {
  std::vector<Value> words = TRY(split_words(session, text, -1));
  if (splits_max < 0 || static_cast<std::int64_t>(words.size()) <= splits_max) return words;
  // The words that stay together keep the white space between them.
  const std::string_view bytes = text.bytes();
  std::size_t end = bytes.size();
  std::vector<Value> parts;
  for (std::int64_t i = 0; i < splits_max; ++i) {
    Value& word = words[words.size() - 1 - static_cast<std::size_t>(i)];
    end -= trailing_space(bytes.substr(0, end)) + word.string()->size();
    parts.push_back(std::move(word));
  }
  end -= trailing_space(bytes.substr(0, end));
  parts.emplace_back(slice(text, leading_space(bytes), end));
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<Line> lines_of(std::string_view utf8) {
  std::vector<Line> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const utf8::Piece piece = utf8::first_piece(utf8.substr(at));
    const char32_t c = piece.code_point;
    const bool breaks = (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 ||
                        c == 0x2028 || c == 0x2029;
    std::size_t next = at + piece.length;
    if (breaks) {
      if (c == U'\r' && next < utf8.size() && utf8[next] == '\n') ++next;
      lines.push_back({.begin = begin, .end = at, .next = next});
      begin = next;
    }
    at = next;
  }
  if (begin < utf8.size())
    lines.push_back({.begin = begin, .end = utf8.size(), .next = utf8.size()});
  return lines;
}

Outcome<Text> padded(Session& session, const Text& text, const Padding& padding) {
  const auto length = static_cast<std::int64_t>(count_characters(text.bytes()));
  if (padding.width <= length) return text;
  const std::int64_t missing = padding.width - length;
  std::int64_t left = padding.alignment == Alignment::right ? missing : 0;
  if (padding.alignment == Alignment::center) left = missing / 2 + (missing & padding.width & 1);
  TRY(session.spend_bytes(text.size() + static_cast<std::size_t>(missing)));
  const Mark mark{.origin = mixed(text.origin(), padding.origin)};
  TextBuilder builder;
  for (std::int64_t i = 0; i < left; ++i) builder.append(padding.fill, mark);
  builder.append(text);
  for (std::int64_t i = left; i < missing; ++i) builder.append(padding.fill, mark);
  return builder.take().as_markup(text.is_markup());
}

Outcome<Text> joined(Session& session, const std::vector<Text>& parts, const Text& separator) {
  TextBuilder builder;
  bool is_first = true;
  for (const Text& part : parts) {
    const std::size_t added = part.size() + (is_first ? 0 : separator.size());
    TRY(session.spend_bytes(added));
    TRY(session.check_bytes(builder.size() + added));
    if (!std::exchange(is_first, false)) builder.append(separator);
    builder.append(part);
  }
  return builder.take();
}

}  // namespace zhuzi::jinja
