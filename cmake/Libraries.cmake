# libbpflink for users: one static and one shared library of dedup/ and linker/. The shared one
# exports the C interface alone; C++ is for static linking.
set(BPFLINK_LIBRARY_OBJECTS
  $<TARGET_OBJECTS:bpflink_btf>
  $<TARGET_OBJECTS:bpflink_linker>
  $<TARGET_OBJECTS:bpflink_skeleton>
  $<TARGET_OBJECTS:bpflink_c_api>)
set(BPFLINK_LIBRARY_NEEDS PkgConfig::LIBELF Threads::Threads)

# bpflink_library(TARGET TYPE NAME OBJECTS...): adds one library.
function(bpflink_library target type name)
  add_library(${target} ${type} ${ARGN})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE CXX)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${target} PRIVATE ${BPFLINK_LIBRARY_NEEDS})
endfunction()

# bpflink_exports(TARGET SCRIPT): exports only the symbols in the version script.
function(bpflink_exports target script)
  target_link_options(${target} PRIVATE LINKER:--version-script=${script})
  if(NOT BPFLINK_SANITIZE)  # clang links the sanitizers' runtime into programs only
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
  set_target_properties(${target} PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${script})
endfunction()

bpflink_library(bpflink_static STATIC bpflink ${BPFLINK_LIBRARY_OBJECTS})
bpflink_library(bpflink_shared SHARED bpflink ${BPFLINK_LIBRARY_OBJECTS})
bpflink_exports(bpflink_shared ${PROJECT_SOURCE_DIR}/cmake/libbpflink.map)

# libbpflink-libbpf: libbpf's linker functions on top of ours, in a library of its own that can
# replace libbpf's.
set(libbpf_objects $<TARGET_OBJECTS:bpflink_btf> $<TARGET_OBJECTS:bpflink_linker>
  $<TARGET_OBJECTS:bpflink_libbpf>)
bpflink_library(bpflink_libbpf_static STATIC bpflink-libbpf ${libbpf_objects})
bpflink_library(bpflink_libbpf_shared SHARED bpflink-libbpf ${libbpf_objects})
bpflink_exports(bpflink_libbpf_shared ${PROJECT_SOURCE_DIR}/linker/interfaces/libbpf/libbpf.map)

# The names under which users link them, installed or not.
set_target_properties(bpflink_shared PROPERTIES EXPORT_NAME bpflink)
set_target_properties(bpflink_static PROPERTIES EXPORT_NAME static)
set_target_properties(bpflink_libbpf_shared PROPERTIES EXPORT_NAME libbpf)
set_target_properties(bpflink_libbpf_static PROPERTIES EXPORT_NAME libbpf_static)
foreach(target bpflink_shared bpflink_static bpflink_libbpf_shared bpflink_libbpf_static)
  get_target_property(name ${target} EXPORT_NAME)
  add_library(bpflink::${name} ALIAS ${target})
endforeach()
