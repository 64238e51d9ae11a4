# Build rules of the house: kinu_library() and kinu_executable().

# -Og compiles a sixth faster than -O1.
set(CMAKE_CXX_FLAGS_DEV "-Og -g1" CACHE STRING "Flags of the Dev build type" FORCE)
set(CMAKE_C_FLAGS_DEV "-Og -g1" CACHE STRING "Flags of the Dev build type" FORCE)
# Sanitizers check what the optimizer would remove, too; without it they are built in half the time.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1" CACHE STRING "Flags of the Debug build type" FORCE)
set(CMAKE_C_FLAGS_DEBUG "-O0 -g1" CACHE STRING "Flags of the Debug build type" FORCE)
# A section for each function, so that the link drops what nothing calls and puts side by side what short
# commands run (docs/decisions/0058-code-of-short-commands.md).
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -ffunction-sections -fdata-sections" CACHE STRING "Flags of the Release build type" FORCE)

include(cmake/short_commands.cmake)
include(cmake/hardening.cmake)

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

add_library(kinu_options INTERFACE)
target_compile_features(kinu_options INTERFACE cxx_std_23)
# What users run names files from the root of the repository, wherever it was built.
target_compile_options(kinu_options INTERFACE
  "$<$<CONFIG:Release>:-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=;-ffile-prefix-map=${CMAKE_BINARY_DIR}/=build/>")
