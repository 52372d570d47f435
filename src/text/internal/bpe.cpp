#include "text/internal/bpe.h"

#include <optional>

#include "base/json.h"
#include "text/internal/byte_level.h"

namespace zhuzi::internal {
namespace {

struct Parts {
  TokenId left{};
  TokenId right{};
};

/// The two entries that a merge names. A part may hold spaces itself, so every space is tried.
std::optional<Parts> parts_of(const Vocabulary& vocabulary, std::string_view merge) {
  for (std::size_t space = merge.find(' ', 1); space < merge.size();
       space = merge.find(' ', space + 1)) {
    const auto left = vocabulary.find(merge.substr(0, space));
    if (!left) continue;
    const auto right = vocabulary.find(merge.substr(space + 1));
    if (right) return Parts{.left = *left, .right = *right};
  }
  return std::nullopt;
}

/// Finds the results of merges. Trained vocabularies hold them in the order of the merges, so the
/// entry after the last result is looked at first.
class ResultFinder {
 public:
  explicit ResultFinder(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {}

  std::optional<TokenId> find(const Parts& parts) {
    const std::string_view left = vocabulary_.spelling(parts.left);
    const std::string_view right = vocabulary_.spelling(parts.right);
    joined_.assign(left).append(right);
    std::optional<TokenId> result;
    if (next_ < vocabulary_.size() && vocabulary_.spelling(TokenId(next_)) == joined_) {
      result = TokenId(next_);
    } else {
      result = vocabulary_.find(joined_);
    }
    if (result) next_ = index(*result) + 1;
    return result;
  }

 private:
  const Vocabulary& vocabulary_;
  std::string joined_;
  std::size_t next_ = 0;
};

/// Merges that lead to what plain text may not give, or whose bytes do not add up, never apply.
bool applies(const Vocabulary& vocabulary, const MergeTable::Merge& merge) {
  const auto size = [&](TokenId id) { return vocabulary.bytes(id).size(); };
  return vocabulary.is_text(merge.result) &&
         size(merge.result) == size(merge.left) + size(merge.right);
}

Result<std::vector<MergeTable::Merge>> read_merges(const Vocabulary& vocabulary,
                                                   std::span<const std::string_view> merges) {
  std::vector<MergeTable::Merge> read;
  read.reserve(merges.size());
  ResultFinder finder(vocabulary);
  for (std::size_t i = 0; i < merges.size(); ++i) {
    const auto parts = parts_of(vocabulary, merges[i]);
    if (!parts) {
      return fail(ErrorCode::corrupt_file, "Merge {}, {}, is not two entries of the vocabulary.", i,
                  json::excerpt(merges[i]));
    }
    const auto result = finder.find(*parts);
    if (!result) {
      return fail(ErrorCode::corrupt_file, "Merge {}, {}, makes no entry of the vocabulary.", i,
                  json::excerpt(merges[i]));
    }
    const MergeTable::Merge merge{.left = parts->left, .right = parts->right, .result = *result};
    if (applies(vocabulary, merge)) read.push_back(merge);
  }
  return read;
}

}  // namespace

Result<ByteLevelBpe> ByteLevelBpe::make(const Vocabulary& vocabulary,
                                        std::span<const std::string_view> merges,
                                        const Splitter& splitter) {
  ByteLevelBpe bpe;
  bpe.splitter_ = splitter;
  bpe.byte_ids_.fill(no_id);
  for (std::size_t byte = 0; byte < bpe.byte_ids_.size(); ++byte) {
    const char text[] = {static_cast<char>(byte)};
    std::string spelling;
    append_spelling_of_bytes({text, 1}, spelling);
    const auto id = vocabulary.find(spelling);
    if (id && vocabulary.is_text(*id) && vocabulary.bytes(*id).size() == 1) {
      bpe.byte_ids_[byte] = *id;
    }
  }
  const auto read = TRY(read_merges(vocabulary, merges));
  bpe.merges_ = TRY(MergeTable::make(read));
  bpe.merges_hash_ = hash128(std::as_bytes(std::span(read)));
  return bpe;
}

void ByteLevelBpe::add_to(HashStream& hash) const {
  hash.add(splitter_.name);
  hash.add(merges_hash_);
}

void ByteLevelBpe::encode(const Vocabulary& vocabulary, std::string_view segment, Scratch& scratch,
                          std::vector<TokenId>& ids) const {
  for (std::size_t begin = 0; begin < segment.size();) {
    const std::size_t end = splitter_.word_end(segment, begin);
    const std::string_view text = segment.substr(begin, end - begin);
    begin = end;
    if (splitter_.ignore_merges) {
      scratch.spelling_.clear();
      append_spelling_of_bytes(text, scratch.spelling_);
      const auto whole = vocabulary.find(scratch.spelling_);
      if (whole && vocabulary.is_text(*whole) && vocabulary.bytes(*whole) == text) {
        ids.push_back(*whole);
        continue;
      }
    }
    scratch.word_.clear();
    for (const char byte : text) {
      if (has_byte(byte)) scratch.word_.push_back(id_of(byte));
    }
    scratch.merger_.merge(scratch.word_);
    ids.insert(ids.end(), scratch.word_.begin(), scratch.word_.end());
  }
}

}  // namespace zhuzi::internal
