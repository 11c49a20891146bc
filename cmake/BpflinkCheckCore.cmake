# bpflink_check_core(TARGET KERNELS file|directory... [MODULES dir] [OPTIONS flag...])
#
# Checks with `bpfcore check`, as a part of the build, that the object of TARGET, which
# bpflink_add_object() made, fits the kernels. The build fails if it does not. The check is the
# target TARGET_check_core, which is built with `all`; it runs again when the object or a kernel has
# changed. MODULES is the directory of the modules that are assumed to be loaded, OPTIONS are other
# options of bpfcore.
include_guard(GLOBAL)

function(bpflink_check_core target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "MODULES" "KERNELS;OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "bpflink_check_core(${target}): unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_KERNELS)
    message(FATAL_ERROR "bpflink_check_core(${target}): no KERNELS")
  endif()
  if(TARGET ${target})
    get_target_property(object ${target} BPFLINK_OBJECT)
  endif()
  if(NOT object)
    message(FATAL_ERROR "bpflink_check_core(${target}): no target of bpflink_add_object()")
  endif()

  set(arguments)
  set(dependencies)
  foreach(kernel ${ARG_KERNELS})
    cmake_path(ABSOLUTE_PATH kernel NORMALIZE)
    list(APPEND arguments --kernel ${kernel})
    if(kernel MATCHES "^/(sys|proc)/")  # their modification times mean nothing
      continue()
    elseif(IS_DIRECTORY ${kernel})
      file(GLOB_RECURSE files CONFIGURE_DEPENDS ${kernel}/*)
      list(APPEND dependencies ${files})
    else()
      list(APPEND dependencies ${kernel})
    endif()
  endforeach()
  if(ARG_MODULES)
    cmake_path(ABSOLUTE_PATH ARG_MODULES NORMALIZE)
    list(APPEND arguments --modules ${ARG_MODULES})
  endif()

  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.bpf/checked_core)
  add_custom_command(OUTPUT ${stamp}
    COMMAND bpflink::bpfcore check ${object} ${arguments} ${ARG_OPTIONS}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${object} ${target} ${dependencies} bpflink::bpfcore
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    COMMENT "Checking which kernels ${target} fits" VERBATIM)
  add_custom_target(${target}_check_core ALL DEPENDS ${stamp})
endfunction()
