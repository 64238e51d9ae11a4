# Toolchain of a build for another processor on Debian 12 (presets that inherit `cross`): Debian's cross compilers, and
# the libraries that tools/sysroot.sh has unpacked into build/sysroot-ARCH. Programs of the build itself run under QEMU.
# KINU_ARCH is the processor as Debian calls it.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES KINU_ARCH)
set(kinu_machine_arm64 aarch64)
set(kinu_machine ${kinu_machine_${KINU_ARCH}})
if(NOT kinu_machine)
  message(FATAL_ERROR "No toolchain for the processor '${KINU_ARCH}' (KINU_ARCH); there is one for arm64")
endif()
set(kinu_triplet ${kinu_machine}-linux-gnu)
get_filename_component(kinu_sysroot ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot-${KINU_ARCH} ABSOLUTE)
if(NOT EXISTS ${kinu_sysroot}/.packages)
  message(FATAL_ERROR "No libraries in ${kinu_sysroot}; tools/sysroot.sh ${KINU_ARCH} ${kinu_sysroot} unpacks them")
endif()

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${kinu_machine})
set(CMAKE_C_COMPILER ${kinu_triplet}-gcc)
set(CMAKE_CXX_COMPILER ${kinu_triplet}-g++)
set(CMAKE_SYSROOT ${kinu_sysroot})
set(CMAKE_LIBRARY_ARCHITECTURE ${kinu_triplet})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${kinu_machine}-static -L ${kinu_sysroot})

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${kinu_sysroot})
set(ENV{PKG_CONFIG_LIBDIR} ${kinu_sysroot}/usr/lib/${kinu_triplet}/pkgconfig:${kinu_sysroot}/usr/share/pkgconfig)
