#!/bin/bash
# The CMake sample with the installed package and both generators: builds, then has nothing to do,
# rebuilds only what depends on a changed header, and writes compile commands. Also checks against
# kernels.
. "$(dirname "$0")/common.sh"
needs jq
cd cmake

# rebuilt SOURCES OBJECTS: how many sources the build compiles and objects it links
rebuilt() {
  cmake --build build >log
  [[ $(grep -c 'Compiling BPF object' log) == "$1" ]] || fail "$generator: not $1 compiled: $(<log)"
  [[ $(grep -c 'Linking BPF object' log) == "$2" ]] || fail "$generator: not $2 linked: $(<log)"
}

# CMake takes a clang without a version in its name last.
mkdir "$tmp/older"
ln -s "$(command -v false)" "$tmp/older/clang"
if command -v clang-19 >/dev/null; then PATH=$tmp/older:$PATH; fi

for generator in 'Unix Makefiles' Ninja; do
  if [[ $generator == Ninja ]] && ! command -v ninja >/dev/null; then continue; fi
  rm -rf build
  cmake -S . -B build -G "$generator" -DCMAKE_PREFIX_PATH="$PREFIX" >log
  rebuilt 2 2
  is_filter build/filter.o
  build/report build/filter.o >report
  contains report 'socket_filter program filter'
  contains report 'map sizes, 8 entries'
  [[ $(build/check) == 'program filter of section socket, classes up to 4' ]] || fail "$generator: no skeleton"
  if readelf -d build/report | has 'libfmt\|libbpflink'; then
    fail "the program links with what is the library's business"
  fi

  rebuilt 0 0
  if [[ $generator == Ninja ]]; then contains log 'no work to do'; fi
  age
  touch ../program/record.h
  rebuilt 2 2
  [[ $(grep -c 'Writing skeleton' log) == 1 ]] || fail "$generator: the skeleton stays: $(<log)"
  age
  touch ../program/sizes.h # only the library includes it; the program relinks
  rebuilt 1 2
  age
  touch ../program/main.bpf.c
  rebuilt 1 1

  # One entry in the database, however often CMake runs
  has_commands build/compile_commands.json main.bpf.c record.bpf.c report.cpp
  cmake build >log
  rebuilt 0 0
  has_commands build/compile_commands.json main.bpf.c record.bpf.c report.cpp

  # Options for all targets, and a target's own options, which override them
  jq -r '.[] | select(.file | endswith(".bpf.c")) | .arguments | join(" ")' build/compile_commands.json >commands
  [[ $(grep -c -- '--target=bpf -g -O2 -mcpu=v3 -Wall ' commands) == 2 ]] || fail "other options: $(<commands)"
  [[ $(grep -c -- ' -mcpu=v2 ' commands) == 1 ]] || fail "no option of its own: $(<commands)"
  cmake build '-DBPFLINK_COMPILE_OPTIONS=-g;-O1' >log
  rebuilt 2 2
done

# Without programs of CMake's own: the database has BPF sources only, and drops deleted ones.
mkdir ../alone && cd ../alone
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(alone LANGUAGES NONE)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_package(bpflink REQUIRED)
foreach(name main record)
  bpflink_add_object(${name} SOURCES ../program/${name}.bpf.c LINK_OPTIONS -r
    COMPILE_DEFINITIONS [[TEXT="a\\b"]] COMPILE_OPTIONS -idirafter "$<1:/usr/include/${machine}-linux-gnu>")
endforeach()
EOF
cmake -S . -B build -DCMAKE_PREFIX_PATH="$PREFIX" -Dmachine="$(uname -m)" >log
cmake --build build >log
has_commands build/compile_commands.json main.bpf.c record.bpf.c
sed -i 's/name main record/name record/' CMakeLists.txt
cmake --build build >log
has_commands build/compile_commands.json record.bpf.c
[[ $(jq length build/compile_commands.json) == 1 ]] || fail "too many entries: $(<build/compile_commands.json)"

# As one program: the source becomes bitcode, and is linked.
cmake build -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON >log
if cmake --build build >log 2>&1; then
  [[ $(head -c 2 build/CMakeFiles/record.bpf/record.bpf.c.*.o) == BC ]] || fail 'no bitcode'
  readelf -hW build/record.o >log
  contains log 'REL (Relocatable file)'
else
  contains log 'there is no library of LLVM'
fi

# bpflink_check_core(): the build fails while a kernel does not fit, and checks only changes.
if command -v llvm-objcopy-19 >/dev/null; then
  mkdir -p ../core/kernels && cd ../core
  cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(core LANGUAGES NONE)
find_package(bpflink REQUIRED)
bpflink_add_object(trace SOURCES trace.bpf.c
  COMPILE_OPTIONS -idirafter "$<1:/usr/include/${machine}-linux-gnu>")
bpflink_check_core(trace KERNELS kernels extra.btf MODULES modules OPTIONS --optional leave --table)
EOF
  cat >trace.bpf.c <<'EOF'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
