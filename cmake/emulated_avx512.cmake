# zhuzi_emulated_avx512_tests(): the tests of the kernels once more, over a second build of the room
# in which SIMD Everywhere stands in for AVX-512 (src/kernels/internal/simd.h), so that this code is
# checked on machines without it. Both builds are programs of their own: no symbol is shared.
function(zhuzi_emulated_avx512_tests)
  if(ZHUZI_SANITIZE)
    return()  # Minutes of compiling, and the plain kernels are under the sanitizers already.
  endif()
  find_path(ZHUZI_SIMDE simde/x86/avx512.h)
  if(NOT ZHUZI_SIMDE)
    message(STATUS "skipped: emulated AVX-512 tests, because libsimde-dev is not installed")
    return()
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/kernels/*.cpp)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/kernels/*.cpp)
  list(FILTER tests EXCLUDE REGEX "/peaks_test\\.cpp$")  # An emulation has no speed to speak of.
  if(NOT tests)
    return()
  endif()
  add_executable(kernels_emulated_avx512_tests ${sources} ${tests})
  target_include_directories(kernels_emulated_avx512_tests PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(kernels_emulated_avx512_tests PRIVATE
    ZHUZI_EMULATED_AVX512 ZHUZI_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")
  target_compile_options(kernels_emulated_avx512_tests PRIVATE
    -O1 -mavx2 -mfma -mf16c -Wno-psabi)  # -O2 takes minutes: the emulation is all inlined.
  target_link_libraries(kernels_emulated_avx512_tests PRIVATE
    zhuzi_base zhuzi_tensor GTest::gtest_main)
  add_test(NAME kernels_emulated_avx512 COMMAND kernels_emulated_avx512_tests --gtest_brief=1)
endfunction()
