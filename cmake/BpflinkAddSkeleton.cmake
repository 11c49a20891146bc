# bpflink_add_skeleton(TARGET OBJECTS object|archive|target... [NAME name] [OUTPUT file]
#   [LANGUAGE c|cpp|rust|libbpf-rs])
#
# Links BPF objects and writes a skeleton of the result: OUTPUT, or NAME.skel.h, .skel.hpp or
# .skel.rs by LANGUAGE, in the current binary directory. NAME is TARGET by default. In OBJECTS, a
# target of bpflink_add_object() stands for its object. TARGET is an interface library: its users find
# the header and are built after it. The path is $<TARGET_PROPERTY:TARGET,BPFLINK_SKELETON>.
include_guard(GLOBAL)

function(bpflink_add_skeleton target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "NAME;OUTPUT;LANGUAGE" "OBJECTS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "bpflink_add_skeleton(${target}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_OBJECTS)
    message(FATAL_ERROR "bpflink_add_skeleton(${target}): no OBJECTS")
  endif()
  if(NOT ARG_NAME)
    set(ARG_NAME ${target})
  endif()
  if(NOT ARG_LANGUAGE)
    set(ARG_LANGUAGE c)
  endif()
  set(suffix_c h)
  set(suffix_cpp hpp)
  set(suffix_rust rs)
  set(suffix_libbpf-rs rs)
  if(NOT suffix_${ARG_LANGUAGE})
    message(FATAL_ERROR "bpflink_add_skeleton(${target}): LANGUAGE is c, cpp, rust or libbpf-rs, not ${ARG_LANGUAGE}")
  endif()
  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT ${ARG_NAME}.skel.${suffix_${ARG_LANGUAGE}})
  endif()
  cmake_path(ABSOLUTE_PATH ARG_OUTPUT BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} NORMALIZE)
  cmake_path(GET ARG_OUTPUT PARENT_PATH directory)
  file(MAKE_DIRECTORY ${directory})

  set(objects)
  set(dependencies)
  foreach(item ${ARG_OBJECTS})
    if(TARGET ${item})
      list(APPEND dependencies ${item})
      get_target_property(item ${item} BPFLINK_OBJECT)
    else()
      cmake_path(ABSOLUTE_PATH item NORMALIZE)
    endif()
    list(APPEND objects ${item})
  endforeach()
  add_custom_command(OUTPUT ${ARG_OUTPUT}
    COMMAND bpflink::bpfskel --${ARG_LANGUAGE} --name ${ARG_NAME} ${objects} -o ${ARG_OUTPUT}
    DEPENDS ${objects} ${dependencies} bpflink::bpfskel
    COMMENT "Writing skeleton ${ARG_OUTPUT}" VERBATIM)
  add_custom_target(${target}_output DEPENDS ${ARG_OUTPUT})
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_output)
  target_include_directories(${target} INTERFACE ${directory})
  set_target_properties(${target} PROPERTIES BPFLINK_SKELETON ${ARG_OUTPUT})
endfunction()
