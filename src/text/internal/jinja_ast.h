// The syntax tree of a template.
//
// Place in the journey: the parser makes it, the checker looks at it once, the evaluator walks it
// for every render.
//
// Invariant: immutable after parse. Nodes belong to the Program and point to each other; an
// expression is at most `height_max` nodes high, so walking one is bounded.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "text/internal/jinja_callable.h"
#include "text/internal/jinja_frame.h"
#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

struct Expression;
struct Statement;

/// Statements of a body, in order.
using Body = std::vector<const Statement*>;

struct Literal {
  Value value = {};
};
struct Variable {
  NameId name{};
};
struct ListNode {
  std::vector<const Expression*> items = {};
};
struct TupleNode {
  std::vector<const Expression*> items = {};
};
struct DictNode {
  std::vector<std::pair<const Expression*, const Expression*>> entries = {};
};
struct AttributeNode {
  const Expression* object = nullptr;
  Value name = {};  ///< A string.
};
struct SubscriptNode {
  const Expression* object = nullptr;
  const Expression* index = nullptr;
};
/// The index of a subscript: `[start:stop:step]`, each may be missing.
struct SliceNode {
  const Expression* start = nullptr;
  const Expression* stop = nullptr;
  const Expression* step = nullptr;
};

struct ArgumentNodes {
  std::vector<const Expression*> positional = {};
  std::vector<std::pair<Value, const Expression*>> named = {};  ///< The names are strings.
  const Expression* more_positional = nullptr;                  ///< `*row`
  const Expression* more_named = nullptr;                       ///< `**dict`
};
struct CallNode {
  const Expression* callee = nullptr;
  ArgumentNodes arguments = {};
};
struct FilterNode {
  const Expression* subject = nullptr;  ///< Missing in {% filter %} and {% set x | f %}.
  std::string name = {};
  const NamedFunction* filter = nullptr;  ///< Missing when there is no such filter.
  ArgumentNodes arguments = {};
};
struct TestNode {
  const Expression* subject = nullptr;
  std::string name = {};
  const NamedFunction* test = nullptr;
  ArgumentNodes arguments = {};
};

enum class Sign : std::uint8_t { positive, negative };
struct SignNode {
  Sign sign = Sign::negative;
  const Expression* operand = nullptr;
};
struct NotNode {
  const Expression* operand = nullptr;
};

enum class Operation : std::uint8_t { add, sub, mul, div, floordiv, mod, pow };
/// Operators of one rank, from left to right: a + b - c.
struct ChainNode {
  const Expression* first = nullptr;
  std::vector<std::pair<Operation, const Expression*>> rest = {};
};
/// a ~ b ~ c
struct ConcatNode {
  std::vector<const Expression*> parts = {};
};
enum class Comparison : std::uint8_t { eq, ne, lt, lteq, gt, gteq, in, not_in };
/// a < b < c
struct CompareNode {
  const Expression* first = nullptr;
  std::vector<std::pair<Comparison, const Expression*>> rest = {};
};
/// a and b and c, or a or b or c: ends at the first value of truth `stop`.
struct LogicNode {
  bool stop = false;
  std::vector<const Expression*> parts = {};
};
struct ConditionNode {
  const Expression* test = nullptr;
  const Expression* then = nullptr;
  const Expression* otherwise = nullptr;  ///< May be missing.
};

struct Expression {
  static constexpr std::uint32_t height_max = 100;
  using Data = std::variant<Literal, Variable, ListNode, TupleNode, DictNode, AttributeNode,
                            SubscriptNode, SliceNode, CallNode, FilterNode, TestNode, SignNode,
                            NotNode, ChainNode, ConcatNode, CompareNode, LogicNode, ConditionNode>;
  Data data;
  std::uint32_t line = 0;
  std::uint32_t height = 1;
};

/// What an assignment writes to: a name, `namespace.field`, or a row of targets.
struct Target;
struct NameTarget {
  NameId name{};
};
struct FieldTarget {
  NameId name{};
  std::string field = {};
};
struct RowTarget {
  std::vector<Target> targets = {};
};
struct Target {
  std::variant<NameTarget, FieldTarget, RowTarget> data;
};

struct DataNode {
  Value text = {};
};
struct PrintNode {
  const Expression* value = nullptr;
};
struct SetNode {
  Target target = {};
  const Expression* value = nullptr;
};
struct SetBlockNode {
  Target target = {};
  const Expression* filter = nullptr;  ///< A chain of filters whose first subject is missing.
  Body body = {};
};
struct IfNode {
  struct Branch {
    const Expression* test = nullptr;
    std::uint32_t line = 0;
    Body body = {};
  };
  std::vector<Branch> branches = {};
  Body otherwise = {};
};
struct ForNode {
  Target target = {};
  const Expression* items = nullptr;
  const Expression* test = nullptr;
  bool is_recursive = false;
  Body body = {};
  Body otherwise = {};
};
struct Parameter {
  NameId name{};
  const Expression* fallback = nullptr;
};
struct MacroNode {
  Value parameter_names = {};  ///< A tuple, as `macro.arguments` shows it.
  std::string name = {};       ///< Empty for the body of a {% call %}.
  NameId target{};
  std::vector<Parameter> parameters = {};
  Body body = {};
  bool takes_caller = false;
  bool takes_varargs = false;
  bool takes_kwargs = false;
};
struct CallBlockNode {
  const Expression* call = nullptr;
  MacroNode caller = {};
};
struct FilterBlockNode {
  const Expression* filter = nullptr;
  Body body = {};
};
struct WithNode {
  std::vector<std::pair<Target, const Expression*>> variables = {};
  Body body = {};
};
struct GenerationNode {
  Body body = {};
};
struct BlockNode {
  std::string name = {};
  bool is_scoped = false;
  Body body = {};
};
struct AutoescapeNode {
  const Expression* value = nullptr;
  Body body = {};
};
struct BreakNode {};
struct ContinueNode {};
/// include, import and extends: there are no other templates to load.
struct LoadNode {};

struct Statement {
  using Data = std::variant<DataNode, PrintNode, SetNode, SetBlockNode, IfNode, ForNode, MacroNode,
                            CallBlockNode, FilterBlockNode, WithNode, GenerationNode, BlockNode,
                            AutoescapeNode, BreakNode, ContinueNode, LoadNode>;
  Data data;
  std::uint32_t line = 0;
};

struct Program {
  std::deque<Expression> expressions;
  std::deque<Statement> statements;
  Body body = {};
  std::vector<std::string> names = {};  ///< By NameId.
  std::unordered_map<std::string, NameId> ids;
  // Names that the language itself sets.
  NameId loop_name = intern("loop");
  NameId caller_name = intern("caller");
  NameId varargs_name = intern("varargs");
  NameId kwargs_name = intern("kwargs");

  NameId intern(std::string_view name);
  [[nodiscard]] const std::string& name_of(NameId id) const {
    return names[static_cast<std::size_t>(id)];
  }
};

}  // namespace zhuzi::jinja
