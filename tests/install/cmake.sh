#!/bin/bash
# The CMake sample by the installed package, with both generators: builds, has
# nothing to do then, and rebuilds what depends on a changed header.
. "$(dirname "$0")/common.sh"
cd cmake

for generator in 'Unix Makefiles' Ninja; do
  if [[ $generator == Ninja ]] && ! command -v ninja >/dev/null; then continue; fi
  rm -rf build
  cmake -S . -B build -G "$generator" -DCMAKE_PREFIX_PATH="$PREFIX" >log
  cmake --build build >log
  is_filter build/filter.o
  build/report build/filter.o >report
  contains report 'socket_filter program filter'
  contains report 'map sizes, 8 entries'
  [[ $(build/check) == 'program filter of section socket, classes up to 4' ]] || fail "$generator: no skeleton"
  if readelf -d build/report | grep -q 'libfmt\|libelf'; then
    fail "the program links with what is the library's business"
  fi

  cmake --build build >log
  if grep -qE 'Compiling|Linking|Writing' log; then fail "$generator: something left to do: $(<log)"; fi
  age
  touch ../program/record.h
  cmake --build build >log
  [[ $(grep -c 'Compiling BPF object' log) == 2 ]] || fail "$generator: a changed header: $(<log)"
  [[ $(grep -c 'Linking BPF object' log) == 2 ]] || fail "$generator: a changed header: $(<log)"
  [[ $(grep -c 'Writing skeleton' log) == 1 ]] || fail "$generator: a changed header: $(<log)"
done

# The static library, whose dependencies the package finds.
mkdir ../static && cd ../static
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(static LANGUAGES C CXX)
find_package(bpflink 0.1 REQUIRED COMPONENTS static)
add_executable(inspect ../../c_api/inspect.c)
target_link_libraries(inspect PRIVATE bpflink::static)
set_target_properties(inspect PROPERTIES LINKER_LANGUAGE CXX)
EOF
cmake -S . -B build -DCMAKE_PREFIX_PATH="$PREFIX" >log
cmake --build build >log
if readelf -d build/inspect | grep -q libbpflink; then fail 'the shared library is needed'; fi
build/inspect ../cmake/build/filter.o >report
contains report 'program filter: section socket'

# A version that is not there, and a component that is none.
for request in '9.0 REQUIRED' 'REQUIRED COMPONENTS no_such'; do
  sed -i "s/find_package.*/find_package(bpflink $request)/" CMakeLists.txt
  if cmake -S . -B build.refused -DCMAKE_PREFIX_PATH="$PREFIX" >log 2>&1; then
    fail "find_package(bpflink $request) finds something"
  fi
done
