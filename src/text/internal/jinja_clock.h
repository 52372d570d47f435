// strftime, for strftime_now: English names, no locale, no time zone of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zhuzi::jinja {

/// `local_seconds` since 1970-01-01 00:00 on the local clock, in the proleptic Gregorian calendar.
/// Directives it does not know stay as they are written.
[[nodiscard]] std::string formatted_time(std::int64_t local_seconds, std::string_view format);

}  // namespace zhuzi::jinja
