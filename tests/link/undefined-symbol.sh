#!/bin/bash
# A strong extern without a definition is an error that shows every reference by source line and by
# object, section and offset. A weak one may stay undefined; with -r, all may.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
int helper(int x);
extern int missing;

SEC("socket") int prog(struct __sk_buff *ctx) {
  return helper(ctx->len)
    + missing;
}
EOF
refused 'error: undefined symbol: helper' a.o
expect_error 'a.bpf.c:5'
expect_error 'a.o:(socket+0x8)'
expect_error 'error: undefined symbol: missing'
expect_error 'a.bpf.c:6'
expect_error 'a.o:(socket+0x10)'

compile main <<'EOF'
extern int absent __weak;
int nothing(int x) __weak;
SEC("socket") int prog(void *ctx) { return absent + (nothing ? nothing(1) : 0); }
EOF
link main.o
expect 'NOTYPE WEAK DEFAULT UND 0 0' symbol absent
expect 'NOTYPE WEAK DEFAULT UND 0 0' symbol nothing

link -r a.o
expect 'NOTYPE GLOBAL DEFAULT UND 0 0' symbol helper
expect 'NOTYPE GLOBAL DEFAULT UND 0 0' symbol missing
contains 'prog+0x8 call helper' references
