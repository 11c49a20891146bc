#!/bin/bash
# Inline functions of C++ stand in COMDAT groups: of each, the output has one. Also: an object with more
# sections than an ELF header can count.
. "$(dirname "$0")/common.sh"

for n in 1 2; do
  cat >f$n.cpp <<EOF
__attribute__((noinline)) inline int shared(int x) { return x * 3 + 1; }
extern "C" __attribute__((section("socket"))) int prog$n(void *ctx) { return shared($n); }
EOF
  "$CC" -O2 -g --target=bpf -c f$n.cpp -o f$n.o
done
llvm-readelf-19 -gW f1.o | has COMDAT
# The names in BTF are those of C++, so the link is not held against the rules of C.
"$BPFLINK" -q --verify f1.o f2.o -o out.o
expect 1 eval "sections | grep -c '^\.text '"
lacks 'group' sections
for n in 1 2; do contains "prog$n+0x8 call _Z6sharedi" references; done

{
  cat <<'EOF'
	.section socket,"ax",@progbits
	global prog, function
	r1 = last ll
	r0 = *(u32 *)(r1 + 0)
	exit
	end prog
EOF
  seq 66000 | sed 's/.*/\t.section .data,"aw",@progbits,unique,&\n\t.long &/'
  cat <<'EOF'
	global last, object
	.long 4711
	.size last, 4
EOF
} | assemble many
headers() { llvm-readelf-19 -h many.o | sed -n 's/^ *Number of section headers: *//p'; }
expect '0 (66007)' headers
"$BPFLINK" -q --verify many.o -o out.o
value_of_last() { llvm-readelf-19 -sW out.o | awk '$8 == "last" { print $2 }'; }
expect 0000000000040740 value_of_last
