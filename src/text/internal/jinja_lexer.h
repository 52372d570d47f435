// The lexer: template source to tokens, white space control included.
//
// Place in the journey: the first step of `parse`. Plain text between tags becomes `data` tokens
// with everything already removed that `-`, trim_blocks and lstrip_blocks remove; comments leave
// no token; raw blocks are data.
//
// Invariant: the last token is `end`, or `error`, behind which nothing was read. An error becomes
// the parse's fault when the parser reaches it, so that an earlier mistake is reported first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/internal/jinja_fault.h"

namespace zhuzi::jinja {

enum class TokenKind : std::uint8_t {
  data,
  block_begin,
  block_end,
  variable_begin,
  variable_end,
  name,
  string,
  integer,
  real,
  add,
  sub,
  div,
  floordiv,
  mul,
  mod,
  pow,
  tilde,
  lbracket,
  rbracket,
  lparen,
  rparen,
  lbrace,
  rbrace,
  eq,
  ne,
  gt,
  gteq,
  lt,
  lteq,
  assign,
  dot,
  colon,
  pipe,
  comma,
  semicolon,
  end,
  error,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t line = 1;
  std::string_view text = {};  ///< Into the source: a name, the digits, a string with its quotes.
};

struct TokenList {
  std::vector<Token> tokens;
  Fault error;  ///< Of the last token, if its kind is `error`.
};

/// CRLF and CR become LF; one newline at the end is dropped.
[[nodiscard]] std::string normalized_source(std::string_view source);

/// `source` is normalized UTF-8 and outlives the tokens.
[[nodiscard]] TokenList tokenize(std::string_view source);

/// How Jinja's messages call a token: `end of print statement`, `,`, the name itself.
[[nodiscard]] std::string describe(const Token& token);
[[nodiscard]] std::string_view describe(TokenKind kind);

}  // namespace zhuzi::jinja
