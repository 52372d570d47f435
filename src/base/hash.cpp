// XXH3 of libxxhash behind our names, see hash.h. Numbers enter in little endian.
#include "base/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"

namespace zhuzi {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as they lie");

Hash128 from_library(XXH128_hash_t hash) { return {.high = hash.high64, .low = hash.low64}; }

}  // namespace

std::string Hash128::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

Hash128 hash128(std::span<const std::byte> bytes) {
  return from_library(XXH3_128bits(bytes.data(), bytes.size()));
}

Hash128 hash128(std::string_view text) { return hash128(std::as_bytes(std::span(text))); }

/// The library's state is aligned for vectors, so the library makes it.
struct HashStream::State {
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> library{XXH3_createState()};
};

HashStream::HashStream() : state_(std::make_unique<State>()) {
  check(state_->library != nullptr, "the hash has memory for its state");
  XXH3_128bits_reset(state_->library.get());
}
HashStream::HashStream(HashStream&&) noexcept = default;
HashStream& HashStream::operator=(HashStream&&) noexcept = default;
HashStream::~HashStream() = default;

void HashStream::add_bytes(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->library.get(), bytes.data(), bytes.size());
}

void HashStream::add(std::uint64_t number) { add_bytes(std::as_bytes(std::span(&number, 1))); }

void HashStream::add(std::string_view text) {
  add(std::uint64_t{text.size()});
  add_bytes(std::as_bytes(std::span(text)));
}

void HashStream::add(const Hash128& hash) {
  add(hash.high);
  add(hash.low);
}

Hash128 HashStream::digest() const {
  return from_library(XXH3_128bits_digest(state_->library.get()));
}

Hash128 hash128_of_pieces(std::span<const std::byte> bytes) {
  HashStream pieces;
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min(bytes.size(), hash_piece_bytes));
    pieces.add(hash128(piece));
    bytes = bytes.subspan(piece.size());
  }
  return pieces.digest();
}

}  // namespace zhuzi
