#!/bin/bash
# func_info names each function at its offset. line_info is in increasing order and keeps file, line
# and text, even where functions of several files share a section.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
static __noinline unsigned half(unsigned x) {
  return x / 2 + 1;
}
SEC("socket") int one(struct __sk_buff *ctx) {
  return half(ctx->len);
}
EOF
compile b <<'EOF'
__noinline unsigned third(unsigned x) {
  return x / 3;
}

SEC("socket") int two(struct __sk_buff *ctx) {
  return third(ctx->len);
}
EOF
link a.o b.o

expect $'.text 0 half\n.text 32 third\nsocket 0 one\nsocket 24 two' func_info
expect 'half+0x0 a.bpf.c:1
half+0x8 a.bpf.c:2
half+0x10 a.bpf.c:2
half+0x18 a.bpf.c:2
third+0x0 b.bpf.c:1
third+0x8 b.bpf.c:2
third+0x10 b.bpf.c:2
one+0x0 a.bpf.c:5
one+0x8 a.bpf.c:5
one+0x10 a.bpf.c:5
two+0x0 b.bpf.c:6
two+0x8 b.bpf.c:6
two+0x10 b.bpf.c:6' line_info
# llvm-objdump shows the source text that line_info carries.
llvm-objdump-19 -S --disassemble-symbols=third out.o | grep 'return x / 3;' >/dev/null
