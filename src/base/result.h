// Result: the value or one sentence that says what is wrong and how to go on.
//
// Place in the journey: everywhere. What input, files, network or the system can cause is a Result;
// what only a bug can cause is `check` (check.h). Our code throws nothing.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <expected>
#include <string>
#include <utility>

namespace zhuzi {

/// Each code has one exit code of the program (see cli) and one HTTP status (see api).
enum class ErrorCode : std::uint8_t {
  invalid_argument,  ///< The caller's value is wrong: usage error, 400.
  not_found,         ///< A file or a name does not exist: 404.
  unsupported,       ///< Known, and not there yet: 400.
  corrupt_file,      ///< A file breaks its format.
  io,                ///< The system refused to read or write.
  out_of_memory,     ///< The plan does not fit; the message has both numbers.
  context_length,    ///< The prompt is longer than the room of a request.
  numeric,           ///< A value is not finite, or a KV format cannot hold it.
  internal,          ///< A library failed in a way it should not.
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;  ///< One or two plain sentences; names the thing and the way out.
};

template <typename T>
using Result = std::expected<T, Error>;

/// `return fail(ErrorCode::corrupt_file, "tensor {} ...", name);`
template <typename... Arguments>
[[nodiscard]] std::unexpected<Error> fail(ErrorCode code, fmt::format_string<Arguments...> text,
                                          Arguments&&... arguments) {
  return std::unexpected(Error{code, fmt::format(text, std::forward<Arguments>(arguments)...)});
}

}  // namespace zhuzi

/// `auto value = TRY(make());` and `TRY(do_it());`: the value, or return the error to the caller.
#define TRY(...)                                                            \
  __extension__({                                                           \
    auto&& try_result = (__VA_ARGS__);                                      \
    if (!try_result) return std::unexpected(std::move(try_result).error()); \
    *std::move(try_result);                                                 \
  })
