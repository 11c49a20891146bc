#!/bin/bash
# Thousands of inputs: few files open at a time, one copy of each type in memory and, for each
# input, what its ids became.
. "$(dirname "$0")/common.sh"

{
  for i in {1..133}; do
    echo "struct s$i { int a; struct s$((i % 133 + 1)) *next; long b[$i]; };"
  done
  echo 'struct all {'
  for i in {1..133}; do echo "struct s$i m$i;"; done
  echo '};'
  echo 'SEC("socket") int prog(struct all *p) { return p->m2.a; }'
} | compile copy
llvm-objcopy-19 --dump-section=.BTF=one.btf copy.o
for i in {0001..2000}; do ln one.btf "$i.btf"; done

types() { bpftool btf dump file "$1" | grep -c '^\['; }
types=$(types one.btf)
((types > 400)) || fail "the object has $types types only"

# peak ARGUMENT...: kilobytes that btfdedup needs
peak() {
  (ulimit -n 32 && /usr/bin/time -f %M -o peak "$BTFDEDUP" "$@" -o out.btf)
  cat peak
}
printf '%s\n' {0001..0020}.btf >few
printf '%s\n' {0001..2000}.btf >all
few=$(peak @few)
expect "$types" types out.btf
all=$(peak @all)
expect "$types" types out.btf

# A table of 4 bytes a type for each input and some; AddressSanitizer keeps what is freed.
if ! grep -qa __asan_init "$BTFDEDUP"; then
  ((all < few + 2000 * (4 * types + 512) / 1024)) || fail "$few KB for 20 copies, $all KB for 2,000"
fi
