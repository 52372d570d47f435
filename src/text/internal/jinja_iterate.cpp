// Walking through values: see the header.
#include "text/internal/jinja_iterate.h"

#include <utility>

#include "text/internal/jinja_undefined.h"

namespace zhuzi::jinja {

bool is_iterable(const Value& value) {
  return value.is_undefined() || value.string() != nullptr || value.sequence() != nullptr ||
         value.dict() != nullptr || value.range() != nullptr || value.generator() != nullptr ||
         value.loop() != nullptr;
}

Outcome<std::vector<Value>> items_of(Session& session, const Value& value) {
  std::vector<Value> items;
  if (value.is_undefined()) return items;
  if (const Text* text = value.string()) {
    TRY(session.spend(text->size()));
    for (CharacterReader reader(*text); !reader.at_end();) {
      const Character character = reader.next();
      Text one(std::string(character.bytes), character.mark);
      items.emplace_back(std::move(one).as_markup(text->is_markup()));
    }
    return items;
  }
  if (const Sequence* row = value.sequence()) {
    TRY(session.spend(row->items.size()));
    return row->items;
  }
  if (const Dict* dict = value.dict()) {
    TRY(session.spend(dict->entries().size()));
    for (const Dict::Entry& entry : dict->entries()) items.push_back(entry.key);
    return items;
  }
  if (const Range* range = value.range()) {
    TRY(session.spend(range->size()));
    for (std::size_t i = 0; i < range->size(); ++i) {
      items.emplace_back(range->at(i), value.origin());
    }
    return items;
  }
  if (Generator* generator = value.generator()) {
    while (auto item = TRY(next_of(session, *generator))) items.push_back(*std::move(item));
    return items;
  }
  if (value.loop() != nullptr) {
    return raise(python::type_error, "a loop cannot be walked through by itself");
  }
  return raise(python::type_error, "'{}' object is not iterable", value.type_name());
}

Outcome<std::optional<Value>> next_of(Session& session, Generator& generator) {
  TRY(session.spend(1));
  if (generator.produce) {
    // Emptied first: what it holds is not needed again, and it cannot run inside itself.
    const auto produce = std::exchange(generator.produce, nullptr);
    generator.items = TRY(produce(session));
  }
  if (generator.next == generator.items.size()) return std::nullopt;
  return std::move(generator.items[generator.next++]);
}

Outcome<std::size_t> length_of(Session& session, const Value& value) {
  if (value.is_undefined()) return 0;
  if (const Text* text = value.string()) {
    TRY(session.spend_bytes(text->size()));
    return count_characters(text->bytes());
  }
  if (const Sequence* row = value.sequence()) return row->items.size();
  if (const Dict* dict = value.dict()) return dict->entries().size();
  if (const Range* range = value.range()) return range->size();
  if (const Loop* loop = value.loop()) return loop->count;
  return raise(python::type_error, "object of type '{}' has no len()", value.type_name());
}

Outcome<Value> view_of(Session& session, Sequence::Kind kind, const Value& dict) {
  std::vector<Value> items;
  TRY(session.spend(dict.dict()->entries().size()));
  for (const Dict::Entry& entry : dict.dict()->entries()) {
    if (kind == Sequence::Kind::items) {
      items.push_back(TRY(make_tuple({entry.key, entry.value}, dict.origin())));
    } else {
      items.push_back(kind == Sequence::Kind::keys ? entry.key : entry.value);
    }
  }
  return make_sequence(kind, std::move(items), dict.origin());
}

}  // namespace zhuzi::jinja
