#!/bin/bash
# Calls between sections, to static and global functions: each relocation reaches its function
# where the link put it.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
static __noinline unsigned one(unsigned x) { return x / 3; }
static __noinline unsigned two(unsigned x) { return x / 5; }
SEC("socket") int a1(struct __sk_buff *ctx) { return one(ctx->len) + two(ctx->len); }
EOF
compile b <<'EOF'
static __noinline unsigned one(unsigned x) { return x / 7; }
__noinline unsigned shared(unsigned x) { return one(x) / 9; }
SEC("cgroup_skb/ingress") int b1(struct __sk_buff *ctx) { return shared(ctx->len) + one(ctx->mark); }
SEC("socket") int b2(struct __sk_buff *ctx) { return shared(ctx->len); }
EOF
compile c <<<'unsigned shared(unsigned x);
SEC("cgroup_skb/ingress") int c1(struct __sk_buff *ctx) { return shared(ctx->len); }'
link a.o b.o c.o

expect $'shared+0x0 call one@0x48
b1+0x10 call shared
b1+0x28 call one@0x48
c1+0x8 call shared
a1+0x10 call one@0x0
a1+0x28 call two
b2+0x8 call shared' references
