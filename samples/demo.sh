#!/bin/bash
# The linker at work on a real program, a packet counter of three files: compiles them,
# links them with bpflink, shows what came out, and runs it where the kernel permits.
# Installs and builds what it needs; safe to run again.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
cmake/packages.sh build bpf
PATH=$PATH:/usr/sbin:/sbin
source=samples/packet_counter
out=samples/build
mkdir -p "$out"

step() { printf '\n== %s\n' "$*"; }
show() {
  printf '$ %s\n' "$*"
  "$@"
}

step 'Build bpflink'
if ! (cmake --preset release && cmake --build --preset release --target bpflink --parallel "$(nproc)") \
  >"$out/build.log" 2>&1; then
  cat "$out/build.log"
  exit 1
fi
bpflink=build/release/bin/bpflink
show "$bpflink" --version

step "The running kernel's types, as a header"
if [[ -r /sys/kernel/btf/vmlinux ]]; then
  bpftool btf dump file /sys/kernel/btf/vmlinux format c >"$out/vmlinux.h"
  echo "vmlinux.h: $(wc -l <"$out/vmlinux.h") lines from /sys/kernel/btf/vmlinux"
else
  cp "$source/vmlinux_minimal.h" "$out/vmlinux.h"
  echo 'This kernel has no BTF (/sys/kernel/btf/vmlinux): a minimal header stands in for it.'
fi

step 'Compile three files'
for name in count packet state; do
  show clang-19 -g -O2 --target=bpf -mcpu=v3 -Wall -I "$out" -c "$source/$name.bpf.c" -o "$out/$name.o"
done

step 'Link them; count.bpf.c only declares the maps and variables that state.bpf.c defines'
show "$bpflink" "$out/count.o" "$out/packet.o" "$out/state.o" -o "$out/packet_counter.o"

step 'Sections'
llvm-readelf-19 -SW "$out/packet_counter.o" | grep -E 'Name|PROGBITS|NOBITS|REL '
step 'Symbols: one of each name; is_welcome() is that of count.bpf.c'
llvm-readelf-19 -sW "$out/packet_counter.o" | grep -E 'Name|GLOBAL|WEAK'
step 'Maps and variables, as the loader will find them'
bpftool btf dump file "$out/packet_counter.o" | grep -A9 DATASEC
step 'Types: each once, with the members that the program uses'
bpftool btf dump file "$out/packet_counter.o" format c | sed -n '/^struct \(flow\|counter\|protocol_counters\) {/,/^}/p'

step 'Make a skeleton of the linked object, and a loader with it'
bpftool gen skeleton "$out/packet_counter.o" name packet_counter >"$out/packet_counter.skel.h"
show gcc -O2 -Wall -I "$out" "$source/loader.c" -o "$out/loader" -lbpf

step 'Load it into the kernel and run it'
status=0
show "$out/loader" || status=$?
# 77: not permitted here; the loader has said why.
((status == 0 || status == 77)) || exit "$status"
