// strftime: see the header. The calendar is <chrono>'s.
#include "text/internal/jinja_clock.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <optional>

namespace zhuzi::jinja {
namespace {

constexpr std::array<std::string_view, 12> month_names{
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> day_names{"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                    "Thursday", "Friday", "Saturday"};

struct Moment {
  std::int64_t seconds = 0;  ///< Since 1970.
  int year = 0;
  unsigned month = 0;    ///< 1 to 12
  unsigned day = 0;      ///< 1 to 31
  unsigned weekday = 0;  ///< 0 is Sunday.
  int day_of_year = 0;   ///< 1 to 366
  std::int64_t hour = 0;
  std::int64_t minute = 0;
  std::int64_t second = 0;
};

Moment moment_of(std::int64_t local_seconds) {
  using std::chrono::days;
  const std::chrono::sys_seconds time{std::chrono::seconds(local_seconds)};
  const auto midnight = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date(midnight);
  const std::chrono::sys_days new_year(date.year() / std::chrono::January / 1);
  const std::int64_t of_day = (time - midnight).count();
  return {.seconds = local_seconds,
          .year = static_cast<int>(date.year()),
          .month = static_cast<unsigned>(date.month()),
          .day = static_cast<unsigned>(date.day()),
          .weekday = std::chrono::weekday(midnight).c_encoding(),
          .day_of_year = static_cast<int>((midnight - new_year).count()) + 1,
          .hour = of_day / 3600,
          .minute = of_day / 60 % 60,
          .second = of_day % 60};
}

std::int64_t hour_of_twelve(const Moment& at) { return at.hour % 12 == 0 ? 12 : at.hour % 12; }

/// The week of the year, of weeks that begin on `first` (0 is Sunday).
int week_of_year(const Moment& at, unsigned first) {
  const unsigned days_into_week = (at.weekday + 7 - first) % 7;
  return (at.day_of_year + 6 - static_cast<int>(days_into_week)) / 7;
}

/// A directive that is a number: its value, its width, and what fills it.
struct Field {
  std::int64_t value = 0;
  int width = 2;
  char fill = '0';
};

std::optional<Field> number_field(const Moment& at, char directive) {
  switch (directive) {
    case 'd': return Field{.value = at.day};
    case 'e': return Field{.value = at.day, .fill = ' '};
    case 'm': return Field{.value = at.month};
    case 'Y': return Field{.value = at.year, .width = 1};
    case 'y': return Field{.value = (at.year % 100 + 100) % 100};
    case 'C': return Field{.value = at.year / 100};
    case 'H': return Field{.value = at.hour};
    case 'k': return Field{.value = at.hour, .fill = ' '};
    case 'I': return Field{.value = hour_of_twelve(at)};
    case 'l': return Field{.value = hour_of_twelve(at), .fill = ' '};
    case 'M': return Field{.value = at.minute};
    case 'S': return Field{.value = at.second};
    case 'f': return Field{.value = 0, .width = 6};
    case 'j': return Field{.value = at.day_of_year, .width = 3};
    case 'w': return Field{.value = at.weekday, .width = 1};
    case 'u': return Field{.value = at.weekday == 0 ? 7 : at.weekday, .width = 1};
    case 'U': return Field{.value = week_of_year(at, 0)};
    case 'W': return Field{.value = week_of_year(at, 1)};
    case 's': return Field{.value = at.seconds, .width = 1};
    default: return std::nullopt;
  }
}

/// A directive that is a word or stands for several others.
std::optional<std::string_view> word_or_format(const Moment& at, char directive) {
  constexpr std::size_t short_length = 3;
  switch (directive) {
    case 'A': return day_names[at.weekday];
    case 'a': return day_names[at.weekday].substr(0, short_length);
    case 'B': return month_names[at.month - 1];
    case 'b':
    case 'h': return month_names[at.month - 1].substr(0, short_length);
    case 'p': return at.hour < 12 ? "AM" : "PM";
    case 'P': return at.hour < 12 ? "am" : "pm";
    case 'c': return "%a %b %e %H:%M:%S %Y";
    case 'D':
    case 'x': return "%m/%d/%y";
    case 'F': return "%Y-%m-%d";
    case 'R': return "%H:%M";
    case 'r': return "%I:%M:%S %p";
    case 'T':
    case 'X': return "%H:%M:%S";
    case 'Z':
    case 'z': return "";
    case 'n': return "\n";
    case 't': return "\t";
    case '%': return "%";
    default: return std::nullopt;
  }
}

std::string shown(const Field& field, char flag) {
  if (flag == '-') return fmt::to_string(field.value);
  const char fill = flag == '_' ? ' ' : (flag == '0' ? '0' : field.fill);
  return fill == ' ' ? fmt::format("{:>{}}", field.value, field.width)
                     : fmt::format("{:0{}}", field.value, field.width);
}

}  // namespace

std::string formatted_time(std::int64_t local_seconds, std::string_view format) {
  const Moment at = moment_of(local_seconds);
  std::string text;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      text += format[i];
      continue;
    }
    const char next = format[i + 1];
    const bool has_flag = (next == '-' || next == '_' || next == '0') && i + 2 < format.size();
    const char directive = has_flag ? format[i + 2] : next;
    const std::size_t length = has_flag ? 3 : 2;
    if (const auto field = number_field(at, directive)) {
      text += shown(*field, has_flag ? next : ' ');
    } else if (const auto word = word_or_format(at, directive)) {
      const bool is_format = word->size() > 1 && word->front() == '%';
      text += is_format ? formatted_time(local_seconds, *word) : std::string(*word);
    } else {
      text += format.substr(i, length);
    }
    i += length - 1;
  }
  return text;
}

}  // namespace zhuzi::jinja
