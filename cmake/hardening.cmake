# The target kinu_hardening: what makes an error in memory harder to use. Code, constants and libraries lie at
# random addresses, tables of addresses are read-only once the program runs, each stack has a guard, calls of
# the C library know the sizes of buffers, indirect jumps reach marked places alone, and no variable has what
# the stack held before (docs/decisions/0064-hardening.md).
add_library(kinu_hardening INTERFACE)
if(NOT KINU_SANITIZE)
  target_compile_options(kinu_hardening INTERFACE
    -fstack-protector-strong -ftrivial-auto-var-init=zero -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>:-fPIE>)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    target_compile_options(kinu_hardening INTERFACE -fcf-protection)
  elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    target_compile_options(kinu_hardening INTERFACE -mbranch-protection=standard)
  endif()
  target_link_options(kinu_hardening INTERFACE -Wl,-z,relro,-z,now,-z,noexecstack
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)
endif()
