#include "tensor/buffer.h"

#include <sys/mman.h>

#include <cstdint>
#include <utility>

namespace zhuzi {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace

Result<Buffer> Buffer::make(std::size_t bytes) {
  Buffer buffer;
  if (bytes == 0) return buffer;
  const bool is_huge = bytes >= huge_page;
  // One huge page more, so that the start can be moved to a border: half-filled huge pages at both
  // ends would stay small pages.
  const std::size_t extra = is_huge ? huge_page : 0;
  if (bytes > SIZE_MAX - extra) {
    return fail(ErrorCode::out_of_memory, "{} bytes of memory are more than any machine has",
                bytes);
  }
  void* mapping = mmap(nullptr, bytes + extra, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) {
    return fail(ErrorCode::out_of_memory, "the system has no {} bytes of memory to give", bytes);
  }
  auto start = reinterpret_cast<std::uintptr_t>(mapping);
  if (is_huge) {
    madvise(mapping, bytes + extra, MADV_HUGEPAGE);
    start = (start + huge_page - 1) / huge_page * huge_page;
  }
  buffer.mapping_ = mapping;
  buffer.mapped_ = bytes + extra;
  buffer.data_ = reinterpret_cast<std::byte*>(start);
  buffer.size_ = bytes;
  return buffer;
}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      mapped_(std::exchange(other.mapped_, 0)),
      mapping_(std::exchange(other.mapping_, nullptr)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(mapped_, other.mapped_);
  std::swap(mapping_, other.mapping_);
  return *this;
}

Buffer::~Buffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

}  // namespace zhuzi
