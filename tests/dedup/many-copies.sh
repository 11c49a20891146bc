#!/bin/bash
# Thousands of inputs: few files are open at a time, and memory holds one copy of each type and, for
# each input, a table of its new ids.
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

# The table has 4 bytes per type of each input, plus overhead; AddressSanitizer needs more. Mapped
# files do not count: the system may reclaim their memory.
limit=$((5120 + 2000 * (4 * types + 512) / 1024))
if grep -qa __asan_init "$BTFDEDUP"; then limit=unlimited; fi
printf '%s\n' {0001..2000}.btf >all
(ulimit -n 32 -d $limit && "$BTFDEDUP" @all -o out.btf)
expect "$types" types out.btf
