// Strong ids: a token is no block, a block no layer. A count is never an index.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zhuzi {

/// An entry of the vocabulary. Never negative once it is inside the engine.
enum class TokenId : std::int32_t {};
/// A block of the KV cache: 16 positions of one sequence, all layers.
enum class BlockId : std::uint32_t {};
/// A request, unique in the life of an engine, ascending in order of arrival.
enum class RequestId : std::uint64_t {};

constexpr std::size_t index(TokenId id) { return static_cast<std::size_t>(id); }
constexpr std::size_t index(BlockId id) { return static_cast<std::size_t>(id); }
constexpr std::uint64_t value(RequestId id) { return static_cast<std::uint64_t>(id); }

}  // namespace zhuzi
