// The methods of strings that ask what the characters are: isdigit, isupper and the like.
#include <algorithm>
#include <array>

#include "text/internal/jinja_member.h"
#include "text/internal/jinja_text_operation.h"

namespace zhuzi::jinja {
namespace {

/// All characters have it, and there is one.
template <bool (*has)(char32_t)>
Outcome<Value> all(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "str"));
  TRY(session.spend(subject.string()->size()));
  for (CharacterReader reader(*subject.string()); !reader.at_end();) {
    if (!has(reader.next().code_point)) return Value(false);
  }
  return Value(!subject.string()->empty());
}

template <Case which>
Outcome<Value> cased(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "str"));
  TRY(session.spend(subject.string()->size()));
  return Value(is_in_case(*subject.string(), which));
}

bool is_ascii(char32_t c) { return c < 0x80; }
Outcome<Value> isascii(Session& session, const Value& subject, const Arguments& arguments) {
  return subject.string()->empty() ? Value(true) : all<is_ascii>(session, subject, arguments);
}
Outcome<Value> isprintable(Session& session, const Value& subject, const Arguments& arguments) {
  return subject.string()->empty() ? Value(true) : all<is_printable>(session, subject, arguments);
}
Outcome<Value> isidentifier(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "isidentifier"));
  TRY(session.spend(subject.string()->size()));
  const std::string_view text = subject.string()->bytes();
  return Value(word_length(text) == text.size() && is_identifier(text));
}

/// Every word begins in title case and goes on in lower case.
Outcome<Value> istitle(Session& session, const Value& subject, const Arguments& arguments) {
  TRY(expect_no_arguments(arguments, "istitle"));
  TRY(session.spend(subject.string()->size()));
  bool was_cased = false;
  bool is_found = false;
  for (CharacterReader reader(*subject.string()); !reader.at_end();) {
    const char32_t c = reader.next().code_point;
    const bool begins = is_upper(c) || is_title(c);
    if ((begins && was_cased) || (is_lower(c) && !was_cased)) return Value(false);
    was_cased = begins || is_lower(c);
    is_found |= was_cased;
  }
  return Value(is_found);
}

constexpr std::array table{NamedFunction{"isalnum", all<is_alphanumeric>},
                           NamedFunction{"isalpha", all<is_alphabetic>},
                           NamedFunction{"isascii", isascii},
                           NamedFunction{"isdecimal", all<is_decimal>},
                           NamedFunction{"isdigit", all<is_digit>},
                           NamedFunction{"isidentifier", isidentifier},
                           NamedFunction{"islower", cased<Case::lower>},
                           NamedFunction{"isnumeric", all<is_numeric>},
                           NamedFunction{"isprintable", isprintable},
                           NamedFunction{"isspace", all<is_space>},
                           NamedFunction{"istitle", istitle},
                           NamedFunction{"isupper", cased<Case::upper>}};
static_assert(std::ranges::is_sorted(table, {}, &NamedFunction::name));

}  // namespace

std::span<const NamedFunction> text_predicates() { return table; }

}  // namespace zhuzi::jinja
