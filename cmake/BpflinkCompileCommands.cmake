# Adds BPF sources to compile_commands.json, which editors and clang-tidy read. CMake writes that
# file when it generates the build, but without custom commands. So the entries of BPF sources are
# collected here, and the first build after that adds them.
#
# As a script, this file adds the entries: cmake -DENTRIES=file -DDATABASE=file -P
# BpflinkCompileCommands.cmake

# _bpflink_json(TEXT VARIABLE): stores TEXT as a JSON string.
function(_bpflink_json text variable)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  set(${variable} "\"${text}\"" PARENT_SCOPE)
endfunction()

# _bpflink_note_command(SOURCE OBJECT ARGUMENT...): collects one entry.
function(_bpflink_note_command source object)
  if(NOT CMAKE_EXPORT_COMPILE_COMMANDS)
    return()
  endif()
  set(words)
  foreach(argument IN LISTS ARGN)
    _bpflink_json("${argument}" word)
    string(APPEND words ", ${word}")
  endforeach()
  string(SUBSTRING "${words}" 2 -1 words)
  _bpflink_json("${CMAKE_CURRENT_BINARY_DIR}" directory)
  _bpflink_json("${source}" source)
  _bpflink_json("${object}" object)
  get_property(entries GLOBAL PROPERTY _BPFLINK_COMMANDS)
  if(NOT entries)
    cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL _bpflink_add_commands)
  else()
    string(APPEND entries ",\n")
  endif()
  string(APPEND entries
    "{\"directory\": ${directory}, \"file\": ${source}, \"output\": ${object}, \"arguments\": [${words}]}")
  set_property(GLOBAL PROPERTY _BPFLINK_COMMANDS "${entries}")
endfunction()

# Runs at the end of the top directory. Removes the output of an earlier run: CMake rewrites its own
# entries, but if there are none, the old file would keep ours.
set(_BPFLINK_COMMANDS_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(_bpflink_add_commands)
  get_property(entries GLOBAL PROPERTY _BPFLINK_COMMANDS)
  set(file ${CMAKE_BINARY_DIR}/CMakeFiles/bpf_compile_commands.json)
  set(database ${CMAKE_BINARY_DIR}/compile_commands.json)
  file(GENERATE OUTPUT ${file} CONTENT "${entries}\n")
  file(REMOVE ${database} ${file}.added)
  add_custom_command(OUTPUT ${file}.added
    COMMAND ${CMAKE_COMMAND} -DENTRIES=${file} -DDATABASE=${database} -P ${_BPFLINK_COMMANDS_SCRIPT}
    COMMAND ${CMAKE_COMMAND} -E touch ${file}.added
    COMMENT "Adding BPF sources to compile_commands.json" VERBATIM)
  add_custom_target(bpflink_compile_commands ALL DEPENDS ${file}.added)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(READ ${ENTRIES} entries)
  set(others "[\n")
  if(EXISTS ${DATABASE})
    file(READ ${DATABASE} others)
    string(REGEX REPLACE "}[ \n]*][ \n]*$" "},\n" others "${others}")
  endif()
  file(WRITE ${DATABASE} "${others}${entries}]\n")
endif()
