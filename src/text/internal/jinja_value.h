// Value: what an expression of a template can be.
//
// Place in the journey: the context's JSON becomes Values, expressions make new ones, printing ends
// in Text. Values are immutable and shared by pointer inside one render (literals: by all renders
// of a program); only namespaces and loops change, and those live in the render (jinja_frame.h).
//
// Invariant: a value is a tree that ends at depth_max, since whatever holds values is made by
// `make` functions that check it. So every recursive walk over a value is bounded, its destructor
// too. `Extent::weight` is what such a walk costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "text/internal/jinja_fault.h"
#include "text/internal/jinja_text.h"

namespace zhuzi::jinja {

class Value;
class Dict;
class Session;
struct Sequence;
struct Range;
struct Generator;
struct Callable;
struct Namespace;
struct Loop;
struct Cycler;
struct Joiner;

/// How deep a value is and how many nodes it has, counted with repetition; both saturate.
struct Extent {
  static constexpr std::uint32_t depth_max = 600;
  std::uint32_t depth = 1;
  std::uint64_t weight = 1;
};

struct None {};
struct Undefined {
  std::string message;
  bool is_unsafe = false;  ///< A SecurityError instead of an UndefinedError.
};
/// An integer of the context that has more than 64 bits: it can be printed and compared.
struct BigInteger {
  std::string digits;
};
/// Something that can only be printed, such as bytes.
struct Opaque {
  std::string_view type_name;
  Text text;
};

class Value {
 public:
  using Data = std::variant<None, bool, std::int64_t, double, std::shared_ptr<const Text>,
                            std::shared_ptr<const Sequence>, std::shared_ptr<const Dict>,
                            std::shared_ptr<const Undefined>, std::shared_ptr<const BigInteger>,
                            std::shared_ptr<const Range>, std::shared_ptr<const Callable>,
                            std::shared_ptr<const Opaque>, std::shared_ptr<Generator>,
                            std::shared_ptr<Cycler>, std::shared_ptr<Joiner>, Namespace*, Loop*>;

  Value() = default;
  template <typename T>
  explicit Value(T data, OriginId origin = template_origin)
      : data_(std::move(data)), origin_(origin) {}
  explicit Value(Text text) : data_(std::make_shared<const Text>(std::move(text))) {}
  /// A string of the template.
  explicit Value(std::string text) : Value(Text(std::move(text))) {}
  explicit Value(const char*) = delete;

  [[nodiscard]] const Data& data() const { return data_; }
  [[nodiscard]] bool is_none() const { return std::holds_alternative<None>(data_); }
  [[nodiscard]] bool is_undefined() const {
    return std::holds_alternative<std::shared_ptr<const Undefined>>(data_);
  }
  [[nodiscard]] const bool* boolean() const { return std::get_if<bool>(&data_); }
  [[nodiscard]] const double* real() const { return std::get_if<double>(&data_); }
  [[nodiscard]] const Text* string() const { return shared<const Text>(); }
  [[nodiscard]] const Sequence* sequence() const { return shared<const Sequence>(); }
  [[nodiscard]] const Dict* dict() const { return shared<const Dict>(); }
  [[nodiscard]] const Undefined* undefined() const { return shared<const Undefined>(); }
  [[nodiscard]] const BigInteger* big_integer() const { return shared<const BigInteger>(); }
  [[nodiscard]] const Range* range() const { return shared<const Range>(); }
  [[nodiscard]] const Callable* callable() const { return shared<const Callable>(); }
  [[nodiscard]] const Opaque* opaque() const { return shared<const Opaque>(); }
  [[nodiscard]] Generator* generator() const { return shared<Generator>(); }
  [[nodiscard]] Cycler* cycler() const { return shared<Cycler>(); }
  [[nodiscard]] Joiner* joiner() const { return shared<Joiner>(); }
  [[nodiscard]] Namespace* name_space() const { return raw<Namespace>(); }
  [[nodiscard]] Loop* loop() const { return raw<Loop>(); }

  /// Of an int or a bool, which is an int in Python.
  [[nodiscard]] std::optional<std::int64_t> integer() const;
  /// Of an int, a bool or a float.
  [[nodiscard]] std::optional<double> number() const;

