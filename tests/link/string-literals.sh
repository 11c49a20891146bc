#!/bin/bash
# String literals are in .rodata.str1.1 and have no symbols. The section symbol and addend of each
# reference reach the program's own string, and the program reads it.
. "$(dirname "$0")/common.sh"

for n in 1 2; do
  compile f$n <<EOF
SEC("socket") int prog$n(struct __sk_buff *ctx) {
  const char *s = ctx->len > 1000 ? "long$n" : "abc$n";
  return s[(ctx->mark + 3) & 3];
}
EOF
done
link f1.o f2.o

# strings_of PROGRAM: the strings that its references reach
strings_of() {
  llvm-objcopy-19 --dump-section=.rodata.str1.1=contents out.o /dev/null
  references | sed -n "s/^$1+.* address \.rodata\.str1\.1+//p" | while read -r offset; do
    tail -c +$((offset + 1)) contents | tr '\0' '\n' | sed -n 1p
  done | sort
}
expect $'abc1\nlong1' strings_of prog1
expect $'abc2\nlong2' strings_of prog2
run "prog1()=$(printf '%d' "'1")" "prog2()=$(printf '%d' "'2")"
