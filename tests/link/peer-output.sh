#!/bin/bash
# libbpf's linker keeps the code and records of weak functions that lost, but not their symbols. A
# link of its output drops that code and its records, and keeps static functions without a symbol.
. "$(dirname "$0")/common.sh"

compile weak <<'END'
struct loser { int a; char c; };
static __noinline int helper(int x) { return x * 3 + 1; }
__weak int answer(int x) { return helper(x); }
__weak long third(void *p) { return __builtin_btf_type_id(*(struct loser *)0, 0); }
SEC("socket") int first(void *ctx) { return 5; }
SEC("socket") __weak int prog(struct __sk_buff *ctx) { return answer(ctx->len); }
SEC("socket") int last(struct __sk_buff *ctx) { return answer(ctx->len) + helper(1) + third(ctx); }
END
compile strong <<'END'
int answer(int x) { return 42; }
long third(void *p) { return 7; }
SEC("socket") int prog(struct __sk_buff *ctx) { return 8; }
END
view_of() {
  for what in symbols sections references func_info line_info core_relo; do $what; done |
    grep -v '^\.[BsDr]'
}

differs '- type struct loser *' 'goes with --gc-sections'
for order in 'strong.o weak.o' 'weak.o strong.o'; do
  link $order
  view_of >want
  bpftool gen object lib.o $order
  object=lib.o func_info >peer.func_info
  expect 2 grep -c '^\.text .* answer$' peer.func_info # otherwise this case tests nothing
  for options in '' '-r' '--gc-sections'; do
    link $options lib.o
    view_of >got
    diff want got || fail "differs with '$options'"
  done
  cp lib.o updated.o
  "$BTFDEDUP" --update updated.o
  link updated.o
  view_of >got
  diff want got || fail 'differs after --update'
done

# Only its neighbours reach this function without a symbol, and it is not one that lost.
compile plain <<'END'
static __noinline int helper(int x) { return x * 3 + 1; }
__noinline int answer(int x) { return helper(x); }
SEC("socket") int prog(struct __sk_buff *ctx) { return answer(ctx->len); }
END
llvm-objcopy-19 --strip-symbol=helper plain.o
for options in '' '--gc-sections'; do
  "$BPFLINK" --verify $options plain.o -o out.o
  contains '.text SHT_PROGBITS 48 AX 8' sections
done
