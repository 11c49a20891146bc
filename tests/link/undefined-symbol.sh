#!/bin/bash
# A weak extern without a definition may stay undefined; with -r, all may.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
int helper(int x);
extern int missing;

SEC("socket") int prog(struct __sk_buff *ctx) { return helper(ctx->len) + missing; }
EOF
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
