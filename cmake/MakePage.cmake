# make_page(NAME HEADER DIRECTORY SCRIPT...): makes ${NAME}_page.cpp in the caller's binary
# directory, with a page for browsers in two constants, ${NAME}_page_before and ${NAME}_page_after:
# the text before the report and after it. The page's HTML, style and scripts are in DIRECTORY; all
# pages have counts.js.
# HEADER declares the constants.
function(make_page name header directory)
  set(counts ${PROJECT_SOURCE_DIR}/linker/text/counts.js)
  file(READ ${counts} PAGE_SCRIPT)
  foreach(script ${ARGN})
    file(READ ${directory}/${script} text)
    string(APPEND PAGE_SCRIPT "${text}")
  endforeach()
  file(READ ${directory}/style.css PAGE_STYLE)
  file(READ ${directory}/page.html page)
  string(FIND "${page}" "@PAGE_REPORT@" report_at)
  string(SUBSTRING "${page}" 0 ${report_at} PAGE_BEFORE)
  string(LENGTH "@PAGE_REPORT@" report_length)
  math(EXPR report_at "${report_at} + ${report_length}")
  string(SUBSTRING "${page}" ${report_at} -1 PAGE_AFTER)
  string(CONFIGURE "${PAGE_BEFORE}" PAGE_BEFORE @ONLY)
  string(CONFIGURE "${PAGE_AFTER}" PAGE_AFTER @ONLY)
  set(PAGE_NAME ${name})
  set(PAGE_HEADER ${header})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/page.cpp.in ${CMAKE_CURRENT_BINARY_DIR}/${name}_page.cpp
    @ONLY)
  file(GLOB page_files CONFIGURE_DEPENDS ${directory}/*)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page_files} ${counts})
endfunction()
