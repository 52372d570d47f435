#include "base/file_map.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace zhuzi {
namespace {

struct Descriptor {
  int number = -1;
  explicit Descriptor(int opened) : number(opened) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number >= 0) close(number);
  }
};

}  // namespace

Result<FileMap> FileMap::open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe would wait for somebody who writes to it.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.number < 0) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::not_found : ErrorCode::io;
    return fail(code, "cannot open {}: {}", path.string(), std::strerror(errno));
  }
  struct stat status{};
  if (fstat(file.number, &status) != 0) {
    return fail(ErrorCode::io, "cannot read {}: {}", path.string(), std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::corrupt_file, "{} is not a file", path.string());
  }
  if (status.st_size == 0) return fail(ErrorCode::corrupt_file, "{} is empty", path.string());
  const auto size = static_cast<std::size_t>(status.st_size);
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (memory == MAP_FAILED) {
    return fail(ErrorCode::io, "cannot map {}: {}", path.string(), std::strerror(errno));
  }
  FileMap map;
  map.bytes_ = {static_cast<const std::byte*>(memory), size};
  return map;
}

FileMap::FileMap(FileMap&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

FileMap& FileMap::operator=(FileMap&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

FileMap::~FileMap() {
  if (!bytes_.empty()) munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace zhuzi
