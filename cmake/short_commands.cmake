# kinu_short_commands(TARGET): puts the functions that short commands ran when the profile was recorded side by side
# in the program, so that such a command maps few pages of it (docs/decisions/0058-code-of-short-commands.md).
# Without a recorded profile the linker chooses the places. Names that are not in the program are ignored.
function(kinu_short_commands target)
  set(list ${kinu_profile_data}/short_commands.txt)
  if(NOT KINU_PROFILE STREQUAL "use" OR NOT EXISTS ${list})
    return()
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} names)
  # The linker keeps the order of statements, and inside of each the order of the objects.
  set(per_statement 200)
  set(statements "")
  set(count 0)
  foreach(name IN LISTS names)
    math(EXPR position "${count} % ${per_statement}")
    if(position EQUAL 0)
      string(APPEND statements "    )\n    *(\n")
    endif()
    # The second form is of a build with a recorded profile, the others are copies that the compiler makes.
    string(APPEND statements "      .text.${name} .text.hot.${name}"
      " .text.${name}.constprop.0 .text.${name}.isra.0 .text.${name}.part.0\n")
    math(EXPR count "${count} + 1")
  endforeach()
  set(script ${CMAKE_CURRENT_BINARY_DIR}/short_commands.ld)
  file(CONFIGURE OUTPUT ${script} @ONLY CONTENT
    "SECTIONS\n{\n  .text.short_commands :\n  {\n    *(.text.main\n${statements}    )\n  }\n}\nINSERT BEFORE .text;\n")
  target_link_options(${target} PRIVATE -Wl,-T,${script})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
endfunction()
