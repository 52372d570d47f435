# zhuzi_room(NAME [ROOMS other rooms...] [LIBRARIES foreign libraries...])
# Every .cpp below src/NAME, without main.cpp, as the static library zhuzi_NAME.
function(zhuzi_room name)
  cmake_parse_arguments(ARGUMENT "" "" "ROOMS;LIBRARIES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  list(TRANSFORM ARGUMENT_ROOMS PREPEND zhuzi_)
  if(sources)
    add_library(zhuzi_${name} STATIC ${sources})
    target_link_libraries(zhuzi_${name}
      PUBLIC zhuzi_compiler ${ARGUMENT_ROOMS} ${ARGUMENT_LIBRARIES})
  else()
    add_library(zhuzi_${name} INTERFACE)
    target_link_libraries(zhuzi_${name}
      INTERFACE zhuzi_compiler ${ARGUMENT_ROOMS} ${ARGUMENT_LIBRARIES})
  endif()
endfunction()

# zhuzi_program(NAME MAIN file ROOM room): the executable, at the top of the build folder.
function(zhuzi_program name)
  cmake_parse_arguments(ARGUMENT "" "MAIN;ROOM" "" ${ARGN})
  add_executable(${name} ${ARGUMENT_MAIN})
  target_link_libraries(${name} PRIVATE zhuzi_${ARGUMENT_ROOM})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# zhuzi_room_tests(ROOM [ROOMS more rooms...]): every *_test.cpp below tests/ROOM as one program.
function(zhuzi_room_tests name)
  cmake_parse_arguments(ARGUMENT "" "" "ROOMS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  list(TRANSFORM ARGUMENT_ROOMS PREPEND zhuzi_)
  add_executable(${name}_tests ${sources})
  target_include_directories(${name}_tests PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${name}_tests PRIVATE
    ZHUZI_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data"
    ZHUZI_SOURCE="${CMAKE_SOURCE_DIR}"
    ZHUZI_BINARY="${CMAKE_BINARY_DIR}/zhuzi")
  # A test names the fields that it is about; the others keep their defaults.
  target_compile_options(${name}_tests PRIVATE -Wno-missing-field-initializers)
  target_link_libraries(${name}_tests PRIVATE ${ARGUMENT_ROOMS} GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name}_tests --gtest_brief=1)
endfunction()
