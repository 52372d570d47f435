// Walking through values: what `for`, `list` and `join` see.
#pragma once

#include <optional>
#include <vector>

#include "text/internal/jinja_session.h"
#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

/// Whether Python's iter() takes the value.
[[nodiscard]] bool is_iterable(const Value& value);

/// The items in order: characters of a string, keys of a dict; a generator is used up. Error:
/// TypeError when the value is not iterable, TimeoutError.
[[nodiscard]] Outcome<std::vector<Value>> items_of(Session& session, const Value& value);

/// The next item of a generator; empty at its end.
[[nodiscard]] Outcome<std::optional<Value>> next_of(Session& session, Generator& generator);

/// len(). Error: TypeError.
[[nodiscard]] Outcome<std::size_t> length_of(Session& session, const Value& value);

/// The rows that dict.items(), keys() and values() give.
[[nodiscard]] Outcome<Value> view_of(Session& session, Sequence::Kind kind, const Value& dict);

}  // namespace zhuzi::jinja
