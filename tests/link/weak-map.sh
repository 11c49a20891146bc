#!/bin/bash
# A weak map of three files becomes one map, and a strong definition wins.
. "$(dirname "$0")/common.sh"

for n in 1 2 3; do
  compile f$n <<EOF
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, int); __type(value, long);
} common SEC(".maps") __weak;
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, $n); __type(key, int); __type(value, long);
} own$n SEC(".maps");
SEC("socket") int prog$n(void *ctx) {
  int key = 0;
  return bpf_map_lookup_elem(&common, &key) == bpf_map_lookup_elem(&own$n, &key);
}
EOF
done
compile strong <<'EOF'
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, int); __type(value, long);
} common SEC(".maps");
EOF

link f1.o f2.o f3.o
expect 'OBJECT GLOBAL DEFAULT .maps 0 32' symbol common
expect $'common 0 32\nown1 32 32\nown2 64 32\nown3 96 32' datasec .maps
contains '.maps SHT_PROGBITS 128 AW 8' sections
[[ $(references | grep -c ' address common$') == 3 ]]

# A later link may override it, but nothing after a final one: cilium/ebpf refuses weak maps.
"$BPFLINK" -r f1.o f2.o -o partial.o
object=partial.o expect 'OBJECT WEAK DEFAULT .maps 0 32' symbol common

link f1.o strong.o f2.o
expect 'OBJECT GLOBAL DEFAULT .maps 32 32' symbol common
expect $'own1 0 32\ncommon 32 32\nown2 64 32' datasec .maps
