// simdjson On-Demand into json::Value, and the numbers and strings of a Value.
//
// On-Demand and not DOM: the DOM turns numbers into int64, uint64 or double while it parses,
// refuses what does not fit, and forgets the text (`-0` becomes 0). On-Demand checks only what is
// asked for, so every scalar is checked here against the grammar of RFC 8259.
#include "base/json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/utf8.h"

namespace zhuzi::json {
namespace {

namespace od = simdjson::ondemand;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::string_view blanks = " \t\r\n";

bool is_number(std::string_view text) {
  const auto eat_digits = [&] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count != 0;
  };
  const auto eat = [&](std::string_view any) {
    const bool found = !text.empty() && any.contains(text.front());
    if (found) text.remove_prefix(1);
    return found;
  };
  eat("-");
  if (!eat("0") && !eat_digits()) return false;
  if (eat(".") && !eat_digits()) return false;
  if (eat("eE")) {
    eat("+-");
    if (!eat_digits()) return false;
  }
  return text.empty();
}

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

/// `null`, `true`, `false` or a number. On-Demand takes anything for one of them until it is asked.
Result<Value> scalar(std::string_view token) {
  token = trimmed(token);
  if (token == "null") return Value();
  if (token == "true" || token == "false") return Value(token == "true");
  if (is_number(token)) return Value(Number{std::string(token)});
  return fail(ErrorCode::invalid_argument, "not valid JSON: {} is no value", excerpt(token));
}

/// Walks one document. simdjson reports by code, so the answer is kept in `error_` on the way out.
class Reader {
 public:
  explicit Reader(const ParseOptions& options) : options_(options) {}

  Result<Value> read(std::string_view text) {
    const simdjson::padded_string padded(text);  // The copy costs 0.1 ms for each MB.
    od::parser parser;
    od::document document;
    Value value;
    if (!good(parser.iterate(padded).get(document)) || !read_root(document, value)) {
      return std::unexpected(std::move(error_));
    }
    return value;
  }

 private:
  bool refuse(std::string message) {
    if (error_.message.empty()) error_ = {ErrorCode::invalid_argument, std::move(message)};
    return false;
  }
  bool good(simdjson::error_code error) {
    if (error == simdjson::SUCCESS) return true;
    return refuse(fmt::format("not valid JSON: {}", simdjson::error_message(error)));
  }

  bool read_root(od::document& document, Value& out) {
    od::value value;
    if (!good(document.get_value().get(value)) || !read_value(value, out, 1)) return false;
    // A container has been consumed; what is not at the end then is something behind it.
    if (document.current_location().error() == simdjson::OUT_OF_BOUNDS) return true;
    return refuse("not valid JSON: there is text after the document");
  }

  bool read_value(od::value& value, Value& out, std::size_t depth) {
    od::json_type type{};
    if (!good(value.type().get(type))) return false;
    if (type == od::json_type::string) return read_string(value, out);
    if (type == od::json_type::array || type == od::json_type::object) {
      if (depth > options_.depth_max) {
        return refuse(fmt::format("JSON is nested deeper than {} levels", options_.depth_max));
      }
      return type == od::json_type::array ? read_array(value, out, depth)
                                          : read_object(value, out, depth);
    }
    auto made = scalar(value.raw_json_token());
    if (!made) return refuse(std::move(made).error().message);
    out = *std::move(made);
    return true;
  }

  bool read_string(od::value& value, Value& out) {
    std::string_view text;
    if (!good(value.get_string().get(text))) return false;
    out = Value(std::string(text));
    return true;
  }

  bool read_array(od::value& value, Value& out, std::size_t depth) {
    od::array array;
    if (!good(value.get_array().get(array))) return false;
    Array items;
    for (auto element : array) {
      od::value item;
      if (!good(std::move(element).get(item))) return false;
      if (!read_value(item, items.emplace_back(), depth + 1)) return false;
    }
    out = Value(std::move(items));
    return true;
  }

  bool read_object(od::value& value, Value& out, std::size_t depth) {
    od::object object;
    if (!good(value.get_object().get(object))) return false;
    std::vector<Member> members;
    for (auto field : object) {
      std::string_view key;
      od::value value_of_key;
      if (!good(field.unescaped_key().get(key))) return false;
      if (!good(field.value().get(value_of_key))) return false;
      Member& member = members.emplace_back(std::string(key), Value());
      if (!read_value(value_of_key, member.value, depth + 1)) return false;
    }
    auto made = Object::from(std::move(members), options_.duplicates);
    if (!made) return refuse(std::move(made).error().message);
    out = Value(*std::move(made));
    return true;
  }

  ParseOptions options_;
  Error error_;
};

template <typename T>
std::optional<T> exactly(const Number* number) {
  if (number == nullptr) return {};
  T value{};
  const char* end = number->text.data() + number->text.size();
  const auto [stop, error] = std::from_chars(number->text.data(), end, value);
  if (error != std::errc() || stop != end) return {};
  return value;
}

/// A string alone is read as the only item of an array: On-Demand does not consume a root scalar,
/// so text behind it would go unseen.
Result<Value> lone_string(std::string_view text, const ParseOptions& options) {
  Value list = TRY(
      Reader({.depth_max = 1, .duplicates = options.duplicates}).read(fmt::format("[{}]", text)));
  const Array& items = *list.array();
  if (items.size() == 1) return Value(*items.front().string());
  return fail(ErrorCode::invalid_argument, "not valid JSON: there is text after the document");
}

}  // namespace

std::optional<std::int64_t> Value::integer() const { return exactly<std::int64_t>(number()); }
std::optional<double> Value::real() const { return exactly<double>(number()); }

const Value* Value::find(std::string_view key) const {
  const Object* members = object();
  return members == nullptr ? nullptr : members->find(key);
}

Result<Value> parse(std::string_view text, const ParseOptions& options) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  text = trimmed(text);
  if (text.empty()) return fail(ErrorCode::invalid_argument, "not valid JSON: the text is empty");
  if (text.front() == '[' || text.front() == '{') return Reader(options).read(text);
  if (text.front() == '"') return lone_string(text, options);
  return scalar(text);
}

std::string quoted(std::string_view utf8) {
  std::string text = "\"";
  text.reserve(utf8.size() + 2);
  for (const char letter : utf8) {
    switch (letter) {
      case '"': text += "\\\""; break;
      case '\\': text += "\\\\"; break;
      case '\b': text += "\\b"; break;
      case '\f': text += "\\f"; break;
      case '\n': text += "\\n"; break;
      case '\r': text += "\\r"; break;
      case '\t': text += "\\t"; break;
      default:
        if (static_cast<unsigned char>(letter) < 0x20) {
          text += fmt::format("\\u{:04x}", static_cast<unsigned>(letter));
        } else {
          text += letter;
        }
    }
  }
  text += '"';
  return text;
}

std::string excerpt(std::string_view bytes) {
  const bool is_cut = bytes.size() > excerpt_max;
  // Qualified: argument lookup would find std::quoted for a std::string.
  return json::quoted(utf8::lossy(bytes.substr(0, excerpt_max))) + (is_cut ? "..." : "");
}

}  // namespace zhuzi::json
