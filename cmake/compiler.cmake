# One compiler setting for all rooms. The baseline is plain x86-64: kernel files name their
# instruction sets in target regions, so one binary runs everywhere. -ffp-contract=off: only the fma
# that a formula spells is an fma (NUMERICS, rule 5).
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

add_library(zhuzi_compiler INTERFACE)
target_include_directories(zhuzi_compiler INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(zhuzi_compiler INTERFACE
  -ffp-contract=off -fno-math-errno
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
  # GCC 12 and 13 report their own vector header: "may be used uninitialized" (GCC bug 105593).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)

if(ZHUZI_SANITIZE)
  target_compile_options(zhuzi_compiler INTERFACE
    -fsanitize=${ZHUZI_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(zhuzi_compiler INTERFACE -fsanitize=${ZHUZI_SANITIZE})
endif()

find_program(ZHUZI_CCACHE ccache)
if(ZHUZI_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ZHUZI_CCACHE})
endif()
find_program(ZHUZI_MOLD mold)
find_program(ZHUZI_LLD ld.lld)
if(ZHUZI_MOLD)
  target_link_options(zhuzi_compiler INTERFACE -fuse-ld=mold)
elseif(ZHUZI_LLD)
  target_link_options(zhuzi_compiler INTERFACE -fuse-ld=lld)
endif()