struct task_struct { int pid, tgid; } __attribute__((preserve_access_index));
SEC("kprobe/enter") int enter(struct task_struct *task) { return BPF_CORE_READ(task, pid); }
SEC("kprobe/leave") int leave(struct task_struct *task) { return BPF_CORE_READ(task, tgid); }
char LICENSE[] SEC("license") = "GPL";
EOF
  # kernel FILE MEMBER: a kernel's types; its task_struct has MEMBER
  kernel() {
    echo "struct task_struct { int $2; } task;" >kernel.c
    "$(command -v clang clang-19 | head -n 1)" -g --target=bpf -c kernel.c
    llvm-objcopy-19 --dump-section .BTF="$1" kernel.o
  }
  mkdir modules
  kernel kernels/one.btf pid
  kernel extra.btf pid
  cmake -S . -B build -DCMAKE_PREFIX_PATH="$PREFIX" -Dmachine="$(uname -m)" >log
  cmake --build build >log 2>&1 || fail "it does not fit: $(<log)"
  contains log '1  '"$PWD"'/kernels/one.btf'
  contains log "warning: struct task_struct has no member 'tgid' in 2 of 2 kernels"
  cmake --build build >log 2>&1
  if grep -q 'Checking' log; then fail "nothing has changed: $(<log)"; fi
  age
  kernel kernels/two.btf gone # CMake must notice it
  for attempt in first second; do
    if cmake --build build >log 2>&1; then fail "$attempt build: it fits all kernels"; fi
    contains log "error: struct task_struct has no member 'pid' in 1 of 3 kernels"
  done
  kernel kernels/two.btf pid
  cmake --build build >log 2>&1 || fail "it does not fit any more: $(<log)"
  for wrong in 'none KERNELS kernels' 'trace' 'trace KERNEL kernels'; do
    sed -i "s/^bpflink_check_core(.*/bpflink_check_core($wrong)/" CMakeLists.txt
    if cmake -S . -B build >log 2>&1; then fail "bpflink_check_core($wrong) is taken"; fi
    contains log "bpflink_check_core(${wrong%% *})"
  done
fi

# C with the static library, whose dependencies the package finds, and with the shared one
mkdir ../libraries && cd ../libraries
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(libraries LANGUAGES C CXX)
find_package(bpflink 1.0 REQUIRED COMPONENTS static)
foreach(library static bpflink)
  add_executable(with_${library} ../../c_api/inspect.c)
  target_link_libraries(with_${library} PRIVATE bpflink::${library})
endforeach()
EOF
cmake -S . -B build -DCMAKE_PREFIX_PATH="$PREFIX" >log
cmake --build build >log
if readelf -d build/with_static | has libbpflink; then fail 'the shared library is needed'; fi
readelf -d build/with_bpflink | has 'NEEDED.*libbpflink.so.1' || fail 'the shared library is not used'
for library in static bpflink; do
  build/with_$library ../cmake/build/filter.o >report
  contains report 'program filter: section socket'
done

# Versions: what was written for a version takes later ones of the same soname.
soname=$(readelf -d "$PREFIX/lib/libbpflink.so" | sed -n 's/.*soname: \[libbpflink\.so\.\(.*\)\]/\1/p')
# serves VERSION REQUESTED: whether the package, if it were of VERSION, is what find_package(bpflink REQUESTED) looks for
serves() {
  sed "s/\"$(bpflink --version | cut -d ' ' -f 2)\"/\"$1\"/" "$PREFIX/lib/cmake/bpflink/bpflink-config-version.cmake" >version.cmake
  cat >find.cmake <<EOF
set(PACKAGE_FIND_VERSION $2)
set(PACKAGE_FIND_VERSION_MAJOR ${2%%.*})
include(version.cmake)
if(NOT PACKAGE_VERSION_COMPATIBLE)
  message(FATAL_ERROR "no")
endif()
EOF
  cmake -P find.cmake >log 2>&1
}
serves "$soname.3.0" "$soname.1" || fail 'a later minor version does not serve'
if serves "$soname.1.0" "$soname.3"; then fail 'an earlier minor version serves'; fi
if serves "$((soname + 1)).0.0" "$soname.1"; then fail 'another soname serves'; fi

# A missing version and an unknown component
for request in '9.0 REQUIRED' 'REQUIRED COMPONENTS no_such'; do
  sed -i "s/find_package.*/find_package(bpflink $request)/" CMakeLists.txt
  if cmake -S . -B build.refused -DCMAKE_PREFIX_PATH="$PREFIX" >log 2>&1; then
    fail "find_package(bpflink $request) finds something"
  fi
done

# A source that is missing is an error of CMake, unless a command makes it.
mkdir ../missing && cd ../missing
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(missing LANGUAGES NONE)
find_package(bpflink REQUIRED)
bpflink_add_object(made SOURCES ${CMAKE_BINARY_DIR}/made.bpf.c)
add_custom_command(OUTPUT made.bpf.c COMMAND echo "int x;" >made.bpf.c)
EOF
cmake -S . -B build -DCMAKE_PREFIX_PATH="$PREFIX" >log 2>&1 || fail "a source that is made: $(<log)"
cmake --build build >log 2>&1 || fail "a source that is made: $(<log)"
echo 'bpflink_add_object(absent SOURCES absent.bpf.c)' >>CMakeLists.txt
if cmake build >log 2>&1; then fail 'a missing source is no error'; fi
contains log "bpflink_add_object(absent): there is no source"
