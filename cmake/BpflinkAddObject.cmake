# bpflink_add_object(TARGET SOURCES file...
#   [LIBS archive|object|target...] [OUTPUT file] [INCLUDE_DIRECTORIES dir...]
#   [COMPILE_DEFINITIONS name[=value]...] [COMPILE_OPTIONS flag...] [LINK_OPTIONS flag...])
#
# Compiles BPF sources with clang and links them, with archives and objects, into one BPF object:
# OUTPUT, or TARGET.o in the current binary directory. TARGET is built with `all`; the object's path
# is $<TARGET_PROPERTY:TARGET,BPFLINK_OBJECT>. In LIBS, the name of another such target stands for
# its object. A change of a source, header or library rebuilds only what depends on it.
#
# If the target has INTERPROCEDURAL_OPTIMIZATION, which CMAKE_INTERPROCEDURAL_OPTIMIZATION initializes,
# the sources are compiled to LLVM bitcode, and the linker optimizes them as one program.
#
# BPFLINK_CLANG is the compiler; BPFLINK_COMPILE_OPTIONS are options for all sources.
# COMPILE_OPTIONS come last, so they override those. With CMAKE_EXPORT_COMPILE_COMMANDS the first
# build adds the sources to compile_commands.json.
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/BpflinkCompileCommands.cmake)

# The newest version: if several are installed, `clang` is an older one.
find_program(BPFLINK_CLANG NAMES clang-23 clang-22 clang-21 clang-20 clang-19 clang-18 clang-17
  clang-16 clang-15 clang-14 clang DOC "clang with the BPF target")
set(BPFLINK_COMPILE_OPTIONS -g -O2 -mcpu=v3 -Wall CACHE STRING "Options for compiling BPF sources")

# Refuses a source that neither exists nor is made.
function(_bpflink_need target source)
  get_source_file_property(is_made ${source} GENERATED)
  if(NOT is_made AND NOT EXISTS ${source})
    message(FATAL_ERROR "bpflink_add_object(${target}): there is no source ${source}")
  endif()
endfunction()

# Compiles one source and stores the object's path in `variable`.
function(_bpflink_compile target source variable)
  cmake_path(ABSOLUTE_PATH source NORMALIZE)
  cmake_path(GET source FILENAME name)
  string(SHA1 hash ${source})
  string(SUBSTRING ${hash} 0 8 hash)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.bpf/${name}.${hash}.o)
  set(includes ${ARG_INCLUDE_DIRECTORIES})
  list(TRANSFORM includes PREPEND -I)
  set(definitions ${ARG_COMPILE_DEFINITIONS})
  list(TRANSFORM definitions PREPEND -D)
  set(system_includes)
  if(CMAKE_LIBRARY_ARCHITECTURE)  # where Debian has <asm/types.h>
    set(system_includes -idirafter /usr/include/${CMAKE_LIBRARY_ARCHITECTURE})
  endif()
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.bpf)
  # A later command of the directory may make the source.
  cmake_language(EVAL CODE "cmake_language(DEFER CALL _bpflink_need [[${target}]] [[${source}]])")
  set(compile ${BPFLINK_CLANG} --target=bpf ${BPFLINK_COMPILE_OPTIONS} ${system_includes} ${includes}
    ${definitions} ${ARG_COMPILE_OPTIONS})
  add_custom_command(OUTPUT ${object}
    COMMAND ${compile} "$<$<BOOL:$<TARGET_PROPERTY:${target},INTERPROCEDURAL_OPTIMIZATION>>:-flto>"
      -MD -MT ${object} -MF ${object}.d -c ${source} -o ${object}
    DEPENDS ${source} DEPFILE ${object}.d
    COMMENT "Compiling BPF object ${name}" VERBATIM COMMAND_EXPAND_LISTS)
  _bpflink_note_command(${source} ${object} ${compile} -c ${source} -o ${object})
  set(${variable} ${object} PARENT_SCOPE)
endfunction()

function(bpflink_add_object target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "OUTPUT"
    "SOURCES;LIBS;INCLUDE_DIRECTORIES;COMPILE_DEFINITIONS;COMPILE_OPTIONS;LINK_OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "bpflink_add_object(${target}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "bpflink_add_object(${target}): no SOURCES")
  endif()
  if(NOT BPFLINK_CLANG)
    message(FATAL_ERROR "bpflink_add_object(${target}): no clang found: set BPFLINK_CLANG")
  endif()
  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT ${target}.o)
  endif()
  cmake_path(ABSOLUTE_PATH ARG_OUTPUT BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} NORMALIZE)

  set(objects)
  foreach(source ${ARG_SOURCES})
    _bpflink_compile(${target} ${source} object)
    list(APPEND objects ${object})
  endforeach()
  set(libraries)
  set(dependencies)
  foreach(library ${ARG_LIBS})
    if(TARGET ${library})
      get_target_property(object ${library} BPFLINK_OBJECT)
      list(APPEND libraries ${object})
      list(APPEND dependencies ${library} ${object})
    else()
      cmake_path(ABSOLUTE_PATH library NORMALIZE)
      list(APPEND libraries ${library})
      list(APPEND dependencies ${library})
    endif()
  endforeach()
  add_custom_command(OUTPUT ${ARG_OUTPUT}
    COMMAND bpflink::program ${objects} ${libraries} ${ARG_LINK_OPTIONS} -o ${ARG_OUTPUT}
      --dependency-file ${ARG_OUTPUT}.d
    COMMAND ${CMAKE_COMMAND} -DFILE=${ARG_OUTPUT}.d
      -P ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/BpflinkDependencies.cmake
    DEPENDS ${objects} ${dependencies} bpflink::program DEPFILE ${ARG_OUTPUT}.d
    COMMENT "Linking BPF object ${ARG_OUTPUT}" VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${ARG_OUTPUT})
  set_target_properties(${target} PROPERTIES BPFLINK_OBJECT ${ARG_OUTPUT}
    INTERPROCEDURAL_OPTIMIZATION "${CMAKE_INTERPROCEDURAL_OPTIMIZATION}")
endfunction()
