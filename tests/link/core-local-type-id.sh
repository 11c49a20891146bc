#!/bin/bash
# The instruction of a local type id relocation holds the type's id in the output's BTF, which
# differs from the id in the input. The program returns that id.
. "$(dirname "$0")/common.sh"

compile a <<<'struct only_here { struct only_here *self; } pad;
SEC("socket") int first(void *ctx) { return pad.self != 0; }'
compile b <<'EOF'
#include <bpf/bpf_core_read.h>
struct event { int a, b; };
SEC("socket") int second(void *ctx) { return bpf_core_type_id_local(struct event); }
EOF
link a.o b.o

id() { bpftool btf dump file "$1" | sed -n "s/^\[\([0-9]*\)\] STRUCT 'event'.*/\1/p"; }
[[ -n $(id out.o) && $(id out.o) != "$(id b.o)" ]]
second=$(symbol second | cut -d' ' -f5)
expect "$(printf '%02x 00 00 00' "$(id out.o)")" bytes socket $((second + 4)) 4
contains 'second+0x0 local_type_id struct event 0' core_relo
run "second()=$(id out.o)"

# The id of void is 0, which gcc writes for bpf_core_type_id_local(void).
python3 "$bpfobj" set b.o void.o ext:core_relo:0:0:type_id=0
link a.o void.o
second=$(symbol second | cut -d' ' -f5)
expect '00 00 00 00' bytes socket $((second + 4)) 4

# No loader finds void in a kernel (8: whether the type exists).
python3 "$bpfobj" set void.o void.o ext:core_relo:0:0:kind=8
link void.o 2>log
[[ $(<log) == *'void.o: a CO-RE relocation is of a type without a name'* ]] || fail "$(<log)"
