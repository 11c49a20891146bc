#!/bin/bash
# The installed skeleton generator: for a file and an archive, for several files, and through CMake in
# each language.
. "$(dirname "$0")/common.sh"
cd make && make >log && cd ..

bpfskel make/main.bpf.o make/lib/librecord.a >main.skel.h
contains main.skel.h 'struct main_bpf__rodata {'
contains main.skel.h 'struct bpf_map *sizes;'

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C CXX)
find_package(bpflink REQUIRED)
bpflink_add_skeleton(filter OBJECTS make/main.bpf.o make/record.bpf.o)
bpflink_add_skeleton(filter_class OBJECTS make/main.bpf.o make/lib/librecord.a
  NAME filter LANGUAGE cpp)
bpflink_add_skeleton(filter_module OBJECTS make/main.bpf.o make/record.bpf.o
  NAME filter LANGUAGE rust OUTPUT rust/filter.rs)
bpflink_add_skeleton(plain_module OBJECTS make/main.bpf.o make/record.bpf.o LANGUAGE rust)
bpflink_add_skeleton(crate_module OBJECTS make/main.bpf.o make/record.bpf.o LANGUAGE libbpf-rs)
foreach(language c cpp)
  add_executable(user_${language} user.${language})
  target_compile_options(user_${language} PRIVATE -Wall -Werror)
endforeach()
target_link_libraries(user_c PRIVATE filter bpf)
target_link_libraries(user_cpp PRIVATE filter_class bpf)
END
cat >user.c <<'END'
#include <linux/types.h>
#include "filter.skel.h"
int main(void) {
  struct filter *skel = filter__open();
  int largest = skel ? skel->rodata->largest_class : 0;
  filter__destroy(skel);
  return largest == 4 ? 0 : 1;
}
END
cat >user.cpp <<'END'
#include <linux/types.h>
#include "filter.skel.hpp"
int main() {
  filter_skel skel = filter_skel::open();
  return skel && skel->rodata->largest_class == 4 ? 0 : 1;
}
END
cmake -B build -DCMAKE_PREFIX_PATH="$PREFIX" >log
cmake --build build --target all {filter,plain,crate}_module_output >log 2>&1 || fail "$(<log)"
build/user_c
[[ -e build/filter.skel.hpp && -e build/rust/filter.rs && -e build/plain_module.skel.rs ]] || fail 'other names of files'
grep -q libbpf_rs build/crate_module.skel.rs || fail 'a module without libbpf-rs'
build/user_cpp

echo 'bpflink_add_skeleton(other OBJECTS make/main.bpf.o LANGUAGE c++)' >>CMakeLists.txt
if cmake build >log 2>&1; then fail 'there is a language c++'; fi
contains log 'LANGUAGE is c, cpp, rust or libbpf-rs, not c++'
