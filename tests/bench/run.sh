#!/bin/bash
# Compares bpflink, btfdedup and bpfcore with their peers on generated inputs and prints one Markdown
# table: median times and peak memory of whole processes, file to file.
#
#   tests/bench/run.sh [--quick] [--plot FILE.svg] [PROGRAMS]
#
#   PROGRAMS        the directory with the three programs; default build/release/bin
#   --quick         a few small inputs, two runs each, to test the script
#   --plot FILE     draw time against input size, bpflink and its peer, as SVG
#   CORPUS=FILE     (environment) also deduplicate this raw BTF, .zst or plain
#   MODULES=DIR     (environment) also deduplicate 75 modules of this directory against the BTF in BASE=FILE
#   DWARF=VMLINUX   (environment) also make BTF of this kernel's DWARF, and of the module in MODULE=FILE, beside
#                   the program in PAHOLE=FILE, default pahole
#   UNITS=TAR       (environment) also deduplicate the files of this archive, .tar.zst or .tar, together
#
# The peers are a bare C program on libbpf's linker, one on its btf__dedup(), and bpftool, all from
# Debian's packages (cmake/packages.sh bench installs missing ones). Peer and program take turns in
# several rounds, so that other load on the machine affects both.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=$here/../../build/release/bin
plot='' rounds=5 quick=
while (($#)); do
  case $1 in
    --quick) quick=1 rounds=1 ;;
    --plot) plot=$(realpath "$2"); shift ;;
    -h | --help) sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//; p}' "$0"; exit ;;
    *) programs=$1 ;;
  esac
  shift
done
programs=$(realpath "$programs")
corpus=${CORPUS:+$(realpath "$CORPUS")}
units=${UNITS:+$(realpath "$UNITS")}
modules=${MODULES:+$(realpath "$MODULES")} base=${BASE:+$(realpath "$BASE")}
PATH=$PATH:/usr/sbin:/sbin

for tool in cc "${CC:-clang-19}" hyperfine python3 bpftool /usr/bin/time; do
  command -v "$tool" >/dev/null || { echo "run.sh: no $tool; see cmake/packages.sh bench" >&2; exit 1; }
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for peer in libbpf_link libbpf_dedup; do
  cc -O2 "$here/$peer.c" -o "$peer" -lbpf
done
ln -s "$programs/bpflink" "$programs/btfdedup" "$programs/bpfcore" .
ln -s "$(command -v bpftool)" .
mkdir results

run_once() { # COMMAND...: prints seconds, kilobytes and page faults
  /usr/bin/time -f '%e %M %R' -o once "$@" >/dev/null 2>run.log || cat run.log >&2
  cat once
}

measure() { # RESULT RUNS COMMAND: writes times as JSON
  hyperfine -N --runs "$2" --export-json "results/$1" "$3" >/dev/null 2>hyperfine.log ||
    { cat hyperfine.log >&2; exit 1; }
}

# runs_for SECONDS: how often to run a command of this time, for about a second in all
runs_for() {
  if [[ $quick ]]; then echo 2; else
    awk -v t="$1" 'BEGIN { n = int(1 / (t + 0.001)); print (n < 1 ? 1 : n > 50 ? 50 : n) }'
  fi
}

# compare SERIES SIZE INPUT PEER 'COMMAND' 'COMMAND': adds a row to the table, the peer's command
# first. Rows of one series form a line of the plot; `-` means none.
row=10
compare() {
  local series=$1 size=$2 input=$3 peer=$4 theirs=$5 ours=$6 seconds round many=$rounds own theirs_peak ours_peak their_faults own_faults
  row=$((row + 1))
  echo "$input: $peer" >&2
  # shellcheck disable=SC2086 # commands of several words
  read -r seconds theirs_peak their_faults <<<"$(run_once $theirs)"
  # A slow peer runs once only.
  if ((${seconds%.*} >= 5)); then
    many=0
    printf '{"results": [{"times": [%s]}]}\n' "$seconds" >"results/$row.peer.once"
  fi
  for ((round = 0; round < rounds; round++)); do
    if ((round < many)); then measure "$row.peer.$round" "$(runs_for "$seconds")" "$theirs"; fi
    # shellcheck disable=SC2086
    read -r own ours_peak own_faults <<<"$(run_once $ours)"
    measure "$row.own.$round" "$(runs_for "$own")" "$ours"
  done
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$row" "$series" "$size" "$input" "$peer" \
    "$theirs_peak" "$ours_peak" "$their_faults" "$own_faults" >>results/rows
}

compare_links() { # SERIES SIZE INPUT FILE...: compares with libbpf's linker
  compare "$1" "$2" "$3" libbpf "./libbpf_link peer.o ${*:4}" "./bpflink -o own.o ${*:4}"
}

generate() { # CASE: replaces the directory of its name
  rm -rf "${1%%:*}"
  "$here/generate.py" . "$1"
}

