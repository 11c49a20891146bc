#!/bin/bash
# --target classic-header: .BTF gets the header of 24 bytes, also if an input has a layout section.
. "$(dirname "$0")/common.sh"
python=$(python3 -c 'import sys; print(sys.executable)')

compile main <<<'struct value { long a; enum { SMALL, LARGE = 1ULL << 40 } b; } value;
SEC("socket") int prog(void *ctx) { return value.a + value.b; }'
llvm-objcopy-19 --remove-section=.rel.BTF --dump-section=.BTF=main.btf main.o plain.o
"$python" -S "$bpfobj" blob layout.btf "read('main.btf')
elements = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}
layout = [(12 if k == 3 else 4 * (k in (1, 14, 17)), elements.get(k, 0), 0) for k in range(20)]"
llvm-objcopy-19 --update-section=.BTF=layout.btf plain.o layout.o

# header FILE: the size of the header of .BTF
header() {
  llvm-objcopy-19 --dump-section=.BTF=out.btf "$1" /dev/null
  od -An -tu4 -j 4 -N 4 out.btf | tr -d ' '
}
link plain.o
expect 24 header out.o
mv out.o want.o
link layout.o
expect 32 header out.o
link --target classic-header layout.o
expect 24 header out.o
cmp want.o out.o
"$BPFLINK" --target linux-5.4 layout.o -o out.o 2>errors && fail 'bpflink converts types'
grep -qF -- '--target linux-5.4: is not classic-header; loaders convert the types of programs themselves' errors || fail "$(<errors)"

# What that header cannot say is an error, and the old output stays.
"$python" -S "$bpfobj" blob wide.btf "read('main.btf'); layout = [(0, 8, 0)] * 20
add(ENUM); words[-2] += 65536; words[-1] = 4; words.extend([string('A'), 0] * 65536)"
llvm-objcopy-19 --update-section=.BTF=wide.btf plain.o wide.o
refused "a vlen above 65535" --target classic-header wide.o
