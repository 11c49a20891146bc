#!/bin/bash
# The same inputs give the same bytes: again, from another directory, under another
# name of the output.
. "$(dirname "$0")/common.sh"

for n in 1 2 3; do
  compile f$n <<EOF
int v$n = $n;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, $n); __type(key, int); __type(value, int); } m$n SEC(".maps");
SEC("socket") int prog$n(struct __sk_buff *ctx) { int key = 0; return v$n + (bpf_map_lookup_elem(&m$n, &key) != 0); }
EOF
done
link f1.o f2.o f3.o
sum=$(sha256sum <out.o)
for i in 1 2 3 4 5; do
  "$BPFLINK" f1.o f2.o f3.o -o again.o
  expect "$sum" sha256sum <again.o
done
mkdir elsewhere
cd elsewhere
"$BPFLINK" ../f1.o ../f2.o ../f3.o -o other-name.o
expect "$sum" sha256sum <other-name.o
"$BPFLINK" "$tmp/f1.o" "$tmp/f2.o" "$tmp/f3.o" -o "$tmp/out.o"
expect "$sum" sha256sum <"$tmp/out.o"
