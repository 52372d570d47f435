// The evaluator: a Program, a context and the limits to one document.
//
// Place in the journey: made and used up by one render. Statements are in jinja_statements.cpp,
// expressions in jinja_evaluator.cpp, calls in jinja_call.cpp.
//
// Invariant: `frame_` is the innermost scope, `output_` what is being written; both are what they
// were when a statement or expression is left. Every node costs a step, and nodes inside each other
// are counted, so neither time nor stack depends on the template.
#pragma once

#include <cstddef>
#include <cstdint>

#include "text/internal/jinja_ast.h"
#include "text/internal/jinja_callable.h"
#include "text/internal/jinja_frame.h"
#include "text/internal/jinja_session.h"
#include "text/internal/jinja_text.h"

namespace zhuzi::jinja {

class Evaluator {
 public:
  /// `context` holds what the names of the program mean before any statement ran.
  Evaluator(const Program& program, Session& session, Frame* context)
      : program_(program),
        session_(session),
        root_(session.frames().open(context)),
        frame_(root_) {}

  [[nodiscard]] Outcome<Text> run();

 private:
  /// What a statement asks the loop around it to do.
  enum class Flow : std::uint8_t { go_on, break_loop, continue_loop };
  using Step = Outcome<Flow>;

  /// Nodes inside each other for each call that depth_max allows.
  static constexpr std::size_t nodes_per_call = 10;
  /// What remains until the render ends costs this many steps.
  static constexpr std::uint64_t steps_of_object = 16;

  /// A new innermost scope, for as long as it lives.
  class Scope;
  /// Counts one more node inside the others.
  class Nesting;

  // Statements.
  [[nodiscard]] Step execute(const Body& body);
  [[nodiscard]] Step execute(const Statement& statement);
  [[nodiscard]] Step run_node(const DataNode& node);
  [[nodiscard]] Step run_node(const PrintNode& node);
  [[nodiscard]] Step run_node(const SetNode& node);
  [[nodiscard]] Step run_node(const SetBlockNode& node);
  [[nodiscard]] Step run_node(const IfNode& node);
  [[nodiscard]] Step run_node(const ForNode& node);
  [[nodiscard]] Step run_node(const MacroNode& node);
  [[nodiscard]] Step run_node(const CallBlockNode& node);
  [[nodiscard]] Step run_node(const FilterBlockNode& node);
  [[nodiscard]] Step run_node(const WithNode& node);
  [[nodiscard]] Step run_node(const GenerationNode& node);
  [[nodiscard]] Step run_node(const BlockNode& node);
  [[nodiscard]] Step run_node(const AutoescapeNode& node);
  [[nodiscard]] Step run_node(const BreakNode& node);
  [[nodiscard]] Step run_node(const ContinueNode& node);
  [[nodiscard]] Step run_node(const LoadNode& node);
  struct LoopPlace {
    Frame* outer = nullptr;
    std::size_t depth = 0;
  };
  [[nodiscard]] Step run_loop(const ForNode& node, const Value& items, LoopPlace place);
  [[nodiscard]] Outcome<std::vector<Value>> loop_items(const ForNode& node, const Value& items);
  [[nodiscard]] Done assign(const Target& target, const Value& value);
  [[nodiscard]] Done assign_row(const RowTarget& target, const Value& value);
  [[nodiscard]] Done assign_field(const FieldTarget& target, const Value& value);
  [[nodiscard]] Done print(const Value& value);
  [[nodiscard]] Done emit(const Text& text);
  /// What the body writes, and how it ended.
  struct Captured {
    Text text;
    Flow flow = Flow::go_on;
  };
  [[nodiscard]] Outcome<Captured> capture(const Body& body);
  [[nodiscard]] Outcome<Value> apply_chain(const Expression& chain, const Value& subject);

  // Expressions.
  [[nodiscard]] Outcome<Value> evaluate(const Expression& expression);
  [[nodiscard]] Outcome<Value> value_of(const Literal& node);
  [[nodiscard]] Outcome<Value> value_of(const Variable& node);
  [[nodiscard]] Outcome<Value> value_of(const ListNode& node);
  [[nodiscard]] Outcome<Value> value_of(const TupleNode& node);
  [[nodiscard]] Outcome<Value> value_of(const DictNode& node);
  [[nodiscard]] Outcome<Value> value_of(const AttributeNode& node);
  [[nodiscard]] Outcome<Value> value_of(const SubscriptNode& node);
  [[nodiscard]] Outcome<Value> value_of(const SliceNode& node);
  [[nodiscard]] Outcome<Value> value_of(const CallNode& node);
  [[nodiscard]] Outcome<Value> value_of(const FilterNode& node);
  [[nodiscard]] Outcome<Value> value_of(const TestNode& node);
  [[nodiscard]] Outcome<Value> value_of(const SignNode& node);
  [[nodiscard]] Outcome<Value> value_of(const NotNode& node);
  [[nodiscard]] Outcome<Value> value_of(const ChainNode& node);
  [[nodiscard]] Outcome<Value> value_of(const ConcatNode& node);
  [[nodiscard]] Outcome<Value> value_of(const CompareNode& node);
  [[nodiscard]] Outcome<Value> value_of(const LogicNode& node);
  [[nodiscard]] Outcome<Value> value_of(const ConditionNode& node);
  [[nodiscard]] Outcome<Value> slice_of(const Value& object, const SliceNode& node);
  [[nodiscard]] Outcome<std::vector<Value>> values_of(
      const std::vector<const Expression*>& expressions);
  [[nodiscard]] Outcome<bool> compare(Comparison comparison, const Value& a, const Value& b);
  [[nodiscard]] Outcome<Value> apply_filter(const FilterNode& node, const Value& subject);
  [[nodiscard]] Outcome<Value> lookup(NameId name);

  // Calls.
  [[nodiscard]] Outcome<Arguments> arguments_of(const ArgumentNodes& nodes);
  [[nodiscard]] Outcome<Value> call(const Value& callee, Arguments arguments);
  [[nodiscard]] Outcome<Value> call_macro(const Macro& macro, Arguments arguments);
  [[nodiscard]] Done bind_parameters(const MacroNode& node, Arguments& arguments);
  [[nodiscard]] Done bind_caller(const MacroNode& node, Arguments& arguments);
  [[nodiscard]] Done bind_rest(const MacroNode& node, const Arguments& arguments);
  [[nodiscard]] Outcome<Value> call_loop(const Loop& loop, const Arguments& arguments);
  [[nodiscard]] Outcome<Value> make_macro(const MacroNode& node);

  const Program& program_;
  Session& session_;
  Frame* root_;
  Frame* frame_;
  TextBuilder document_;
  TextBuilder* output_ = &document_;
  std::size_t node_depth_ = 0;
  std::size_t call_depth_ = 0;
};

class Evaluator::Scope {
 public:
  Scope(Evaluator& evaluator, Frame* parent)
      : evaluator_(evaluator),
        outer_(evaluator.frame_),
        frame_(evaluator.session_.frames().open(parent)) {
    evaluator_.frame_ = frame_;
  }
  explicit Scope(Evaluator& evaluator) : Scope(evaluator, evaluator.frame_) {}
  ~Scope() {
    evaluator_.frame_ = outer_;
    evaluator_.session_.frames().close(frame_);
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Evaluator& evaluator_;
  Frame* outer_;
  Frame* frame_;
};

class Evaluator::Nesting {
 public:
  explicit Nesting(std::size_t& depth) : depth_(depth) { ++depth_; }
  ~Nesting() { --depth_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  std::size_t& depth_;
};

}  // namespace zhuzi::jinja
