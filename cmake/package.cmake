# What `cmake --install` takes and `make package` packs, in two components: `runtime` is the program
# with what it loads and its papers, `development` the library.
include(GNUInstallDirs)

add_custom_target(installable
  DEPENDS kinu kinu_net_module kinu_install_module kinu_ssh_module kinu_package kinu_command_docs_files)

set(KINU_DOCDIR share/doc/kinu)
install(FILES LICENSE README.md CHANGELOG.md SECURITY.md
  DESTINATION ${KINU_DOCDIR} COMPONENT runtime)
install(DIRECTORY docs/ DESTINATION ${KINU_DOCDIR}/docs COMPONENT runtime)
install(CODE "execute_process(
  COMMAND \"${CMAKE_COMMAND}\" -E env \"KINU_SYSROOT=${CMAKE_SYSROOT}\" ${CMAKE_SOURCE_DIR}/tools/licenses.sh
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${KINU_DOCDIR}/licenses\"
  COMMAND_ERROR_IS_FATAL ANY)" COMPONENT runtime)

set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_NAME kinu)
set(CPACK_PACKAGE_VENDOR kinu)
set(CPACK_PACKAGE_CONTACT "the maintainers of kinu <maintainers@kinu.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
if(KINU_ARCH)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${KINU_ARCH})
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    ${CMAKE_SYSROOT}/lib/${CMAKE_LIBRARY_ARCHITECTURE} ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
endif()
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
  "Infrastructure as code, compatible with OpenTofu\nkinu plans and applies configurations of the infrastructure language,\nand reads, queries, checks and converts the documents that such engines\nwrite. It works with the states, plans and providers of OpenTofu.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME kinu)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS libedit2)  # opened by the console in a terminal
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS git)

set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "HCL and the documents of infrastructure engines for C++ programs\nHeaders and a static archive that parse and evaluate HCL, load modules, and\nread states, plans and the other documents that infrastructure engines\nwrite, with the files by which CMake and pkg-config find them.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libkinu-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libmpfr-dev, libgmp-dev, libutf8proc-dev, libre2-dev, libyaml-dev, libdeflate-dev, libssl-dev, libcrypt-dev, libnghttp2-dev")
include(CPack)
