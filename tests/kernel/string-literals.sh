#!/bin/bash
# String literals stand in .rodata.str1.1 behind local symbols; each file reads its own.
. "$(dirname "$0")/common.sh"

for n in 1 2; do
  compile f$n <<EOF
const char *text$n(int which);
static __noinline int letter(const char *s, int at) { return s[at & 3]; }
SEC("socket") int prog$n(struct __sk_buff *ctx) {
  const char *s = ctx->len > 1000 ? "long$n" : "abc$n";
  return s[(ctx->len & 0) + 3];
}
EOF
done
link f1.o f2.o
run "prog1()=$(printf '%d' "'1")" "prog2()=$(printf '%d' "'2")"
