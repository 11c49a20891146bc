#!/bin/bash
# Sections of mergeable strings keep each string once, whether one file has it twice or several
# files have it. References reach the remaining one.
. "$(dirname "$0")/common.sh"

for n in 1 2 3; do
  compile f$n <<EOF
SEC("socket") int prog$n(struct __sk_buff *ctx) {
  const char *s = ctx->len > 1000 ? "in all of them" : "only in $n";
  return s[8 - (ctx->mark & 3)];
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
run 'prog1()=49' 'prog2()=50' 'prog3()=51' # their last characters

# Strings of wider characters; and a string that a file needs at an alignment which the first copy does
# not have: it is there again.
assemble wide1 <<'EOF'
	.section .rodata.str4.4,"aMS",@progbits,4
	global wide1, object
	.long 97, 98, 0
	.size wide1, 12
	.long 120, 0
	.section .rodata.str1.1,"aMS",@progbits,1
	.asciz "ab"
	.asciz "twice"
EOF
assemble wide2 <<'EOF'
	.section .rodata.str4.4,"aMS",@progbits,4
	global wide2, object
	.long 120, 0
	.size wide2, 8
	.long 97, 98, 0
	.section .rodata.str1.1,"aMS",@progbits,1
	.p2align 3
	global aligned, object
	.asciz "twice"
	.size aligned, 6
EOF
"$BPFLINK" -q --verify wide1.o wide2.o -o out.o
expect '61 00 00 00 62 00 00 00 00 00 00 00 78 00 00 00 00 00 00 00' bytes .rodata.str4.4
expect '61 62 00 74 77 69 63 65 00 00 00 00 00 00 00 00 74 77 69 63 65 00' bytes .rodata.str1.1
values() { llvm-readelf-19 -sW out.o | awk '$4 == "OBJECT" { print $8, $2 }'; }
expect $'wide1 0000000000000000\nwide2 000000000000000c\naligned 0000000000000010' values

# Strings that one symbol covers stay side by side.
assemble both <<'EOF'
	.section .rodata.str1.1,"aMS",@progbits,1
	.asciz "twice"
	global both, object
	.asciz "two"
	.asciz "twice"
	.size both, 10
EOF
"$BPFLINK" -q --verify both.o -o out.o
expect '74 77 69 63 65 00 74 77 6f 00 74 77 69 63 65 00' bytes .rodata.str1.1
