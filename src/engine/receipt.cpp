#include "engine/receipt.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "kernels/numerics.h"

namespace zhuzi {
namespace {

/// Name, type and shape: a tensor that is read as something else gives other answers.
std::string title_of(const NamedTensor& tensor) {
  std::string title = fmt::format("{} {}", tensor.name, info(tensor.view.type).name);
  for (std::size_t i = 0; i < tensor.view.shape.rank; ++i) {
    title += fmt::format(" {}", tensor.view.shape.extents[i]);
  }
  return title;
}

}  // namespace

std::string numerics_id(kernels::KvFormat kv_format) {
  return fmt::format("z{}-{}-fixed", kernels::numerics_revision, kernels::name_of(kv_format));
}

std::string receipt_of(const ReceiptParts& parts, ThreadPool& threads) {
  std::vector<const NamedTensor*> tensors;
  for (const NamedTensor& tensor : *parts.tensors) tensors.push_back(&tensor);
  std::ranges::sort(tensors, {}, [](const NamedTensor* tensor) { return tensor->name; });

  std::vector<Hash128> hashes(tensors.size());
  threads.run(tensors.size(), [&](std::size_t part, std::size_t) {
    hashes[part] = hash128_of_pieces(tensors[part]->view.bytes);
  });

  HashStream stream;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    stream.add(title_of(*tensors[i]));
    stream.add(hashes[i]);
  }
  stream.add(parts.tokenizer);
  stream.add(parts.chat_template);
  stream.add(numerics_id(parts.kv_format));
  return fmt::format("zhuzi-{:016x}", stream.digest().high);
}

}  // namespace zhuzi