target_compile_definitions(kinu_options INTERFACE _GLIBCXX_ASSERTIONS)
target_compile_options(kinu_options INTERFACE
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Wno-missing-field-initializers
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<AND:$<BOOL:${KINU_GROUPS}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
# Elsewhere as on x86-64: `char` has a sign, and a product is rounded before it is added to something.
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  target_compile_options(kinu_options INTERFACE -fsigned-char -ffp-contract=off)
endif()
# The compiler collects its garbage when it has half a gigabyte, not all the time: a fifth less of its time.
target_compile_options(kinu_options INTERFACE
  "$<$<CXX_COMPILER_ID:GNU>:SHELL:--param ggc-min-heapsize=524288 --param ggc-min-expand=400>")
if(KINU_WERROR)
  target_compile_options(kinu_options INTERFACE -Werror)
endif()
if(KINU_SANITIZE)
  target_compile_options(kinu_options INTERFACE
    -fsanitize=${KINU_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(kinu_options INTERFACE -fsanitize=${KINU_SANITIZE})
  if(KINU_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
    target_compile_definitions(kinu_options INTERFACE __SANITIZE_THREAD__=1)  # as GCC does
  endif()
endif()
target_link_libraries(kinu_options INTERFACE kinu_hardening)
# What a recording program has measured (tools/profile.py). The compiler finds the file of an object by
# its path below the build directory.
set(kinu_profile_data ${CMAKE_SOURCE_DIR}/build/profile)
set(kinu_profile_options "-fprofile-prefix-path=${CMAKE_BINARY_DIR}")
if(KINU_PROFILE STREQUAL "record")
  list(APPEND kinu_profile_options -fprofile-generate=${kinu_profile_data} -fprofile-update=prefer-atomic)
  target_link_options(kinu_options INTERFACE -fprofile-generate)
  target_compile_definitions(kinu_options INTERFACE KINU_PROFILE_RECORD=1)
  target_compile_options(kinu_options INTERFACE ${kinu_profile_options})
elseif(KINU_PROFILE STREQUAL "use" AND EXISTS ${kinu_profile_data})
  # What the recorded runs did not reach is optimized as without a profile.
  list(APPEND kinu_profile_options -fprofile-use=${kinu_profile_data} -fprofile-partial-training
    -Wno-missing-profile -Wno-coverage-mismatch)
  target_compile_options(kinu_options INTERFACE ${kinu_profile_options})
endif()
if(KINU_FUZZ AND CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(kinu_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Headers are named by their library: "cty/value.h", "engine/request.h".
set(kinu_wings foundation language documents model providers outside commands bindings)
list(TRANSFORM kinu_wings PREPEND ${CMAKE_SOURCE_DIR}/src/ OUTPUT_VARIABLE kinu_include_directories)
target_include_directories(kinu_options INTERFACE ${CMAKE_SOURCE_DIR}/src ${kinu_include_directories})

if(KINU_TESTS)
  find_package(GTest REQUIRED)
  # All test programs, and those of the libraries with threads (what `make asan` and `make tsan` build).
  add_custom_target(unit_tests)
  add_custom_target(threaded_tests)
  configure_file(cmake/source_directory.cc.in ${CMAKE_BINARY_DIR}/source_directory.cc @ONLY)
  add_library(kinu_source_directory STATIC ${CMAKE_BINARY_DIR}/source_directory.cc)
  target_link_libraries(kinu_source_directory PRIVATE kinu_options)
  add_library(kinu_test_main STATIC src/foundation/base/testing/main.cc)
  target_link_libraries(kinu_test_main PRIVATE kinu_options GTest::gtest)
  # Tests call the program by the name of OpenTofu, for equal hints.
  set(KINU_AS_TOFU $<TARGET_FILE_DIR:kinu>/tofu)
endif()

# Makes an undefined symbol of a module an error of its link. The run-time library of a sanitizer is in
# the program alone.
function(kinu_no_undefined target)
  if(NOT KINU_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,--no-undefined)
  endif()
endfunction()

# kinu_wing(model schema state): the libraries src/model/schema and src/model/state.
function(kinu_wing wing)
  set(KINU_WING_DIRECTORY ${CMAKE_SOURCE_DIR}/src/${wing})
  foreach(library ${ARGN})
    # The place of a program in a build directory (src/cli/kinu) does not tell the wing.
    add_subdirectory(src/${wing}/${library} src/${library})
  endforeach()
endfunction()

# kinu_module(NAME net SOURCES a.cc EXTERNAL PkgConfig::X)
#
# Makes the module lib/kinu/kinu-NAME.so, which a library loads when it is first needed.
function(kinu_module)
  cmake_parse_arguments(ARG "" "NAME" "SOURCES;EXTERNAL" ${ARGN})
  set(target kinu_${ARG_NAME}_module)
  add_library(${target} MODULE ${ARG_SOURCES})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME kinu-${ARG_NAME}
    PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/kinu
    POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${target} PRIVATE kinu_options ${ARG_EXTERNAL})
  target_link_options(${target} PRIVATE -Wl,-z,now)  # a missing symbol is an error of dlopen()
  kinu_no_undefined(${target})
  install(TARGETS ${target} LIBRARY DESTINATION lib/kinu COMPONENT runtime)
endfunction()

# kinu_external(crypto libcrypto libcrypto.a): a third-party library as the target
# kinu_external_crypto, found by its pkg-config module; its archive with KINU_STATIC_LIBRARIES.
function(kinu_external name module archive)
  set(target kinu_external_${name})
  if(TARGET ${target})
    return()
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  string(TOUPPER "KINU_${name}" prefix)
  pkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET GLOBAL ${module})
  if(KINU_STATIC_LIBRARIES)
    find_library(${prefix}_ARCHIVE NAMES ${archive} REQUIRED)
    target_include_directories(${target} SYSTEM INTERFACE ${${prefix}_INCLUDE_DIRS})
    # Not every archive can be a part of a shared library.
    target_link_libraries(${target} INTERFACE
      "$<IF:$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>,PkgConfig::${prefix},${${prefix}_ARCHIVE}>" Threads::Threads)
  else()
    target_link_libraries(${target} INTERFACE PkgConfig::${prefix})
  endif()
endfunction()

# The libraries that libkinu.so consists of (src/bindings/c).
set(KINU_SHARED_PARTS base text compatibility json codec crypto trace diag cty hcl hcl_writer addrs tfjson query table functions lang check convert
  schema config meta_arguments hcldec log net provider state plan plan_json api c)

# kinu_group(OUT NAME SIZE OWN FILES...): sets OUT to what is compiled in place of the files: groups of SIZE of them, in which
# each has constants of its own with the names of OWN, and alone those that say so (SKIP_UNITY_BUILD_INCLUSION) and those that the build makes. UNITY_BUILD of CMake names files by absolute
# paths, so that checkouts would not share what the cache has.
function(kinu_group out name size own)
  set(compiled "")
  set(text "")
  set(count 0)
  set(groups 0)
  foreach(file IN LISTS ARGN)
    get_source_file_property(alone ${file} SKIP_UNITY_BUILD_INCLUSION)
    if(NOT KINU_GROUPS OR size EQUAL 1 OR alone OR IS_ABSOLUTE ${file})
      list(APPEND compiled ${file})
      continue()
    endif()
    file(RELATIVE_PATH path ${KINU_WING_DIRECTORY} ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    string(MAKE_C_IDENTIFIER ${file} stem)
    foreach(constant ${own})
      string(APPEND text "#define ${constant} ${constant}_${stem}\n")
    endforeach()
    string(APPEND text "#include \"${path}\"\n")
    foreach(constant ${own})
      string(APPEND text "#undef ${constant}\n")
    endforeach()
    math(EXPR count "${count} + 1")
    if(count EQUAL size)
      kinu_write_group(compiled ${name} ${groups} "${text}")
      math(EXPR groups "${groups} + 1")
      set(text "")
      set(count 0)
    endif()
  endforeach()
  if(count GREATER 0)
    kinu_write_group(compiled ${name} ${groups} "${text}")
  endif()
  set(${out} ${compiled} PARENT_SCOPE)
endfunction()

function(kinu_write_group out name number text)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/groups/${name}_${number}.cc)
  file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
  set(${out} ${${out}} ${file} PARENT_SCOPE)
endfunction()

# kinu_library(NAME cty DEPS codec SOURCES a.cc b.cc TESTS a_test.cc EXTERNAL PkgConfig::X)
#
# Makes the static library kinu_NAME, and from TESTS the test program kinu_NAME_test.
# DEPS are kinu libraries (without the prefix), EXTERNAL are third-party targets. LABELS of its test:
# `slow` keeps it out of `make asan`, `threaded` puts it into `make tsan`. Its files have different names
# for what is private to them, so thirty-two are compiled as one where KINU_GROUPS is on; `make tidy` compiles
# each alone, and so finds what one forgot to include. OWN: constants that several files have, each for
# itself; no header has these names. ALONE: those of its files that have other names of others. APART: all have. HOT: releases compile it
# with -O3, which takes 5 % off an export and adds 110 KB to the program.
function(kinu_library)
  cmake_parse_arguments(ARG "APART;HOT" "NAME" "ALONE;OWN;DEPS;SOURCES;TESTS;EXTERNAL;TEST_DEPS;LABELS" ${ARGN})
  set(target kinu_${ARG_NAME})
  set_source_files_properties(${ARG_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  set(size_of_groups 32)
  set(size_of_test_groups 16)
  if(ARG_APART)
    set(size_of_groups 1)
    set(size_of_test_groups 1)
  endif()
  if(ARG_SOURCES)
    kinu_group(sources ${ARG_NAME} ${size_of_groups} "${ARG_OWN}" ${ARG_SOURCES})
    add_library(${target} STATIC ${sources})
    if(KINU_SHARED AND ARG_NAME IN_LIST KINU_SHARED_PARTS)
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    endif()
    if(ARG_HOT)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O3>)
    endif()
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ${ARG_EXTERNAL})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
    target_link_libraries(${target} INTERFACE ${ARG_EXTERNAL})
  endif()
  target_link_libraries(${target} ${scope} kinu_options)
  foreach(dep ${ARG_DEPS})
    target_link_libraries(${target} ${scope} kinu_${dep})
  endforeach()
  if(KINU_TESTS AND ARG_TESTS)
    kinu_group(sources ${ARG_NAME}_test ${size_of_test_groups} "" ${ARG_TESTS})
    add_executable(${target}_test ${sources})
    target_link_libraries(${target}_test PRIVATE ${target} kinu_source_directory kinu_test_main GTest::gtest)
    foreach(dep ${ARG_TEST_DEPS})
      target_link_libraries(${target}_test PRIVATE kinu_${dep})
    endforeach()
    add_test(NAME ${target} COMMAND ${target}_test)
    # Properties are tried on the same inputs each time; run by hand, a test draws new ones.
    set_tests_properties(${target} PROPERTIES
      LABELS unit TIMEOUT 300
      ENVIRONMENT "RC_PARAMS=seed=1;KINU_CASES=${CMAKE_BINARY_DIR}/tests/conformance/language")
    add_dependencies(unit_tests ${target}_test)
    if(ARG_LABELS)
      set_property(TEST ${target} APPEND PROPERTY LABELS ${ARG_LABELS})
    endif()
    if(threaded IN_LIST ARG_LABELS)
      add_dependencies(threaded_tests ${target}_test)
    endif()
  endif()
endfunction()
