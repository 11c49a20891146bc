# `docs`: the interface's documentation as HTML, build/*/docs/html. Everything in
# include/bpflink/ must be documented: a warning fails the target and its test.
find_package(Doxygen QUIET)
if(NOT DOXYGEN_FOUND)
  return()
endif()

set(DOXYGEN_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/docs)
set(DOXYGEN_PROJECT_BRIEF "${PROJECT_DESCRIPTION}")
set(DOXYGEN_STRIP_FROM_PATH ${PROJECT_SOURCE_DIR}/include)
set(DOXYGEN_FILE_PATTERNS *.hpp *.h)
set(DOXYGEN_HAVE_DOT NO)
set(DOXYGEN_GENERATE_LATEX NO)
set(DOXYGEN_QUIET YES)
set(DOXYGEN_WARN_AS_ERROR FAIL_ON_WARNINGS)
set(DOXYGEN_WARN_IF_UNDOCUMENTED YES)
set(DOXYGEN_EXTRACT_ALL NO)
set(DOXYGEN_JAVADOC_AUTOBRIEF YES)
# Private members are no interface.
set(DOXYGEN_HIDE_UNDOC_MEMBERS NO)
doxygen_add_docs(docs ${PROJECT_SOURCE_DIR}/include/bpflink COMMENT "Documentation of the interface")

include(CTest)
if(BUILD_TESTING AND NOT BPFLINK_SANITIZE)
  add_test(NAME docs/doxygen COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target docs)
  set_tests_properties(docs/doxygen PROPERTIES RUN_SERIAL ON)
endif()
