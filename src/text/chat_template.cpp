// ChatTemplate: see the header. Parsing and evaluating are in internal/jinja_*; here the context is
// given to the program, and the marks of the document become spans.
#include "text/chat_template.h"

#include <utility>

#include "text/internal/jinja_ast.h"
#include "text/internal/jinja_context.h"
#include "text/internal/jinja_evaluator.h"
#include "text/internal/jinja_globals.h"
#include "text/internal/jinja_parser.h"
#include "text/internal/jinja_session.h"

namespace zhuzi {

struct ChatTemplate::Program {
  std::unique_ptr<jinja::Program> tree;
};

namespace {

/// What each name of the program means before the first statement: a member of the context, or a
/// global. Members that the program does not name are not even read.
jinja::Done set_names(jinja::Frame& frame, const jinja::Program& program,
                      const json::Object& context, const RenderOptions& options,
                      jinja::Origins& origins) {
  jinja::ContextReader reader(origins);
  for (std::size_t i = 0; i < program.names.size(); ++i) {
    const std::string& name = program.names[i];
    const auto id = static_cast<jinja::NameId>(i);
    if (const json::Value* value = context.find(name)) {
      frame.set(id, TRY(reader.read_member(name, *value, options.trusted_keys)));
    } else if (auto global = jinja::find_global(name)) {
      frame.set(id, *std::move(global));
    }
  }
  return {};
}

std::vector<RenderedSpan> spans_of(const jinja::Text& document, const jinja::Origins& origins) {
  std::vector<RenderedSpan> spans;
  std::size_t begin = 0;
  document.each_run([&](const jinja::Run& run) {
    const bool is_context = run.mark.origin != jinja::template_origin;
    RenderedSpan span{
        .begin = begin,
        .end = begin + run.length,
        .origin = {.kind = is_context ? Origin::Kind::context : Origin::Kind::template_text,
                   .path = origins.path_of(run.mark.origin)},
        .is_generation = run.mark.is_generation};
    begin = span.end;
    spans.push_back(std::move(span));
  });
  return spans;
}

jinja::Outcome<RenderedDocument> render_program(const jinja::Program& program,
                                                const json::Value& context,
                                                const RenderOptions& options) {
  if (context.object() == nullptr) {
    return jinja::raise(jinja::python::type_error, "the context of a template is an object");
  }
  jinja::Session session(options.limits, options.clock);
  jinja::Origins origins;
  jinja::Frame* names = session.frames().open(nullptr);
  TRY(set_names(*names, program, *context.object(), options, origins));
  const jinja::Text document = TRY(jinja::Evaluator(program, session, names).run());
  return RenderedDocument{.text = std::string(document.bytes()),
                          .spans = spans_of(document, origins)};
}

}  // namespace

ChatTemplate::ChatTemplate(std::unique_ptr<Program> program) : program_(std::move(program)) {}
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

std::expected<ChatTemplate, TemplateFault> ChatTemplate::parse(std::string_view source) {
  auto tree = jinja::parse_template(source);
  if (!tree) return std::unexpected(std::move(*tree.error()));
  return ChatTemplate(std::make_unique<Program>(Program{.tree = std::move(*tree)}));
}

std::expected<RenderedDocument, TemplateFault> ChatTemplate::render(
    const json::Value& context, const RenderOptions& options) const {
  auto document = render_program(*program_->tree, context, options);
  if (!document) return std::unexpected(std::move(*document.error()));
  return *std::move(document);
}

}  // namespace zhuzi
