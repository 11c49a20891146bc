# Installs the build into an empty prefix, and checks for the files that no other case uses.
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(file
    bin/pahole-btfdedup
    include/bpflink/core.hpp
    include/bpflink/core_archive.h
    lib/libbpflink-libbpf.a
    share/doc/bpflink/README.md
    share/man/man1/pahole-btfdedup.1)
  if(NOT EXISTS ${PREFIX}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()
