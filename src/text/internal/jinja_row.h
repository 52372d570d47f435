// What filters on rows share: the attribute of an item, keys without regard to case, sorting.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "text/internal/jinja_session.h"
#include "text/internal/jinja_value.h"

namespace zhuzi::jinja {

/// `attribute='a.0.b'`: steps into an item, each a name or an index.
class AttributePath {
 public:
  /// Of an argument: a string with dots, an integer, or none for the item itself.
  [[nodiscard]] static Outcome<AttributePath> from(const Value* attribute);
  /// Of 'a,b.c': one path for each part.
  [[nodiscard]] static Outcome<std::vector<AttributePath>> list_from(const Value* attribute);

  /// `fallback` takes the place of an undefined step.
  [[nodiscard]] Outcome<Value> of(Session& session, const Value& item,
                                  const Value* fallback = nullptr) const;

 private:
  void add_steps(std::string_view text);
  std::vector<Value> steps_;
};

/// A string in lower case, unless case counts; anything else as it is.
[[nodiscard]] Value case_key(const Value& value, bool is_case_sensitive);

/// An item with what it is sorted by.
struct Keyed {
  std::vector<Value> keys;
  Value item;
};
struct SortRules {
  bool is_reverse = false;
  /// Keys that are equal need no order, as when rows are compared; a key alone always needs one.
  bool as_rows = false;
};
/// Stable; compares the keys one after another. Error: TypeError.
[[nodiscard]] Done sort_by_keys(Session& session, std::vector<Keyed>& rows, SortRules rules);

}  // namespace zhuzi::jinja
