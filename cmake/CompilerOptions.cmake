# Warnings, hardening and sanitizers for every target of the project.
option(BPFLINK_WERROR "Treat compiler warnings as errors" OFF)
set(BPFLINK_SANITIZE "" CACHE STRING "Sanitizers to build with: the value of -fsanitize=")
option(BPFLINK_HARDEN "Build with the defences of distributions: stack protector, full RELRO, CET, ..." ON)
option(BPFLINK_FUZZ "Build the libFuzzer programs; needs clang" OFF)

add_library(bpflink_options INTERFACE)
target_compile_options(bpflink_options INTERFACE -Wall -Wextra -Wimplicit-fallthrough -Werror=switch
                       $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 finds faults in the inlined code of standard containers: "text" + std::string copies overlapping
  # memory (its bug 105651), a moved std::expected is uninitialized, copies are of any size.
  target_compile_options(bpflink_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;\
-Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread>")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # A class that is declared in a header and defined in its one source may have members of that source's types.
  target_compile_options(bpflink_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  # libstdc++ itself uses what it deprecates.
  target_compile_options(bpflink_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)
endif()
if(BPFLINK_WERROR)
  target_compile_options(bpflink_options INTERFACE -Werror)
endif()
# Programs read hostile files. _GLIBCXX_ASSERTIONS is left out: a deduplication takes 30 % more instructions
# with it; the sanitized builds have it.
if(BPFLINK_HARDEN AND NOT BPFLINK_SANITIZE)
  include(CheckCXXCompilerFlag)
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
    string(MAKE_C_IDENTIFIER "BPFLINK_HAS${flag}" has_flag)
    check_cxx_compiler_flag(${flag} ${has_flag})
    if(${has_flag})
      add_compile_options(${flag})
    endif()
  endforeach()
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
  add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()
# Hash functions of a few instructions must not cost a call.
target_compile_definitions(bpflink_options INTERFACE XXH_INLINE_ALL XXH_FORCE_MEMORY_ACCESS=1)
target_include_directories(bpflink_options INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)

# Text is formatted by fmt, which dedup/print/fmt.cpp compiles into the library. Nothing here
# formats floating-point numbers.
add_library(bpflink_format INTERFACE)
target_include_directories(bpflink_format SYSTEM INTERFACE
  $<TARGET_PROPERTY:fmt::fmt-header-only,INTERFACE_INCLUDE_DIRECTORIES>)
target_compile_definitions(bpflink_format INTERFACE FMT_USE_FLOAT=0 FMT_USE_DOUBLE=0 FMT_USE_LONG_DOUBLE=0)

if(BPFLINK_SANITIZE)
  # Optimize a little: the tests link hundreds of objects.
  add_compile_options(-fsanitize=${BPFLINK_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -O1 -D_GLIBCXX_ASSERTIONS)
  add_link_options(-fsanitize=${BPFLINK_SANITIZE})
endif()

# Code whose coverage guides the fuzzers; the tests need no coverage of their own.
add_library(bpflink_coverage INTERFACE)
if(BPFLINK_FUZZ)
  target_compile_options(bpflink_coverage INTERFACE -fsanitize=fuzzer-no-link)
endif()

# precompile_headers(TARGET): parses common headers once. Libraries share what belongs to bpflink_btf,
# and programs, which are compiled as position-independent executables, what belongs to bpflink.
function(precompile_headers target)
  get_target_property(type ${target} TYPE)
  set(owner bpflink_btf)
  if(type STREQUAL EXECUTABLE)
    set(owner bpflink)
    # Compilers ask that all users of precompiled headers define the same.
    target_compile_definitions(${target} PRIVATE BPFLINK_VERSION="${PROJECT_VERSION}")
  endif()
  if(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE
      <fmt/format.h> <algorithm> <array> <cstdint> <expected> <functional> <map> <memory> <optional> <ranges> <set>
      <span> <string> <string_view> <unordered_map> <unordered_set> <utility> <vector>)
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()
