#!/bin/bash
# bpf_core_type_id_local() gives at run time the type's id in the linked object's BTF.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
struct only_here { struct only_here *self; } pad;
SEC("socket") int first(void *ctx) { return pad.self != 0; }
EOF
compile b <<'EOF'
#include <bpf/bpf_core_read.h>
struct event { int a, b; };
SEC("socket") int second(void *ctx) { return bpf_core_type_id_local(struct event); }
EOF
link a.o b.o
id=$(bpftool btf dump file out.o | sed -n "s/^\[\([0-9]*\)\] STRUCT 'event'.*/\1/p")
run "second()=$id"
