# The objects of this project's tests, as tests/run.sh has built them, for a kernel to load. For scripts
# to source, in the project's directory.
#
#   make_own_objects DIRECTORY    DIRECTORY/before: as compiled or as bpftool links; after: by bpflink
#   compare_loads DIRECTORY VARIANT KERNEL [OPTION...]    loads those of DIRECTORY/before and /VARIANT
#   judge_loads FILE.json         prints a report of bpfcore load; fails if check disagrees
OWN_PROGRAMS=$PWD/build/release/bin OWN_FIXTURES=$PWD/build/release/tests/api OWN_SOURCES=$PWD/tests/link

# Links `before/NAME` to `after/NAME`; an object that does not link alone is no subject here.
link_alone() {
  if ! "$OWN_PROGRAMS/bpflink" "before/$1" -o "after/$1" 2>/dev/null; then rm "before/$1"; fi
}

# compile_cases: compiles each program that a case of tests/link writes, as a document or as a line
compile_cases() {
  local source
  awk '
    $1 == "compile" && match($0, /<<\047[A-Z]+\047$/) {
      end = substr($0, RSTART + 3, RLENGTH - 4)
      file = sprintf("%03d.bpf.c", ++n)
      next
    }
    $1 == "compile" && sub(/^[^<]*<<<\047/, "") && sub(/\047$/, "") { print >sprintf("%03d.bpf.c", ++n) }
    $0 == end { file = "" }
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

# load_programs NAME ARGUMENT...: writes NAME.json and NAME.log; fails unless each program has a result
load_programs() {
  rm -f "$1.json"
  "${BPFCORE:-$OWN_PROGRAMS/bpfcore}" load "${@:2}" --json "$1.json" >"$1.log" 2>&1 || true
  jq -e 'all(.programs[]; .load.result != "not_run")' "$1.json" &>/dev/null || { tail -n 5 "$1.log" && return 1; }
}

# Reports are DIRECTORY/before.json and VARIANT.json. Fails if a program loads only before, or there is none.
compare_loads() {
  local folder options=()
  for folder in before "$2"; do
    (cd "$1/$folder" && load_programs "../$folder" ./*.o --kernel "$3" "${@:4}" "${options[@]}") || return
    options=(--against ../before.json)
  done
  grep -E 'loads (no longer|now)$|instructions processed, [0-9]+ before$' "$1/$2.log" || true
  jq -r '[.programs[] | select(.load.result == "loads") | .load.instructions // 0] |
    "before, \(length) load, with \(add) instructions"' "$1/before.json"
  jq -e 'any(.programs[]; .load.result == "loads")' "$1/before.json" >/dev/null && ! grep -q 'loads no longer$' "$1/$2.log"
}

judge_loads() {
  jq -r '(.programs | group_by([.load.check, .load.result])[] |
    "\(length)\tcheck: \(.[0].load.check)\tkernel: \(.[0].load.result)"),
    ([.programs[] | select(.load.disagrees) | "disagrees: \(.object) \(.program): \(.load.message // "loads")"] |
    .[], "\(length) disagree")' "$1"
  jq -e 'any(.programs[]; .load.disagrees) | not' "$1" >/dev/null
}
