# Installation, in a component for each package: the programs, the library, its replacement for
# libbpf's linker, development files, sources for Rust and for Go, and documents.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/bpflink)

set_target_properties(bpflink PROPERTIES EXPORT_NAME program)
install(TARGETS bpflink btfdedup bpfskel bpfcore EXPORT bpflink-targets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
# What compiles bitcode, for the programs and for the library
install(TARGETS bpflink_lto RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/bpflink COMPONENT programs)
# What the guests of bpfcore load run
if(TARGET bpfcore_init)
  install(TARGETS bpfcore_init RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/bpflink COMPONENT programs)
endif()
install(TARGETS bpflink_shared EXPORT bpflink-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS bpflink_libbpf_shared EXPORT bpflink-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libbpf NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS bpflink_static bpflink_libbpf_static EXPORT bpflink-static-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/bpflink
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

# The replacements of the command lines of bpftool and pahole, scripts that find the programs beside them.
install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/bpftool-bpflink ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/pahole-btfdedup
  DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)

# Rust's linker for BPF, which bpflink is under that name. It is in a folder of its own: another one may
# be in that of the programs.
set(rust_dir ${CMAKE_INSTALL_LIBEXECDIR}/bpflink/rust)
file(RELATIVE_PATH to_bpflink ${CMAKE_INSTALL_FULL_LIBEXECDIR}/bpflink/rust ${CMAKE_INSTALL_FULL_BINDIR}/bpflink)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/rust)
file(CREATE_LINK ${to_bpflink} ${CMAKE_BINARY_DIR}/rust/bpf-linker SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/rust/bpf-linker DESTINATION ${rust_dir} COMPONENT programs)

# Manual pages, and completions, which the programs generate if they can run on this machine.
set(BPFLINK_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "Where zsh looks for completions")
foreach(program bpflink btfdedup bpfskel bpfcore)
  if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
    set(completions ${CMAKE_BINARY_DIR}/completions)
    file(MAKE_DIRECTORY ${completions})
    set(files ${completions}/${program}.bash ${completions}/_${program} ${completions}/${program}.fish)
    add_custom_command(OUTPUT ${files}
      COMMAND ${program} --completion bash > ${completions}/${program}.bash
      COMMAND ${program} --completion zsh > ${completions}/_${program}
      COMMAND ${program} --completion fish > ${completions}/${program}.fish
      DEPENDS ${program} VERBATIM)
    add_custom_target(${program}_completions ALL DEPENDS ${files})
    install(FILES ${completions}/${program}.bash RENAME ${program}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT programs)
    install(FILES ${completions}/_${program} DESTINATION ${BPFLINK_ZSH_DIR} COMPONENT programs)
    install(FILES ${completions}/${program}.fish
      DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT programs)
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/linker/programs/${program}/${program}.1
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs)
endforeach()
foreach(page linker/programs/bpflink/bpflink-reports.5 linker/programs/bpflink/bpflink-bpftool.7
    linker/programs/bpftool/bpftool-bpflink.1 linker/programs/btfdedup/pahole-btfdedup.1)
  cmake_path(GET page EXTENSION LAST_ONLY section)
  string(REPLACE "." man section ${section})
  install(FILES ${PROJECT_SOURCE_DIR}/${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/${section}
    COMPONENT programs)
endforeach()
foreach(page linker/libbpflink.3 linker/interfaces/c/bpflink.h.3 linker/interfaces/go/bpflink2go.1
    cmake/bpflink-cmake.7)
  cmake_path(GET page EXTENSION LAST_ONLY section)
  string(REPLACE "." man section ${section})
  install(FILES ${PROJECT_SOURCE_DIR}/${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/${section}
    COMPONENT development)
endforeach()

install(FILES ${PROJECT_SOURCE_DIR}/linker/report/output.schema.json
  ${PROJECT_SOURCE_DIR}/linker/programs/bpfcore/core.schema.json
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bpflink COMPONENT programs)

# The crates for Rust and the modules for Go, as sources, which projects name by their paths.
foreach(language rust go)
  install(DIRECTORY linker/interfaces/${language} DESTINATION ${CMAKE_INSTALL_DATADIR}/bpflink COMPONENT ${language}
    PATTERN *.1 EXCLUDE PATTERN tests EXCLUDE PATTERN target EXCLUDE PATTERN *.sh EXCLUDE PATTERN rustfmt.toml EXCLUDE)
endforeach()

# The interface's documentation is there if the target `docs` was built.
install(FILES README.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
install(DIRECTORY ${PROJECT_BINARY_DIR}/docs/html DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents OPTIONAL)

# find_package(bpflink): the shared libraries; with COMPONENTS static, also the static ones, which
# need their dependencies to be found and are the only ones for C++.
install(EXPORT bpflink-targets NAMESPACE bpflink:: DESTINATION ${package_dir} COMPONENT development)
install(EXPORT bpflink-static-targets NAMESPACE bpflink:: DESTINATION ${package_dir}
  COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/bpflink-config.cmake.in
  ${PROJECT_BINARY_DIR}/bpflink-config.cmake INSTALL_DESTINATION ${package_dir})
# As the soname promises: a later minor version serves, another major version does not.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bpflink-config-version.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/bpflink-config.cmake
  ${PROJECT_BINARY_DIR}/bpflink-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/BpflinkAddObject.cmake
  ${PROJECT_SOURCE_DIR}/cmake/BpflinkCompileCommands.cmake
  ${PROJECT_SOURCE_DIR}/cmake/BpflinkDependencies.cmake
  ${PROJECT_SOURCE_DIR}/cmake/BpflinkAddSkeleton.cmake
  ${PROJECT_SOURCE_DIR}/cmake/BpflinkCheckCore.cmake
  DESTINATION ${package_dir} COMPONENT development)

# pkg-config: the prefix is relative to the file, so an installed copy may be moved.
set(pkgconfig_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH BPFLINK_PREFIX_FROM_PC /${pkgconfig_dir} /)
string(REGEX REPLACE "/$" "" BPFLINK_PREFIX_FROM_PC "${BPFLINK_PREFIX_FROM_PC}")
foreach(name bpflink bpflink-static bpflink-libbpf)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${pkgconfig_dir} COMPONENT development)
endforeach()

# `standalone`: an archive of static programs, which need nothing of the machine but its kernel.
if(BPFLINK_PROGRAMS_ARE_STATIC)
  set(standalone bpflink-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
  add_custom_target(standalone
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${standalone}
    COMMAND ${CMAKE_COMMAND} --install . --strip --component programs --prefix ${standalone}
    COMMAND ${CMAKE_COMMAND} -E tar czf ${standalone}.tar.gz ${standalone}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${standalone}
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "Making ${standalone}.tar.gz" VERBATIM)
  add_dependencies(standalone bpflink_lto)
  foreach(program bpflink btfdedup bpfskel bpfcore)
    add_dependencies(standalone ${program})
    if(TARGET ${program}_completions)
      add_dependencies(standalone ${program}_completions)
    endif()
  endforeach()
endif()
