// The byte-level alphabet: one printable character for each of the 256 bytes (GPT-2, encoder.py).
//
// Printable Latin-1 stands for itself; the other 68 bytes, in order, are U+0100 and up, so a space
// is U+0120 and a line feed is U+010A. Vocabularies and merges are spelled in it.
#pragma once

#include <string>
#include <string_view>

namespace zhuzi::internal {

/// Appends the bytes that `spelling` stands for. A spelling with a character that is not in the
/// alphabet stands for itself.
void append_bytes_of_spelling(std::string_view spelling, std::string& bytes);

/// Appends how the alphabet spells `bytes`.
void append_spelling_of_bytes(std::string_view bytes, std::string& spelling);

}  // namespace zhuzi::internal
