#!/bin/bash
# Sections of mergeable strings keep each string once, whether one file has it twice or several
# files have it. References reach the remaining one.
. "$(dirname "$0")/common.sh"

for n in 1 2 3; do
  compile f$n <<EOF
SEC("socket") int prog$n(struct __sk_buff *ctx) {
  const char *s = ctx->len > 1000 ? "in all of them" : "only in $n";
  return s[ctx->mark & 3];
}
EOF
done
link f1.o f2.o f3.o

strings() {
  llvm-objcopy-19 --dump-section=.rodata.str1.1=contents out.o /dev/null
  tr '\0' '\n' <contents
}
expect $'in all of them\nonly in 1\nonly in 2\nonly in 3' eval 'strings | sort'
strings_of() {
  references | sed -n "s/^$1+.* address \.rodata\.str1\.1+//p" | while read -r offset; do
    tail -c +$((offset + 1)) contents | tr '\0' '\n' | sed -n 1p
  done | sort
}
for n in 1 2 3; do
  expect $'in all of them\nonly in '$n strings_of prog$n
done
contains '.rodata.str1.1 SHT_PROGBITS 45 AMS 1' sections
