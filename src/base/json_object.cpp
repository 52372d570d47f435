// json::Object: members in document order, found by key.
//
// Keys come from strangers, so the hash is SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast
// short-input PRF") with a key drawn once per process; the order of members never depends on it.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <random>
#include <utility>

#include "base/check.h"
#include "base/json.h"

namespace zhuzi::json {
namespace {

std::uint64_t random_word() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

struct SipState {
  std::uint64_t a, b, c, d;

  void round() {
    a += b, b = std::rotl(b, 13) ^ a, a = std::rotl(a, 32);
    c += d, d = std::rotl(d, 16) ^ c;
    a += d, d = std::rotl(d, 21) ^ a;
    c += b, b = std::rotl(b, 17) ^ c, c = std::rotl(c, 32);
  }
  void absorb(std::uint64_t word) { d ^= word, round(), a ^= word; }
};

std::uint64_t hash_of(std::string_view text) {
  static const std::array<std::uint64_t, 2> key{random_word(), random_word()};
  SipState state{.a = key[0] ^ 0x736f6d6570736575,
                 .b = key[1] ^ 0x646f72616e646f6d,
                 .c = key[0] ^ 0x6c7967656e657261,
                 .d = key[1] ^ 0x7465646279746573};
  std::uint64_t last = std::uint64_t{text.size()} << 56;
  for (; text.size() >= sizeof(last); text.remove_prefix(sizeof(last))) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), sizeof(word));
    state.absorb(word);
  }
  std::uint64_t rest = 0;
  std::copy(text.begin(), text.end(), reinterpret_cast<char*>(&rest));
  state.absorb(last | rest);
  state.c ^= 0xff;
  for (int i = 0; i < 3; ++i) state.round();
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace

Object::Object() = default;
Object::Object(Object&&) noexcept = default;
Object& Object::operator=(Object&&) noexcept = default;
Object::~Object() = default;

// Works in place: a second array for 200,000 members would cost more than the hashing.
Result<Object> Object::from(std::vector<Member> members, Duplicates rule) {
  check(members.size() < std::numeric_limits<std::uint32_t>::max(), "positions fit the table");
  Object object;
  if (members.size() > scan_max) {
    object.mask_ = 2 * std::bit_ceil(members.size()) - 1;
    object.table_ = std::make_unique<std::uint32_t[]>(object.mask_ + 1);
  }
  object.members_ = std::move(members);
  std::size_t kept = 0;
  for (Member& member : object.members_) {
    Member* same =
        object.table_ == nullptr ? object.scan(member.key, kept) : object.claim(member.key, kept);
    if (same == nullptr) {
      if (&object.members_[kept] != &member) object.members_[kept] = std::move(member);
      ++kept;
    } else if (rule == Duplicates::refuse) {
      return fail(ErrorCode::invalid_argument, "the key {} appears twice", excerpt(same->key));
    } else {
      same->value = std::move(member.value);
    }
  }
  object.members_.erase(object.members_.begin() + static_cast<std::ptrdiff_t>(kept),
                        object.members_.end());
  return object;
}

/// The member with this key among the first `count`.
Member* Object::scan(std::string_view key, std::size_t count) {
  const auto end = members_.begin() + static_cast<std::ptrdiff_t>(count);
  const auto found = std::ranges::find(members_.begin(), end, key, &Member::key);
  return found == end ? nullptr : &*found;
}

/// The member with this key, or nullptr: then its place in the table is taken for `position`.
Member* Object::claim(std::string_view key, std::size_t position) {
  std::size_t slot = hash_of(key) & mask_;
  for (; table_[slot] != 0; slot = (slot + 1) & mask_) {
    Member& member = members_[table_[slot] - 1];
    if (member.key == key) return &member;
  }
  table_[slot] = static_cast<std::uint32_t>(position + 1);
  return nullptr;
}

const Value* Object::find(std::string_view key) const {
  if (table_ == nullptr) {
    const auto found = std::ranges::find(members_, key, &Member::key);
    return found == members_.end() ? nullptr : &found->value;
  }
  for (std::size_t slot = hash_of(key) & mask_; table_[slot] != 0; slot = (slot + 1) & mask_) {
    const Member& member = members_[table_[slot] - 1];
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::span<const Member> Object::members() const { return members_; }

}  // namespace zhuzi::json
