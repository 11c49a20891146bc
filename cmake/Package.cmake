# `cpack -G DEB`: the programs, the shared libraries, and development files, as three Debian
# packages. `standalone`: the programs alone, which need only the machine's kernel.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "bpflink")
set(CPACK_PACKAGE_CONTACT "bpflink developers <bpflink@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL programs libraries development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME bpflink)
set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION
  "bpflink links BPF objects into one for a loader; btfdedup merges equal types of BTF; bpfskel writes skeletons; bpfcore reports which kernels a program fits.")
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SUGGESTS "clang, libbpf-dev, bpftool")

set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME libbpflink${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARIES_DESCRIPTION "The library of bpflink, and its replacement for libbpf's linker.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbpflink-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "bpflink (= ${PROJECT_VERSION}), libbpflink${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS
  "libelf-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Headers, static libraries, and CMake and pkg-config files of bpflink's library.")

include(CPack)

# Dynamically linked programs give no such archive.
if(BPFLINK_PROGRAMS_ARE_STATIC)
  set(standalone bpflink-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
  add_custom_target(standalone
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${standalone}
    COMMAND ${CMAKE_COMMAND} --install . --strip --component programs --prefix ${standalone}
    COMMAND ${CMAKE_COMMAND} -E tar czf ${standalone}.tar.gz ${standalone}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${standalone}
    DEPENDS bpflink btfdedup bpfskel bpfcore WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "Making ${standalone}.tar.gz" VERBATIM)
endif()