generate small
compare_links - 0 'two small objects' small/*.o
compare - 0 'two small objects' 'bpftool gen object' \
  './bpftool gen object peer.o small/main.o small/maps.o' \
  './bpflink -o own.o small/main.o small/maps.o'

if [[ ! $quick ]]; then
  generate functions:8
  for count in 1 2 4 8; do
    files=(functions/*.o)
    compare_links 'objects of 5,000 functions and 5,000 variables' "$count" \
      "$count x 5,000 functions and 5,000 variables" "${files[@]:0:count}"
  done
fi

many=(400 4000)
if [[ $quick ]]; then many=(20 40); fi
generate "headers:${many[1]}"
for count in "${many[@]}"; do
  files=(headers/*.o)
  compare_links 'objects of 430 types and 5 functions' "$count" \
    "$count objects of 430 types and 5 functions" "${files[@]:0:count}"
done
generate "debug:${many[0]}"
compare_links - 0 "${many[0]} such with a debug section of 610 kB each" debug/*.o
files=(headers/*.o)
files=("${files[@]:0:${many[0]}}")
compare - 0 "types of ${many[0]} objects, deduplicated" libbpf "./libbpf_dedup peer.btf ${files[*]}" \
  "./btfdedup -o own.btf ${files[*]}"

kernel=/sys/kernel/btf/vmlinux
if [[ -r $kernel ]]; then
  generate "programs:${many[0]}"
  compare_links - 0 "${many[0]} programs with vmlinux.h" programs/*.o
  # bpftool has no check: minimizing is the closest it has.
  files=(programs/*.o)
  files=("${files[@]:0:40}")
  compare - 0 "kernel types for ${#files[@]} programs" 'bpftool gen min_core_btf' \
    "./bpftool gen min_core_btf $kernel peer.btf ${files[*]}" \
    "./bpfcore minimize --merge ${files[*]} $kernel -o own.btfs"
  for file in "${files[@]}"; do # the first that resolves
    ./bpfcore check "$file" $kernel >checked 2>&1 || continue
    compare - 0 'one program on one kernel, checked' 'bpftool gen min_core_btf' \
      "./bpftool gen min_core_btf $kernel peer.btf $file" "./bpfcore check $file $kernel"
    break
  done
fi

if [[ ! $quick ]]; then
  generate arena:500
  compare_links - 0 '500 MB of arena data' arena/*.o
  generate bss:2000
  compare_links - 0 '2 GB of .bss' bss/*.o
fi

if [[ $corpus ]]; then
  case $corpus in
    *.zst) zstd -qd --long=27 "$corpus" -o corpus.btf ;;
    *) ln -s "$corpus" corpus.btf ;;
  esac
  compare - 0 "$(basename "$corpus"), deduplicated" libbpf './libbpf_dedup peer.btf corpus.btf' \
    './btfdedup -o own.btf corpus.btf'
fi

if [[ $modules ]]; then
  # 75 of them, evenly among all by size; libbpf reads no compressed ones.
  mapfile -t files < <(find "$modules" -name '*.ko' -printf '%s %p\n' | sort -n | cut -d ' ' -f 2- |
    awk '{ line[NR] = $0 } END { for (i = 0; i < 75 && i < NR; i++) print line[int(1 + i * NR / 75)] }')
  mkdir split
  compare - 0 "${#files[@]} modules against their base, in one run" libbpf \
    "./libbpf_dedup --base $base peer.btf ${files[*]}" "./btfdedup --base $base ${files[*]} -o split"
  for place in 0 $((${#files[@]} / 2)) $((${#files[@]} - 1)); do
    file=${files[place]}
    compare - 0 "a module of $(($(stat -c %s "$file") / 1024)) kB against its base" libbpf \
      "./libbpf_dedup --base $base peer.btf $file" "./btfdedup --base $base $file -o own.btf"
  done
fi

if [[ ${DWARF:-} ]]; then
  # What the kernel's build asks for, with one thread
  encode=(-J --btf_features=default --lang_exclude=rust)
  compare - 0 "BTF of a kernel's DWARF" pahole \
    "${PAHOLE:-pahole} ${encode[*]} --btf_encode_detached=peer.btf $DWARF" \
    "$programs/pahole-btfdedup -j1 ${encode[*]} --btf_encode_detached=own.btf $DWARF"
  "$programs/btfdedup" --dwarf "$DWARF" -o base.btf
  compare - 0 "BTF of a module's DWARF, $(($(stat -c %s "$MODULE") / 1024)) kB" pahole \
    "${PAHOLE:-pahole} ${encode[*]} --btf_base base.btf --btf_encode_detached=peer.btf $MODULE" \
    "$programs/pahole-btfdedup ${encode[*]} --btf_base base.btf --btf_encode_detached=own.btf $MODULE"
fi

if [[ $units ]]; then
  mkdir units
  case $units in
    *.zst) zstd -qd --long=27 -c "$units" ;;
    *) cat "$units" ;;
  esac | tar x -C units
  mapfile -t files < <(find units -type f | sort)
  compare - 0 "${#files[@]} units of gcc's BTF, deduplicated" libbpf "./libbpf_dedup peer.btf ${files[*]}" \
    "./btfdedup -o own.btf ${files[*]}"
fi

"$here/table.py" results ${plot:+--plot "$plot"}
