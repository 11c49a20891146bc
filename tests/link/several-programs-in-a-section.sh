#!/bin/bash
# Programs of several files in sections of one name: the output has all, one after another.
. "$(dirname "$0")/common.sh"

compile a <<<'SEC("socket") int a1(struct __sk_buff *ctx) { return 1; }
SEC("socket") int a2(struct __sk_buff *ctx) { return 2; }'
compile b <<<'SEC("socket") int b1(struct __sk_buff *ctx) { return 3; }
SEC("xdp") int b2(struct xdp_md *ctx) { return 4; }'
link a.o b.o

contains 'socket SHT_PROGBITS 48 AX 8' sections
contains 'xdp SHT_PROGBITS 16 AX 8' sections
expect 'FUNC GLOBAL DEFAULT socket 16 16' symbol a2
expect 'FUNC GLOBAL DEFAULT socket 32 16' symbol b1
expect $'socket 0 a1\nsocket 16 a2\nsocket 32 b1\nxdp 0 b2' func_info
expect $'a1+0x0 a.bpf.c:1\na2+0x0 a.bpf.c:2\nb1+0x0 b.bpf.c:1\nb2+0x0 b.bpf.c:2' line_info
