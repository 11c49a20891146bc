# libbpflink as users get it: one static and one shared library of dedup/ and
# linker/. The shared one offers what include/bpflink/ declares and nothing else.
set(BPFLINK_LIBRARY_OBJECTS
  $<TARGET_OBJECTS:bpflink_btf>
  $<TARGET_OBJECTS:bpflink_linker>
  $<TARGET_OBJECTS:bpflink_c_api>)
set(BPFLINK_LIBRARY_NEEDS fmt::fmt TBB::tbb PkgConfig::LIBELF PkgConfig::XXHASH)

# bpflink_library(TARGET TYPE): what both have in common.
function(bpflink_library target type)
  add_library(${target} ${type} ${BPFLINK_LIBRARY_OBJECTS})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME bpflink LINKER_LANGUAGE CXX)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_compile_features(${target} INTERFACE cxx_std_23)
endfunction()

bpflink_library(bpflink_static STATIC)
target_link_libraries(bpflink_static PRIVATE ${BPFLINK_LIBRARY_NEEDS})

bpflink_library(bpflink_shared SHARED)
target_link_libraries(bpflink_shared PRIVATE ${BPFLINK_LIBRARY_NEEDS})
set(version_script ${PROJECT_SOURCE_DIR}/cmake/libbpflink.map)
target_link_options(bpflink_shared PRIVATE LINKER:--version-script=${version_script} LINKER:-z,defs)
set_target_properties(bpflink_shared PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${version_script})

add_library(bpflink::bpflink ALIAS bpflink_shared)
add_library(bpflink::static ALIAS bpflink_static)
