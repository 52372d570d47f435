// Runs files given by name through a fuzz target's entry point: a main for compilers without one.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>

#include "base/file_map.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** names) {
  for (const char* name : std::span(names, static_cast<std::size_t>(count)).subspan(1)) {
    const auto map = zhuzi::FileMap::open(name);
    if (!map) {
      std::fprintf(stderr, "%s\n", map.error().message.c_str());
      return 1;
    }
    const auto bytes = map->bytes();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  }
  return 0;
}
