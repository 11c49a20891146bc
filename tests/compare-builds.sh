#!/bin/bash
# Runs the same commands with the programs of two builds and compares their outputs byte for byte.
# Use it for changes that must not change outputs. Takes minutes; not a part of CTest.
#
#   tests/compare-builds.sh [OPTION]... OLD NEW [WORK]
#
#   OLD, NEW        the directories with the programs of both builds: build/release/bin
#   WORK            a directory for the inputs; with the same one, a second run compiles less
#   --only PART     selftests, bench, samples, random or tests; may be repeated
#   --objects DIR   use the objects in DIR as the selftests
#   --reports       also compare maps, JSON, dumps, skeletons and checks against this kernel
#   --messages      also compare messages
#
# Prints a line for each difference, with a directory that contains the command, inputs that are not
# in WORK, and both builds' outputs, and at the end `N compared, M differ`. The exit status is 0 if
# nothing differs. A command that fails with both builds, with the same status, does not differ.
set -euo pipefail

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
export COMPARE_OLD COMPARE_NEW COMPARE_RUN COMPARE_REPORTS='' COMPARE_MESSAGES='' COMPARE_KEEP=''
export CC=${CC:-clang-19} LC_ALL=C PATH=$PATH:/usr/sbin:/sbin
parts=() directories=() objects=''
while (($#)); do
  case $1 in
    --only) parts+=("$2"); shift ;;
    --objects) objects=$(realpath "$2"); shift ;;
    --reports) COMPARE_REPORTS=1 ;;
    --messages) COMPARE_MESSAGES=1 ;;
    -h | --help) sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//; p}' "$0"; exit ;;
    *) directories+=("$(realpath "$1")") ;;
  esac
  shift
