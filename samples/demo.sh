#!/bin/bash
# Shows the linker with a real program, a packet counter of three files. Links it with `bpftool gen
# object`, whose output libbpf may refuse, and with bpflink; loads and runs the result; shows an error
# message, and --gc-sections. Installs and builds what it needs; safe to run again.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p samples/build
log=samples/build/demo.log
: >"$log"
PATH=$PWD/build/release/bin:$PATH:/usr/sbin:/sbin

step() { printf '\n== %s\n' "$*"; }
show() {
  printf '$ %s\n' "$*"
  "$@"
}
# quietly COMMAND...: writes its output to the log; prints the end of that if it fails
quietly() {
  if ! "$@" >>"$log" 2>&1; then
    tail -n 20 "$log"
    echo "failed: $*; its output is in $log"
    exit 1
  fi
}

# with_progress COMMAND...: as quietly, and shows the percentages that its output has
with_progress() {
  "$@" 2>&1 | tee -a "$log" | awk '
    match($0, /^\[ *[0-9]+%\]/) && substr($0, 2, 3) + 0 >= shown { shown = substr($0, 2, 3) + 0; printf "%d%% ", shown; fflush(); shown += 5 }
    END { print "" }' || quietly false
}

step "Install what is missing (apt's output: $log)"
quietly cmake/packages.sh build bpf

step "Build bpflink, some minutes the first time (output: $log)"
quietly cmake --preset release
with_progress cmake --build --preset release --target bpflink --parallel "$(nproc)"
cd samples/build
log=demo.log
source=../packet_counter
show bpflink --version

step "Write the running kernel's types into a header, vmlinux.h"
if [[ -r /sys/kernel/btf/vmlinux ]]; then
  bpftool btf dump file /sys/kernel/btf/vmlinux format c >vmlinux.h
  echo "$(wc -l <vmlinux.h) lines from /sys/kernel/btf/vmlinux"
else
  cp $source/vmlinux_minimal.h vmlinux.h
  echo 'This kernel has no BTF (/sys/kernel/btf/vmlinux): a minimal header stands in for it.'
fi

step 'Compile three files: the program in count, a library in packet, maps and variables in state'
show clang-19 -g -O2 --target=bpf -mcpu=v3 -Wall -I. -c $source/{count,packet,state}.bpf.c

# maps OBJECT: prints the offsets of maps in .maps
maps() {
  bpftool btf dump file "$1" | awk '/DATASEC/ { in_maps = /\.maps/; next } /^\[/ { in_maps = 0 }
    in_maps { gsub(/[()'\'']/, ""); print "  map " $NF, $2 }'
}
# run OBJECT: loads it with a skeleton and runs it. Returns 1 if libbpf refuses it, 77 if loading is
# not permitted here
run() {
  echo "$ bpftool gen skeleton $1 name packet_counter >packet_counter.skel.h"
  bpftool gen skeleton "$1" name packet_counter >packet_counter.skel.h || return 1
  quietly gcc -O2 -Wall -I. $source/loader.c -o loader -lbpf
  show ./loader
}

step 'Link them as bpftool does, with libbpf'
status=0
show bpftool gen object peer.o {count,packet,state}.bpf.o || status=$?
if ((status == 0)); then
  maps peer.o
  step 'Load the result'
  run peer.o || status=$?
fi
case $status in
  0) echo 'This version of libbpf links these files well.' ;;
  77) echo 'This version of libbpf can open it.' ;;
  *) echo 'libbpf refuses the output of its own linker.' ;;
esac
if [[ $(maps peer.o | sort -uk 3 | wc -l) != $(maps peer.o | wc -l) ]]; then
  echo 'It gives one offset to all maps that one file declares and a later one defines.'
fi

step 'Link them with bpflink'
show bpflink {count,packet,state}.bpf.o -o packet_counter.o
maps packet_counter.o

step 'Load the result, send packets through it by BPF_PROG_TEST_RUN, and print what it counted'
status=0
run packet_counter.o || status=$?
# 77: not permitted here; the loader printed the reason.
((status == 0 || status == 77)) || exit "$status"

step 'A mistake: after a change of last_parent in the header, only state.bpf.c is compiled again'
mkdir -p changed
for file in packet_counter.h state.bpf.c; do
  sed 's/__u32 last_parent/__u64 last_parent/' $source/$file >changed/$file
done
quietly clang-19 -g -O2 --target=bpf -mcpu=v3 -I. -I$source -c changed/state.bpf.c -o changed/state.bpf.o
if show bpflink count.bpf.o packet.bpf.o changed/state.bpf.o -o wrong.o; then exit 1; fi

step 'Drop what the program does not use, source lines, and structs that nothing looks into'
show bpflink --gc-sections --print-gc-sections --strip-line-info --prune-types \
  {count,packet,state}.bpf.o -o small.o
show stat -c '%n: %s bytes' packet_counter.o small.o
echo 'It runs as before. Only the log of the verifier would show the source lines.'
status=0
run small.o || status=$?
((status == 0 || status == 77)) || exit "$status"

step 'What next'
cat <<'END'
build/release/bin/bpflink --help              the options
cmake --build --preset release && cmake --install build/release && ldconfig
                                              all programs, libraries and manuals in /usr/local (as root)
man bpflink                                   then
less README.md                                "Link a program of three files" is the way to your own
tests/run.sh                                  the tests
END