  [[nodiscard]] OriginId origin() const;
  [[nodiscard]] Extent extent() const;
  /// Python's name of the type, as in error messages: str, int, NoneType...
  [[nodiscard]] std::string_view type_name() const;

 private:
  template <typename T>
  [[nodiscard]] T* shared() const {
    const auto* pointer = std::get_if<std::shared_ptr<T>>(&data_);
    return pointer != nullptr ? pointer->get() : nullptr;
  }
  template <typename T>
  [[nodiscard]] T* raw() const {
    T* const* pointer = std::get_if<T*>(&data_);
    return pointer != nullptr ? *pointer : nullptr;
  }

  Data data_;
  OriginId origin_ = template_origin;  ///< A string has its own marks instead.
};

/// Everything that is a row of values: one type, since almost all operations treat them alike.
struct Sequence {
  enum class Kind : std::uint8_t { list, tuple, group, items, keys, values };
  Kind kind = Kind::list;
  std::vector<Value> items = {};
  Extent extent = {};

  [[nodiscard]] bool is_list() const { return kind == Kind::list; }
  [[nodiscard]] bool is_tuple() const { return kind == Kind::tuple || kind == Kind::group; }
  /// What a dict gives as items(), keys(), values().
  [[nodiscard]] bool is_view() const { return !is_list() && !is_tuple(); }
};

/// A mapping in insertion order. Up to `scan_max` keys are compared one after another; above, a
/// sorted list of positions is kept, which no choice of keys can make slow.
class Dict {
 public:
  static constexpr std::size_t scan_max = 16;
  struct Entry {
    Value key;
    Value value;
  };

  /// The later value takes the place of the earlier. Keys are hashable (see `check_key`).
  explicit Dict(std::vector<Entry> entries);

  [[nodiscard]] std::span<const Entry> entries() const { return entries_; }
  [[nodiscard]] const Value* find(const Value& key) const;
  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] Extent extent() const { return extent_; }

 private:
  void index();
  void merge_equal_keys();

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> sorted_;  ///< Positions by key; empty below scan_max.
  Extent extent_;
};

/// Wide enough for the distance of two 64-bit integers.
__extension__ using Wide = __int128;

struct Range {
  std::int64_t start = 0;
  std::int64_t stop = 0;
  std::int64_t step = 1;
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::int64_t at(std::size_t index) const {
    return start + static_cast<std::int64_t>(index) * step;
  }
};

/// The result of map, select and the like: its items are made when the first one is asked for, and
/// it can be walked through once.
struct Generator {
  std::function<Outcome<std::vector<Value>>(Session&)> produce = {};  ///< Empty when it has run.
  std::vector<Value> items = {};
  std::size_t next = 0;
  Extent extent = {};
};

struct Cycler {
  std::vector<Value> items = {};
  std::size_t position = 0;
  Extent extent = {};
};

struct Joiner {
  Value separator;
  bool is_used = false;
};

/// Error: RecursionError when the value would be too deep.
[[nodiscard]] Outcome<Value> make_sequence(Sequence::Kind kind, std::vector<Value> items,
                                           OriginId origin = template_origin);
[[nodiscard]] Outcome<Value> make_list(std::vector<Value> items, OriginId origin = template_origin);
[[nodiscard]] Outcome<Value> make_tuple(std::vector<Value> items,
                                        OriginId origin = template_origin);
/// Error: also TypeError for a key that is a list or a dict.
[[nodiscard]] Outcome<Value> make_dict(std::vector<Dict::Entry> entries,
                                       OriginId origin = template_origin);
/// `around` is the extent of all that `produce` holds.
[[nodiscard]] Outcome<Value> make_generator(
    Extent around, std::function<Outcome<std::vector<Value>>(Session&)> produce);
[[nodiscard]] Value make_undefined(std::string message);

/// Whether the value may be a key. Error: TypeError.
[[nodiscard]] Done check_key(const Value& key);

/// The extent of something that holds `items`.
[[nodiscard]] Extent extent_around(std::span<const Value> items);

}  // namespace zhuzi::jinja
