#!/bin/bash
# --license settles licenses that differ, and adds one to objects without.
. "$(dirname "$0")/common.sh"

compile a <<<'char LICENSE[] SEC("license") = "GPL"; SEC("socket") int a(void *ctx) { return 1; }'
compile b <<<'char LICENSE[] SEC("license") = "Dual BSD/GPL"; SEC("socket") int b(void *ctx) { return 2; }'
compile none <<<'SEC("socket") int c(void *ctx) { return 3; }'
text() { llvm-objcopy-19 --dump-section=license=contents out.o /dev/null; tr '\0' '|' <contents; }

refused '--license' a.o b.o
for inputs in "a.o b.o" "none.o" "b.o none.o" "a.o"; do
  "$BPFLINK" $inputs --license 'Dual MIT/GPL' -o out.o
  python3 "$bpfobj" check out.o
  expect 'Dual MIT/GPL|' text
done
