// See dequantize.h. The formulas are those of docs/gguf.md's block formats.
#include "model/reference/dequantize.h"

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/check.h"
#include "tensor/element.h"

namespace zhuzi::reference {
namespace {

std::uint8_t byte_at(const std::byte* block, std::size_t i) {
  return std::to_integer<std::uint8_t>(block[i]);
}

int code_at(const std::byte* block, std::size_t i) {
  return static_cast<std::int8_t>(byte_at(block, i));
}

std::uint16_t half_bits(const std::byte* block, std::size_t at) {
  return static_cast<std::uint16_t>(byte_at(block, at) | byte_at(block, at + 1) << 8);
}

/// IEEE 754 binary16, without infinities: no weight is one.
double half_at(const std::byte* block, std::size_t at) {
  const std::uint16_t bits = half_bits(block, at);
  const int exponent = bits >> 10 & 31;
  const double fraction = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

double float_at(const std::byte* block) {
  float value = 0;
  std::memcpy(&value, block, sizeof value);
  return value;
}

double bfloat_at(const std::byte* block) {
  const std::uint32_t bits = std::uint32_t{half_bits(block, 0)} << 16;
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// [d f16][32 int8]: w = d q.
void q8_0(const std::byte* block, double* out) {
  for (std::size_t i = 0; i < 32; ++i) out[i] = half_at(block, 0) * code_at(block, 2 + i);
}

/// [d f16][16 bytes: low nibbles are elements 0..15, high ones 16..31]: w = d (q - 8).
void q4_0(const std::byte* block, double* out) {
  for (std::size_t i = 0; i < 16; ++i) {
    out[i] = half_at(block, 0) * ((byte_at(block, 2 + i) & 15) - 8);
    out[i + 16] = half_at(block, 0) * ((byte_at(block, 2 + i) >> 4) - 8);
  }
}

/// [d f16][m f16][nibbles as above]: w = d q + m.
void q4_1(const std::byte* block, double* out) {
  for (std::size_t i = 0; i < 16; ++i) {
    out[i] = half_at(block, 0) * (byte_at(block, 4 + i) & 15) + half_at(block, 2);
    out[i + 16] = half_at(block, 0) * (byte_at(block, 4 + i) >> 4) + half_at(block, 2);
  }
}

/// [128 bytes: low 4 bits][64 bytes: high 2 bits][16 int8 scales][d f16]: w = d s (q - 32). Element
/// e of a half (128 elements) is quarter e/32, place e%32: its low bits are nibble quarter/2 of
/// byte (quarter%2)*32 + place, its high bits are pair `quarter` of byte place.
void q6_k(const std::byte* block, double* out) {
  for (std::size_t e = 0; e < 256; ++e) {
    const std::size_t half = e / 128;
    const std::size_t quarter = e % 128 / 32;
    const std::size_t place = e % 32;
    const int low = byte_at(block, half * 64 + quarter % 2 * 32 + place) >> (quarter / 2 * 4) & 15;
    const int high = byte_at(block, 128 + half * 32 + place) >> (quarter * 2) & 3;
    const int scale = code_at(block, 192 + e / 16);
    out[e] = half_at(block, 208) * scale * ((low | high << 4) - 32);
  }
}

void dequantize_block(ElementType type, const std::byte* block, double* out) {
  switch (type) {
    case ElementType::f32: *out = float_at(block); return;
    case ElementType::f16: *out = half_at(block, 0); return;
    case ElementType::bf16: *out = bfloat_at(block); return;
    case ElementType::q8_0: q8_0(block, out); return;
    case ElementType::q4_0: q4_0(block, out); return;
    case ElementType::q4_1: q4_1(block, out); return;
    case ElementType::q6_k: q6_k(block, out); return;
    default: check(false, "the reference knows this format");
  }
}

}  // namespace

Matrix dequantize(const MatrixSource& source) {
  const ElementInfo& format = info(source.type);
  Matrix matrix{source.rows, source.columns, std::vector<double>(source.rows * source.columns)};
  for (std::size_t i = 0; i < source.rows; ++i) {
    const std::size_t from = source.order.empty() ? i : source.order[i];
    const std::byte* block = source.data + from * source.row_bytes;
    for (std::size_t k = 0; k < source.columns; k += format.block_elements) {
      dequantize_block(source.type, block, matrix.row(i) + k);
      block += format.block_bytes;
    }
  }
  return matrix;
}

}  // namespace zhuzi::reference
