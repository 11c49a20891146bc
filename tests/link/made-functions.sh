#!/bin/bash
# Functions that nothing describes get a FUNC and a prototype, but no second one that is equal:
# linked again, the output does not change.
. "$(dirname "$0")/common.sh"

compile main <<'END'
int first(int), second(int);
void nothing(void) {}
SEC("socket") int prog(struct __sk_buff *ctx) { return first(ctx->len) + second(2); }
END
compile first -g0 <<'END'
static __noinline int mix(int x) { return x * 3; }
int first(int x) { return mix(x); }
END
compile second -g0 <<'END'
static __noinline int mix(int x) { return x * 5; }
int second(int x) { return mix(x); }
END
differs '- refused: *' 'the peer takes no objects without BTF'
functions() { bpftool btf dump file out.o | grep -A1 "FUNC.*$1"; }
for order in 'main.o first.o second.o' 'second.o main.o first.o'; do
  for options in '' '--gc-sections'; do
    link $options $order
    expect 1 eval "functions _PROTO | grep -c \"ret_type_id=0 vlen=0\""
    expect 1 eval "functions \" 'mix'\" | grep -c mix"
    expect 1 eval "functions _PROTO | grep -c \"'arg1'\""
    [[ $(func_info | grep -c ' mix$') == 2 ]]
  done
done