done
((${#parts[@]})) || parts=(selftests bench samples random tests)
COMPARE_OLD=${directories[0]:?the directory of the old programs}
COMPARE_NEW=${directories[1]:?the directory of the new programs}

COMPARE_RUN=$(mktemp -d)
work=${directories[2]:-$COMPARE_RUN/work}
mkdir -p "$work" "$COMPARE_RUN"/{tmp,differences,bin,inputs}
trap 'rm -rf "$COMPARE_RUN"/{tmp,bin,inputs,work}; rmdir --ignore-fail-on-non-empty "$COMPARE_RUN"/differences "$COMPARE_RUN"' EXIT
for program in bpflink btfdedup bpfskel bpfcore; do
  for directory in "$COMPARE_OLD" "$COMPARE_NEW"; do
    [[ -x $directory/$program ]] || { echo "compare-builds.sh: no $directory/$program" >&2; exit 2; }
  done
  cp "$here/run-both.sh" "$COMPARE_RUN/bin/$program"
done
PATH=$COMPARE_RUN/bin:$PATH

# made DIRECTORY COMMAND...: COMMAND fills the directory, unless an earlier run did
made() {
  [[ ! -e $1/.made ]] || return 0
  rm -rf "$1"
  mkdir -p "$1"
  (cd "$1" && "${@:2}" && touch .made)
}

# in_parallel COMMAND: runs COMMAND for each line of standard input, which is its $1
in_parallel() { xargs -d '\n' -P "$(nproc)" -n 1 bash -c "$1" "${2:-}"; }

# run: runs each line of standard input as a command, in its own directory
run() {
  # If COMPARE_RUN is gone, as when this script was stopped, there is no directory to work in or to remove.
  in_parallel 'directory=$(mktemp -d -p "$COMPARE_RUN/tmp") && cd "$directory" || exit 255
    eval "$1" >stdout 2>stderr
    rm -rf "$directory"' || true
}

# compile SOURCE OBJECT OPTION...
compile() { "$CC" -g -O2 --target=bpf -mcpu=v3 -w "${@:3}" -idirafter "/usr/include/$(uname -m)-linux-gnu" -c "$1" -o "$2"; }
export -f compile

kernel=/sys/kernel/btf/vmlinux

# ---- commands, one a line

alone() { # OBJECT...: links each alone, and deduplicates its types
  local object
  for object; do
    echo "bpflink $object -o out.o; bpflink -r $object -o out.o; btfdedup $object -o out.btf"
    [[ $COMPARE_REPORTS ]] || continue
    echo "reports $object; for language in c cpp rust; do bpfskel --\$language $object -o skeleton; done"
    echo "for form in c raw; do btfdedup $object --dump \$form; done"
    [[ -r $kernel ]] || continue
    echo "bpfcore check $object $kernel --table --json json; bpfcore minimize $object $kernel -o btfs"
  done
}

# reports FILE...: all reports of a link
reports() {
  bpflink -r "$@" -o out.o -Map map --json json --size-map page --dependency-file rule --cref \
    $(llvm-nm-19 --format=just-symbols --defined-only "$@" | sed '/^[A-Za-z_]/!d; s/^/--explain /' | head -n 40)
}
export -f reports

with_threads() { # FILES: links and deduplicates, with one thread and with two
  echo "for n in 1 2; do bpflink --threads \$n $1 -o out.o; btfdedup --threads \$n $1 -o out.btf; done"
}

link_options=('' '' -r --gc-sections '--gc-sections -s' '--keep-debug' '-x --localize-hidden'
  '--prefix-symbols a_' '--no-check-types --license GPL' '--threads 2' '--verify -S')

groups() { # NUMBER OBJECT...: NUMBER random groups of two to six
  local number=$1 group
  shift
  RANDOM=36
  while ((number-- > 0)); do
    group=
    for ((left = 2 + RANDOM % 5; left > 0; left--)); do
      group+=" ${*:1 + (RANDOM * 32768 + RANDOM) % $#:1}"
    done
    echo "bpflink ${link_options[RANDOM % ${#link_options[@]}]} $group -o out.o; btfdedup $group -o out.btf"
    [[ $COMPARE_REPORTS ]] || continue
    echo "reports $group; btfdedup $group --dump c"
    echo "for type in task_struct sock __sk_buff bpf_iter_meta; do btfdedup $group --explain \"struct \$type\"; done"
  done
}

# ---- the parts

# Unpacks the kernel's selftests with the files that they include, and compiles those that compile with
# the running kernel's types.
compile_selftests() {
  tar xJf /usr/src/linux-source-6.12.tar.xz --strip-components=1 --wildcards \
    '*/tools/testing/selftests/bpf' '*/tools/lib/bpf' '*/tools/include' '*/scripts/bpf_doc.py'
  mkdir -p headers
  cp -r tools/lib/bpf headers
  scripts/bpf_doc.py --header --file tools/include/uapi/linux/bpf.h >headers/bpf/bpf_helper_defs.h
  bpftool btf dump file "$kernel" format c >headers/vmlinux.h
  printf '%s\n' tools/testing/selftests/bpf/progs/*.c | in_parallel \
    'compile "$1" "$(basename "$1" .c).o" -std=gnu11 -D__TARGET_ARCH_x86 -I"$0/headers" -I"$0/tools/testing/selftests/bpf" \
      -I"$0/tools/include/uapi" 2>>errors || true' "$PWD"
}

selftests() {
  if [[ ! $objects && ! -e /usr/src/linux-source-6.12.tar.xz ]]; then
    echo 'selftests: skipped: needs the package linux-source-6.12, or --objects DIR' >&2
    return
  fi
  [[ $objects ]] || made "$work/selftests" compile_selftests
  local all=("${objects:-$work/selftests}"/*.o)
  { alone "${all[@]}"; groups 400 "${all[@]}"; } | run
}

bench() {
  made "$work/bench" "$here/bench/generate.py" . small functions:4 headers:400 debug:100 programs:400 arena:50 bss:200
  local directory
  {
    for directory in "$work"/bench/*/; do with_threads "${directory}*.o"; done
    with_threads "$work/bench/functions/0000.o"
    [[ ! -r $kernel ]] || with_threads $kernel
  } | run
}

compile_samples() {
  bpftool btf dump file "$kernel" format c >vmlinux.h
  local source name
  for source in $(cd "$here/../samples" && find . -name '*.bpf.c'); do
    name=${source#./}
    mkdir -p "$(dirname "$name")"
    compile "$here/../samples/$name" "${name%.c}.o" -I.
  done
}

samples() {
  made "$work/samples" compile_samples
  local directory
  {
    alone $(find "$work/samples" -name '*.o')
    find "$work/samples" -name '*.o' -printf '%h\n' | sort -u | while read -r directory; do
      with_threads "$directory/*.o"
      echo "bpflink --gc-sections -s $directory/*.o -o out.o"
      [[ ! $COMPARE_REPORTS ]] || echo "reports $directory/*.o"
    done
  } | run
}

# Programs of several files, and types, from the seeds of the tests
make_random() {
  seq 50 | in_parallel 'mkdir $1 && cd $1 && python3 "$0/kernel/random_programs.py" $1 $((2 + $1 % 5)) &&
    for source in f*.c; do compile $source ${source%.c}.o -include linux/bpf.h -include bpf/bpf_helpers.h; done' "$here"
  mkdir types
  "$COMPARE_NEW/random_btf" types 400 || "$COMPARE_OLD/random_btf" types 400
}

random() {
  made "$work/random" make_random
  local seed base bases
  {
    for seed in "$work"/random/[0-9]*; do
      echo "for options in '' -r '--gc-sections -s' '--threads 2'; do bpflink \$options $seed/*.o -o out.o; done"
      echo "bpflink -r $seed/f[01].o -o a.o; bpflink -r --keep-debug $seed/f[!01].o -o b.o; bpflink a.o b.o -o out.o"
      with_threads "$seed/*.o"
    done
    for seed in {1..400}; do
      bases=
      for base in "$work/random/types/$seed".base*; do [[ ! -e $base ]] || bases+=" --base $base"; done
      echo "for n in 1 2; do btfdedup --threads \$n $bases $work/random/types/$seed.input* -o out.btf; done"
      [[ ! $COMPARE_REPORTS ]] ||
        echo "for form in c raw; do btfdedup $bases $work/random/types/$seed.input* --dump \$form --sort; done"
    done
    # Malformed objects
    alone "$here"/fuzz/regressions/{elf,object,archive,btf}/*
  } | run
}

# All commands of the tests, then each object of tests/link alone. This omits cases that watch the
# process or choose its environment, which run-both.sh would disturb.
tests() {
  local scripts=("$here"/{link,link/projects,kernel,dedup,core}/*.sh)
  [[ ! $COMPARE_REPORTS ]] || scripts+=("$here"/report/*.sh)
  [[ ! $COMPARE_MESSAGES ]] || scripts+=("$here"/messages/*.sh)
  printf '%s\n' "${scripts[@]}" |
    grep -v '/common.sh$\|/faults-\|/browser\|/input-cut-off\|/out-of-memory\|/reproducible' | in_parallel '
      [[ $1 != */link/* ]] || export COMPARE_KEEP=$COMPARE_RUN/inputs
      export TMPDIR=$COMPARE_RUN/tmp BPFLINK=$0/bin/bpflink BTFDEDUP=$0/bin/btfdedup BPFSKEL=$0/bin/bpfskel BPFCORE=$0/bin/bpfcore \
        CORE_OF_LIBBPF=$COMPARE_NEW/core_of_libbpf \
        BPF_RUN=$COMPARE_NEW/bpf_run GPL_HELPERS=$COMPARE_NEW/gpl_helpers FIND_FAULTS=$COMPARE_NEW/find_faults
      timeout 600 bash "$1" </dev/null >/dev/null 2>&1 || (($? == 77)) ||
        echo "tests: $1 fails with run-both.sh in between, and compares less" >&2' "$COMPARE_RUN"
  alone "$COMPARE_RUN"/inputs/*.o | run
}

total=0 different=0
for part in "${parts[@]}"; do
  : >"$COMPARE_RUN/log"
  begin=$SECONDS
  "$part"
  mapfile -t differences < <(grep ': differ: ' "$COMPARE_RUN/log" || true)
  ((${#differences[@]} == 0)) || printf '%s\n' "${differences[@]}"
  compared=$(wc -l <"$COMPARE_RUN/log")
  failed=$(grep -c '^failed$' "$COMPARE_RUN/log" || true)
  echo "$part: $compared compared, ${#differences[@]} differ, $failed fail with both; $((SECONDS - begin)) s"
  total=$((total + compared)) different=$((different + ${#differences[@]}))
done
rm "$COMPARE_RUN/log"
echo "$total compared, $different differ"
((total > 0 && different == 0))
