# Writes a C++ source that says which commit is built and when it was made. The file is left alone
# when nothing changed, so that nothing is built again.
# Usage: cmake -DOUT=x.cc -DSOURCE=... -DVERSION=1.2.3 -P build_info.cmake
find_program(GIT git)
set(commit "")
set(date "")
if(GIT)
  # Not %h, whose length follows the number of objects in the clone.
  execute_process(COMMAND ${GIT} -C ${SOURCE} log -1 --format=%H\ %cs
    OUTPUT_VARIABLE last OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND last MATCHES "^([0-9a-f]+) ([0-9-]+)$")
    string(SUBSTRING "${CMAKE_MATCH_1}" 0 12 commit)
    set(date "${CMAKE_MATCH_2}")
  endif()
endif()
set(text "#include \"cli/build_info.h\"\n\nnamespace kinu::cli {\n\n")
string(APPEND text "const std::string_view kOwnVersion = \"${VERSION}\";\n")
string(APPEND text "const std::string_view kBuildCommit = \"${commit}\";\n")
string(APPEND text "const std::string_view kBuildDate = \"${date}\";\n\n}  // namespace kinu::cli\n")
file(CONFIGURE OUTPUT "${OUT}" CONTENT "${text}" @ONLY)
