// Fast hashes (XXH3) of bytes: fingerprints of weights, tokenizers and templates, keys of blocks.
//
// Invariant: the same bytes give the same hash on every machine and in every version, so receipts
// can be compared (NUMERICS, rule 12). No secret: who wants two inputs with one hash can make them.
// Tables over keys from strangers use a keyed hash instead (json_object.cpp).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace zhuzi {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Hash128&, const Hash128&) = default;

  /// 32 hexadecimal digits, high half first, as XXH3's canonical form.
  [[nodiscard]] std::string hex() const;
};

[[nodiscard]] std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed = 0);
[[nodiscard]] Hash128 hash128(std::span<const std::byte> bytes);
[[nodiscard]] Hash128 hash128(std::string_view text);

/// The hash of what is added, as if it had been one piece: how it is cut does not matter. Numbers
/// and strings are added with their length or in a fixed width, so that `ab` `c` is not `a` `bc`.
class HashStream {
 public:
  HashStream();
  HashStream(HashStream&& other) noexcept;
  HashStream& operator=(HashStream&& other) noexcept;
  ~HashStream();

  void add_bytes(std::span<const std::byte> bytes);
  void add(std::uint64_t number);
  void add(std::string_view text);
  void add(const Hash128& hash);
  [[nodiscard]] Hash128 digest() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The hash of a tensor's bytes for the receipt: each piece of `hash_piece_bytes` (the last may be
/// shorter) is hashed alone, on whatever thread reads it, then the list of their hashes.
inline constexpr std::size_t hash_piece_bytes = std::size_t{1} << 20;
[[nodiscard]] Hash128 hash128_of_pieces(std::span<const std::byte> bytes);

}  // namespace zhuzi
