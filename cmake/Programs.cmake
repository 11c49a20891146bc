# Programs are linked statically where possible: they start in half the time, which is most of what
# a small link takes.
include(CheckCXXSourceCompiles)
set(static_default ON)
if(BPFLINK_SANITIZE)
  set(static_default OFF)
endif()
option(BPFLINK_STATIC_PROGRAMS "Link the programs statically, if the libraries are there" ${static_default})
find_library(LIBELF_ARCHIVE libelf.a)
find_library(ZLIB_ARCHIVE libz.a)
find_library(ZSTD_ARCHIVE libzstd.a)  # needed by newer versions of libelf
set(static_libraries ${LIBELF_ARCHIVE} ${ZLIB_ARCHIVE})
if(ZSTD_ARCHIVE)
  list(APPEND static_libraries ${ZSTD_ARCHIVE})
endif()
# Debian 13's libelf.a lacks functions of elfutils that are in no archive.
set(BPFLINK_PROGRAMS_ARE_STATIC OFF)
if(BPFLINK_STATIC_PROGRAMS AND LIBELF_ARCHIVE AND ZLIB_ARCHIVE)
  set(CMAKE_REQUIRED_FLAGS -fPIE)
  set(CMAKE_REQUIRED_LINK_OPTIONS -static-pie)
  set(CMAKE_REQUIRED_LIBRARIES ${static_libraries})
  check_cxx_source_compiles(
    "#include <libelf.h>
    int main() { elf_end(elf_begin(0, ELF_C_READ, nullptr)); }"
    BPFLINK_LINKS_STATICALLY)
  unset(CMAKE_REQUIRED_FLAGS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  unset(CMAKE_REQUIRED_LIBRARIES)
  set(BPFLINK_PROGRAMS_ARE_STATIC ${BPFLINK_LINKS_STATICALLY})
endif()

# Relocations of pointers in fewer pages, which every run of a static program writes.
include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:-z,pack-relative-relocs BPFLINK_PACKS_RELOCATIONS)

# link_program(TARGET): links the library's objects and their dependencies.
function(link_program target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:bpflink_btf> $<TARGET_OBJECTS:bpflink_linker>)
  if(BPFLINK_PROGRAMS_ARE_STATIC)
    target_link_options(${target} PRIVATE -static-pie
                        $<$<BOOL:${BPFLINK_PACKS_RELOCATIONS}>:LINKER:-z,pack-relative-relocs>)
    target_link_libraries(${target} PRIVATE ${static_libraries})
  else()
    target_link_options(${target} PRIVATE -pie)
    target_link_libraries(${target} PRIVATE PkgConfig::LIBELF Threads::Threads)
  endif()
endfunction()

# add_program(TARGET source...): adds a program with a command line, from sources in its folder.
function(add_program target)
  add_executable(${target} ${ARGN} ../../text/completions.cpp ../../text/options.cpp ../../io/signals.cpp ../../text/program.cpp)
  target_link_libraries(${target} PRIVATE bpflink_options bpflink_format)
  link_program(${target})
  precompile_headers(${target})
endfunction()
