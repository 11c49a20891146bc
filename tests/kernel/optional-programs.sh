#!/bin/bash
# libbpf loads programs of sections named `?...` only on request. Two files have such sections, and
# one that libbpf loads; all come through the link.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
SEC("?socket") int off1(void *ctx) { return *(int *)0; }
SEC("socket") int on(void *ctx) { return 1; }
EOF
compile b <<'EOF'
SEC("?socket") int off2(void *ctx) { return *(int *)0; }
EOF
link a.o b.o
expect $'off1\noff2\non' eval 'func_info | cut -d" " -f3 | sort'
run 'on()=1'
