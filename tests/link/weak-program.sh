#!/bin/bash
# A weak program between others of its section loses to one in another section. Its code and records
# are dropped; the other programs stay in order.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
SEC("socket") int first(void *ctx) { return 1; }
SEC("socket") __weak int prog(void *ctx) { return bpf_get_smp_processor_id(); }
SEC("socket") int last(void *ctx) { return 3; }
EOF
compile b <<<'SEC("xdp") int prog(void *ctx) { return 20; }'
link a.o b.o

expect 'FUNC GLOBAL DEFAULT xdp 0 16' symbol prog
expect 'FUNC GLOBAL DEFAULT socket 16 16' symbol last
expect $'socket 0 first\nsocket 16 last\nxdp 0 prog' func_info
expect $'first+0x0 a.bpf.c:1\nlast+0x0 a.bpf.c:3\nprog+0x0 b.bpf.c:1' line_info
