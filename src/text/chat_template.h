// ChatTemplate: structured messages to one document, through the model's own Jinja template, with
// the origin of every byte.
//
// Place in the journey: messages arrive as JSON; the rendered pieces go to the tokenizer. Text that
// came from a message is never looked at for control tokens. Immutable after parse; any thread.
//
// The language is Jinja2 3.1 as Hugging Face runs it: sandboxed, trim_blocks, lstrip_blocks, no
// autoescape, loop controls, {% generation %}, tojson without HTML escapes, raise_exception,
// strftime_now. A template that cannot be parsed is an error, never silently another template.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace zhuzi {

/// Where a stretch of the document came from.
struct Origin {
  enum class Kind : std::uint8_t {
    template_text,  ///< A literal of the template, or something computed from none of the below.
    context,        ///< A string of the context: `path` says which, as in `messages[1].content`.
  };
  Kind kind = Kind::template_text;
  std::string path;
  friend bool operator==(const Origin&, const Origin&) = default;
};

struct RenderedSpan {
  std::size_t begin = 0;  ///< Bytes of the document.
  std::size_t end = 0;
  Origin origin;
  bool is_generation = false;  ///< Inside {% generation %}.
};

struct RenderedDocument {
  std::string text;
  std::vector<RenderedSpan> spans;  ///< In order, without gaps, covering the text.
};

struct RenderLimits {
  std::size_t steps_max = 10'000'000;
  std::size_t depth_max = 200;
  std::size_t output_bytes_max = std::size_t{64} << 20;
};

/// The clock that `strftime_now` reads: seconds since 1970 as local time shows them. Injected, so
/// that a render is a function of its inputs.
struct TemplateClock {
  std::int64_t local_seconds = 0;
};

struct RenderOptions {
  TemplateClock clock;
  RenderLimits limits;
  /// Top-level keys of the context whose strings count as the template's own text: they come from
  /// the model's file (bos_token, eos_token), not from a client.
  std::vector<std::string> trusted_keys;
};

/// A failure of a template, in Jinja's words.
struct TemplateFault {
  std::string type;      ///< Python's class: TemplateSyntaxError, UndefinedError, TemplateError...
  std::string message;   ///< For raise_exception: exactly the template's own words.
  std::size_t line = 0;  ///< 0 where there is none.
};

class ChatTemplate {
 public:
  [[nodiscard]] static std::expected<ChatTemplate, TemplateFault> parse(std::string_view source);

  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;
  ~ChatTemplate();

  /// `context` is an object: messages, tools, add_generation_prompt, special tokens and what the
  /// caller adds.
  [[nodiscard]] std::expected<RenderedDocument, TemplateFault> render(
      const json::Value& context, const RenderOptions& options) const;

 private:
  struct Program;
  explicit ChatTemplate(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program_;
};

}  // namespace zhuzi
