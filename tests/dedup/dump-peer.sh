#!/bin/bash
# --dump c in place of bpftool's header: structs and unions of the same layouts, and the same kfuncs.
#
#   VMLINUX=FILE MODULE=FILE BPFTOOL=COMMAND tests/dedup/dump-peer.sh    for another kernel, with a module
#
# Compilers make types of the headers for this machine, because clang takes long to write BTF for BPF.
. "$(dirname "$0")/common.sh"

kernel=${VMLINUX:-/sys/kernel/btf/vmlinux} peer=${BPFTOOL:-bpftool}
[[ -r $kernel ]] || skip "no $kernel"
command -v pahole >/dev/null || skip 'no pahole'
read -ra peer <<<"$peer"

# differences HEADER BLOB FLAG...: how the header's structs differ from those of the BTF
differences() {
  { cat "$1" && "$python" "$compare" variables "$1"; } >variables.c
  "$CC" -std=gnu11 -g -w "${@:3}" -c variables.c -o variables.o 2>refused || { echo 'does not compile' && return; }
  pahole -J --btf_encode_detached variables.btf variables.o
  "$python" "$compare" layouts "$2" variables.btf
}

# kfuncs HEADER: its declarations of kfuncs, sorted. bpftool writes types of a module that the kernel has a second time,
# and before libbpf 1.6 attributes as tags.
kfuncs() {
  "$CC" --target=bpf -E -P "$1" | grep -F '__attribute__((section(".ksyms")))' |
    sed -E 's/___[0-9]+\>//g; s/btf_type_tag\("(address_space\([0-9]+\))"\)/\1/g' | sort
}

# judge NAME BLOB: compares NAME.h and NAME.peer.h with the BTF and each other
judge() {
  differences "$1.h" "$2" >ours
  [[ $(wc -l <ours) == 1 && $(<ours) != does* ]] || fail "$1: $(<ours)"
  differences "$1.peer.h" "$2" -fms-extensions >theirs
  echo "$1: $(<ours); of bpftool: $(sed '2,$s/;.*//' theirs | head -n 4 | paste -sd,) ($(wc -l <theirs) lines)"
  if ! grep -q '^/\* BPF kfuncs' "$1.peer.h"; then echo "$1: this bpftool writes no kfuncs"; return; fi
  kfuncs "$1.h" >ours
  kfuncs "$1.peer.h" | diff - ours || fail "$1: other kfuncs"
  echo "$1: $(wc -l <ours) kfuncs"
}

"$BTFDEDUP" "$kernel" -o kernel.btf --dump c >kernel.h
"${peer[@]}" btf dump file "$kernel" format c >kernel.peer.h
judge kernel kernel.btf

[[ ${MODULE:-} ]] || exit 0
"$BTFDEDUP" --base "$kernel" "$MODULE" --dump c >module.h
"$BTFDEDUP" --flatten --base "$kernel" "$MODULE" -o module.btf
"${peer[@]}" -B "$kernel" btf dump file "$MODULE" format c >module.peer.h
judge module module.btf
