// The lexer: see the header. One function for each of the places a reader can be in: plain text,
// a comment, a raw block, a tag.
#include "text/internal/jinja_lexer.h"

#include <algorithm>
#include <array>

#include "text/internal/jinja_print.h"
#include "text/internal/jinja_text.h"
#include "text/internal/jinja_unicode.h"

namespace zhuzi::jinja {
namespace {

constexpr std::size_t npos = std::string_view::npos;

struct Operator {
  std::string_view text;
  TokenKind kind;
};
/// Longer ones first.
constexpr std::array operators{
    Operator{"**", TokenKind::pow},     Operator{"//", TokenKind::floordiv},
    Operator{"==", TokenKind::eq},      Operator{"!=", TokenKind::ne},
    Operator{">=", TokenKind::gteq},    Operator{"<=", TokenKind::lteq},
    Operator{"+", TokenKind::add},      Operator{"-", TokenKind::sub},
    Operator{"/", TokenKind::div},      Operator{"*", TokenKind::mul},
    Operator{"%", TokenKind::mod},      Operator{"~", TokenKind::tilde},
    Operator{"[", TokenKind::lbracket}, Operator{"]", TokenKind::rbracket},
    Operator{"(", TokenKind::lparen},   Operator{")", TokenKind::rparen},
    Operator{"{", TokenKind::lbrace},   Operator{"}", TokenKind::rbrace},
    Operator{">", TokenKind::gt},       Operator{"<", TokenKind::lt},
    Operator{"=", TokenKind::assign},   Operator{".", TokenKind::dot},
    Operator{":", TokenKind::colon},    Operator{"|", TokenKind::pipe},
    Operator{",", TokenKind::comma},    Operator{";", TokenKind::semicolon}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The length of digits of one base, each of which may follow one underscore.
template <typename IsDigit>
std::size_t digits_length(std::string_view text, std::size_t from, IsDigit is_one) {
  std::size_t end = from;
  while (end < text.size()) {
    const std::size_t digit = text[end] == '_' && end > from ? end + 1 : end;
    if (digit >= text.size() || !is_one(text[digit])) break;
    end = digit + 1;
  }
  return end - from;
}

std::size_t decimal_length(std::string_view text, std::size_t from) {
  return digits_length(text, from, is_digit);
}

/// A number with a fraction or an exponent; 0 if there is none here.
std::size_t real_length(std::string_view text) {
  std::size_t end = decimal_length(text, 0);
  if (end == 0) return 0;
  bool is_real = false;
  if (end < text.size() && text[end] == '.') {
    if (const std::size_t fraction = decimal_length(text, end + 1); fraction > 0) {
      end += 1 + fraction;
      is_real = true;
    }
  }
  if (end < text.size() && lower(text[end]) == 'e') {
    std::size_t begin = end + 1;
    if (begin < text.size() && (text[begin] == '+' || text[begin] == '-')) ++begin;
    if (const std::size_t exponent = decimal_length(text, begin); exponent > 0) {
      end = begin + exponent;
      is_real = true;
    }
  }
  return is_real ? end : 0;
}

std::size_t integer_length(std::string_view text) {
  if (!is_digit(text[0])) return 0;
  if (text[0] != '0') return decimal_length(text, 0);
  const auto based = [&](auto is_one) -> std::size_t {
    const std::size_t from = text.size() > 2 && text[2] == '_' ? 3 : 2;
    const std::size_t length = digits_length(text, from, is_one);
    return length == 0 ? 0 : from + length;
  };
  const char base = text.size() > 1 ? lower(text[1]) : ' ';
  std::size_t length = 0;
  if (base == 'b') length = based([](char c) { return c == '0' || c == '1'; });
  if (base == 'o') length = based([](char c) { return c >= '0' && c <= '7'; });
  if (base == 'x') {
    length = based([](char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f'); });
  }
  return length > 0 ? length : digits_length(text, 0, [](char c) { return c == '0'; });
}

/// With both quotes; 0 if it does not end.
std::size_t string_length(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[0]) {
      return i + 1;
    }
  }
  return 0;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  TokenList run() {
    while (!list_.error && position_ < source_.size()) read_root();
    if (!list_.error) list_.tokens.push_back({.kind = TokenKind::end, .line = line_});
    return std::move(list_);
  }

 private:
  struct Tag {
    std::size_t begin = npos;
    char kind = 0;  ///< The second character: `%`, `{` or `#`.
    char sign = 0;  ///< `-`, `+` or nothing.
    std::size_t end = 0;
  };

  std::string_view rest() const { return source_.substr(position_); }

  void fail(std::string message) {
    list_.tokens.push_back({.kind = TokenKind::error, .line = line_});
    list_.error = std::move(raise(python::syntax_error, "{}", message).error());
    list_.error->line = line_;
  }

  void add(TokenKind kind, std::string_view text) {
    list_.tokens.push_back({.kind = kind, .line = line_, .text = text});
  }

  /// Moves behind `end` and counts its lines.
  void advance_to(std::size_t end) {
    const std::string_view passed = source_.substr(position_, end - position_);
    line_ += static_cast<std::uint32_t>(std::ranges::count(passed, '\n'));
    is_line_start_ = passed.ends_with('\n');
    position_ = end;
  }

  std::size_t after_white_space(std::size_t from) const {
    return from + leading_space(source_.substr(from));
  }

  Tag next_tag(std::size_t from) const {
    for (std::size_t at = source_.find('{', from); at != npos; at = source_.find('{', at + 1)) {
      const char kind = at + 1 < source_.size() ? source_[at + 1] : ' ';
      if (kind != '%' && kind != '{' && kind != '#') continue;
      Tag tag{.begin = at, .kind = kind, .end = at + 2};
      const char sign = tag.end < source_.size() ? source_[tag.end] : ' ';
      if (sign == '-' || sign == '+') {
        tag.sign = sign;
        ++tag.end;
      }
      return tag;
    }
    return {};
  }

  /// Where the text before a tag ends, by its sign and by lstrip_blocks.
  std::size_t stripped_end(const Tag& tag) const {
    const std::string_view text = source_.substr(position_, tag.begin - position_);
    if (tag.sign == '-') return tag.begin - trailing_space(text);
    if (tag.sign == '+' || tag.kind == '{') return tag.begin;
    const std::size_t line_begin = text.rfind('\n') + 1;  // npos + 1 is 0
    if (line_begin == 0 && !is_line_start_) return tag.begin;
    const std::string_view indent = text.substr(line_begin);
    return leading_space(indent) == indent.size() ? position_ + line_begin : tag.begin;
  }

  void add_data(std::size_t end) {
    if (end > position_) add(TokenKind::data, source_.substr(position_, end - position_));
  }

  void read_root() {
    const Tag tag = next_tag(position_);
    if (tag.begin == npos) {
      add_data(source_.size());
      return advance_to(source_.size());
    }
    add_data(stripped_end(tag));
    if (const std::size_t raw = raw_begin_end(tag); raw != npos) {
      advance_to(raw);
      return read_raw();
    }
    advance_to(tag.begin);
    if (tag.kind == '#') {
      advance_to(tag.end);
      return read_comment();
    }
    add(tag.kind == '%' ? TokenKind::block_begin : TokenKind::variable_begin, {});
    advance_to(tag.end);
    read_tag(tag.kind == '%');
  }

  void read_comment() {
    const std::size_t close = source_.find("#}", position_);
    if (close == npos) return fail("Missing end of comment tag");
    const char sign = close > position_ ? source_[close - 1] : ' ';
    advance_to(block_close(close + 2, sign));
  }

  /// Where a tag's closing delimiter ends, with what `sign` or trim_blocks removes behind it.
  std::size_t block_close(std::size_t end, char sign) const {
    if (sign == '-') return after_white_space(end);
    const bool trims = sign != '+' && end < source_.size() && source_[end] == '\n';
    return trims ? end + 1 : end;
  }

  bool has_word(std::size_t at, std::string_view word) const {
    return source_.substr(at).starts_with(word);
  }

  /// Behind `{% raw %}`, or npos if the tag is another.
  std::size_t raw_begin_end(const Tag& tag) const {
    if (tag.kind != '%') return npos;
    std::size_t at = after_white_space(tag.end);
    if (!has_word(at, "raw")) return npos;
    at = after_white_space(at + 3);
    if (has_word(at, "-%}")) return after_white_space(at + 3);
    return has_word(at, "%}") ? at + 2 : npos;
  }

  void read_raw() {
    for (Tag tag = next_tag(position_); tag.begin != npos; tag = next_tag(tag.begin + 1)) {
      if (tag.kind != '%') continue;
      std::size_t at = after_white_space(tag.end);
      if (!has_word(at, "endraw")) continue;
      at = after_white_space(at + 6);
      char sign = at < source_.size() ? source_[at] : ' ';
      if (sign != '-' && sign != '+') sign = ' ';
      if (sign != ' ') ++at;
      if (!has_word(at, "%}")) continue;
      add_data(stripped_end(tag));
      return advance_to(block_close(at + 2, sign));
    }
    fail("Missing end of raw directive");
  }

  /// Whether the tag closes here; then it is closed.
  bool close_tag(bool is_block) {
    const std::string_view text = rest();
    const bool has_sign = text[0] == '-' || (is_block && text[0] == '+');
    const std::string_view mark = is_block ? "%}" : "}}";
    if (!text.substr(has_sign ? 1 : 0).starts_with(mark)) return false;
    const char sign = has_sign ? text[0] : ' ';
    const std::size_t end = position_ + (has_sign ? 3 : 2);
    add(is_block ? TokenKind::block_end : TokenKind::variable_end, {});
    advance_to(is_block || sign == '-' ? block_close(end, sign) : end);
    return true;
  }

  void read_tag(bool is_block) {
    brackets_.clear();
    while (position_ < source_.size() && !list_.error) {
      if (brackets_.empty() && close_tag(is_block)) return;
      if (const std::size_t space = leading_space(rest()); space > 0) {
        advance_to(position_ + space);
      } else {
        read_token();
      }
    }
  }

  void read_token() {
    const std::string_view text = rest();
    const bool follows_dot = position_ > 0 && source_[position_ - 1] == '.';
    if (const std::size_t length = follows_dot ? 0 : real_length(text); length > 0) {
      return add_and_advance(TokenKind::real, length);
    }
    if (const std::size_t length = integer_length(text); length > 0) {
      return add_and_advance(TokenKind::integer, length);
    }
    if (const std::size_t length = word_length(text); length > 0) {
      if (!is_identifier(text.substr(0, length))) {
        return fail("Invalid character in identifier");
      }
      return add_and_advance(TokenKind::name, length);
    }
    if (text[0] == '\'' || text[0] == '"') {
      if (const std::size_t length = string_length(text); length > 0) {
        return add_and_advance(TokenKind::string, length);
      }
    }
    const auto found = std::ranges::find_if(
        operators, [&](const Operator& one) { return text.starts_with(one.text); });
    if (found == operators.end()) return fail_at_character();
    if (balance(found->text[0])) add_and_advance(found->kind, found->text.size());
  }

  void add_and_advance(TokenKind kind, std::size_t length) {
    add(kind, rest().substr(0, length));
    advance_to(position_ + length);
  }

  bool balance(char c) {
    if (c == '(' || c == '[' || c == '{') {
      brackets_.push_back(c == '(' ? ')' : (c == '[' ? ']' : '}'));
    }
    if (c != ')' && c != ']' && c != '}') return true;
    if (brackets_.empty()) {
      fail(fmt::format("unexpected '{}'", c));
      return false;
    }
    const char expected = brackets_.back();
    brackets_.pop_back();
    if (expected == c) return true;
    fail(fmt::format("unexpected '{}', expected '{}'", c, expected));
    return false;
  }

  void fail_at_character() {
    const Text one(std::string(rest().substr(0, offset_of_character(rest(), 1))));
    fail(fmt::format("unexpected char {} at {}", quoted_python(one.bytes()),
                     count_characters(source_.substr(0, position_))));
  }

  std::string_view source_;
  std::size_t position_ = 0;
  std::uint32_t line_ = 1;
  bool is_line_start_ = true;
  std::string brackets_;  ///< The closing brackets that are awaited.
  TokenList list_;
};

}  // namespace

std::string normalized_source(std::string_view source) {
  std::string text;
  text.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n') continue;
    text += source[i] == '\r' ? '\n' : source[i];
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

TokenList tokenize(std::string_view source) { return Lexer(source).run(); }

std::string_view describe(TokenKind kind) {
  switch (kind) {
    case TokenKind::data: return "template data / text";
    case TokenKind::block_begin: return "begin of statement block";
    case TokenKind::block_end: return "end of statement block";
    case TokenKind::variable_begin: return "begin of print statement";
    case TokenKind::variable_end: return "end of print statement";
    case TokenKind::name: return "name";
    case TokenKind::string: return "string";
    case TokenKind::integer: return "integer";
    case TokenKind::real: return "float";
    case TokenKind::end: return "end of template";
    case TokenKind::error: return "error";
    default: break;
  }
  const auto found = std::ranges::find(operators, kind, &Operator::kind);
  return found != operators.end() ? found->text : "operator";
}

std::string describe(const Token& token) {
  return std::string(token.kind == TokenKind::name ? token.text : describe(token.kind));
}

}  // namespace zhuzi::jinja
