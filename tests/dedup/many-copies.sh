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

# A table of 4 bytes a type for each input and some; AddressSanitizer takes more. Files that are
# mapped do not count: the system may have their memory back.
limit=$((5120 + 2000 * (4 * types + 512) / 1024))
if grep -qa __asan_init "$BTFDEDUP"; then limit=unlimited; fi
printf '%s\n' {0001..2000}.btf >all
(ulimit -n 32 -d $limit && "$BTFDEDUP" @all -o out.btf)
expect "$types" types out.btf
