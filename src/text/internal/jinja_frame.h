// Frame: the variables of one scope, and the two values that change: namespaces and loops.
//
// Place in the journey: the evaluator opens a frame for each round of a loop, each macro call and
// each {% with %}; a name is looked up outwards along the parents.
//
// Invariant: frames, namespaces and loops belong to the FrameStore and live until the render ends,
// unless nothing can have kept them. So a macro may hold its frame and a namespace may hold itself,
// without a cycle of owners.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

struct ForNode;

enum class NameId : std::uint32_t {};

/// Variables that a search passes in one step.
inline constexpr std::size_t variables_per_step = 8;

struct Frame {
  Frame* parent = nullptr;
  std::vector<std::pair<NameId, Value>> variables = {};
  bool is_captured = false;  ///< A macro holds it, or one of the frames inside it.

  /// The steps that a search costs.
  [[nodiscard]] std::size_t cost() const { return variables.size() / variables_per_step; }
  [[nodiscard]] const Value* find(NameId name) const {
    for (const auto& [key, value] : variables) {
      if (key == name) return &value;
    }
    return nullptr;
  }
  void set(NameId name, Value value) {
    for (auto& [key, old] : variables) {
      if (key == name) {
        old = std::move(value);
        return;
      }
    }
    variables.emplace_back(name, std::move(value));
  }
};

struct Namespace {
  std::vector<std::pair<Text, Value>> fields;

  [[nodiscard]] std::size_t cost() const { return fields.size() / variables_per_step; }
  [[nodiscard]] const Value* find(std::string_view name) const {
    for (const auto& [key, value] : fields) {
      if (key.bytes() == name) return &value;
    }
    return nullptr;
  }
  void set(Text name, Value value) {
    for (auto& [key, old] : fields) {
      if (key.bytes() == name.bytes()) {
        old = std::move(value);
        return;
      }
    }
    fields.emplace_back(std::move(name), std::move(value));
  }
};

struct Loop {
  std::vector<Value> items;  ///< Given back when the loop has ended.
  std::size_t count = 0;
  std::size_t index = 0;  ///< Of the round that is running.
  std::size_t depth = 0;
  const ForNode* recursive = nullptr;  ///< What loop(...) runs again.
  Frame* outer = nullptr;
  std::vector<Value> last_changed;  ///< What loop.changed(...) saw last.
  bool has_changed = false;
};

class FrameStore {
 public:
  [[nodiscard]] Frame* open(Frame* parent);
  /// The frame may be used again, unless it is captured.
  void close(Frame* frame);
  /// The frame and all around it stay until the end.
  static void capture(Frame* frame);

  [[nodiscard]] Namespace* make_namespace() { return &namespaces_.emplace_back(); }
  [[nodiscard]] Loop* make_loop() { return &loops_.emplace_back(); }

 private:
  std::deque<Frame> frames_;
  std::vector<Frame*> free_;
  std::deque<Namespace> namespaces_;
  std::deque<Loop> loops_;
};

}  // namespace zhuzi::jinja
