#!/bin/bash
# Objects like those of TinyGo (go.s), with a second package that has no types.
. "$(dirname "$0")/common.sh"
(cd "$here" && "$CC" --target=bpf -mcpu=v3 -c go.s -o "$tmp/main.o")
compile count -g0 <<<'int total(void) __asm__("github.com/someone/probe/count.Total"); int total(void) { return 7; }'
differs '- refused: *' 'the peer refuses an object without BTF'
link main.o count.o 2>all
grep -qF "warning: count.o: has no BTF, and others call its 'github.com/someone/probe/count.Total'" all || fail "$(<all)"
grep -qF "warning: a program refers to 'main.last', which holds a pointer" all || fail "$(<all)"
sed -n '/kernels reject types/,$p' all >warnings
expect "bpflink: warning: kernels reject types with these names
>>> PTR '*uint8'
>>> STRUCT '[]uint8'
>>> PTR '*main.event'
>>> and 1 more
>>> give --kernel-names to rename them" head -n 6 warnings
"$BPFLINK" --kernel-names --verify main.o count.o -o renamed.o 2>all
lacks 'kernels reject types' cat all
contains 'main.filter+0x18 call (*main.event).add' references
contains 'main.filter+0x20 call github.com/someone/probe/count.Total' references
contains 'main.filter+0x0 address main.last' references
# shellcheck disable=SC2016 # a name has a dollar
contains 'main.last+0x0 abs64 main$string' references
contains 'main.last 0 48' datasec .data

# --gc-sections drops what no program reaches.
"$BPFLINK" --gc-sections main.o count.o -o out.o 2>warnings
lacks '^runtime.alloc ' symbols
# shellcheck disable=SC2016
contains 'main$string OBJECT LOCAL DEFAULT .rodata 0 3' symbols

# An error calls an undefined symbol by its Go name.
refused 'undefined symbol: github.com/someone/probe/count.Total' main.o
