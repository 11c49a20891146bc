# The objects of this project's tests, as tests/run.sh has built them, for a kernel to load. For scripts
# to source, in the project's directory.
#
#   make_own_objects DIRECTORY    DIRECTORY/before: as compiled or as bpftool links; after: by bpflink
#   report_core FILE.json KERNEL DIRECTORY [OPTION...]    what bpfcore says of a directory's objects
OWN_PROGRAMS=$PWD/build/release/bin OWN_FIXTURES=$PWD/build/release/tests/api OWN_SOURCES=$PWD/tests/link

# Links `before/NAME` to `after/NAME`; an object that does not link alone is no subject here.
link_alone() {
  if ! "$OWN_PROGRAMS/bpflink" "before/$1" -o "after/$1" 2>/dev/null; then rm "before/$1"; fi
}

# compile_cases: compiles each program that a case of tests/link writes to a file
compile_cases() {
  local source
  awk -v end="'EOF'" '
    $1 == "compile" && $NF == "<<" end { file = sprintf("%03d.bpf.c", ++n); next }
    $0 == "EOF" { file = "" }
    file { print >file }' "$OWN_SOURCES"/*.sh
  for source in *.bpf.c; do
    clang-19 -g -O2 --target=bpf -mcpu=v3 -w -I"/usr/include/$(uname -m)-linux-gnu" -include linux/bpf.h \
      -include bpf/bpf_helpers.h -c "$source" -o "before/${source%.bpf.c}.o" 2>/dev/null || true
  done
}

# link_group NAME OBJECT...
link_group() {
  bpftool gen object "before/$1.o" "${@:2}" 2>/dev/null || return 0
  "$OWN_PROGRAMS/bpflink" "${@:2}" -o "after/$1.o"
}

make_own_objects() (
  mkdir -p "$1"/{before,after}
  cd "$1"
  local object
  compile_cases
  for object in "$OWN_FIXTURES"/*.o; do
    if [[ $object != *-be.o && $object != *-nobtf.o ]]; then cp "$object" before; fi
  done
  for object in before/*.o; do link_alone "${object#*/}"; done
  link_group group-packets "$OWN_FIXTURES"/{packets,tally}.o
  link_group group-state "$OWN_FIXTURES"/{counters,state}.o
  link_group group-meter "$OWN_FIXTURES"/{metered,meter}.o
  rm -f ./*.bpf.c
)

# Objects that bpfcore refuses, such as those with a bad map, are no subject here.
report_core() {
  local object status objects=()
  for object in "$3"/*.o; do
    status=0
    "$OWN_PROGRAMS/bpfcore" check "$object" --kernel "$object" &>/dev/null || status=$?
    if ((status < 2)); then objects+=("$object"); fi
  done
  "$OWN_PROGRAMS/bpfcore" check "${objects[@]}" "$2" "${@:4}" --json "$1" &>/dev/null || (($? == 1))
}
