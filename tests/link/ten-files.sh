#!/bin/bash
# Ten files, each with a variable, a map, a function that calls the next file's and a program.
. "$(dirname "$0")/common.sh"

for n in {0..9}; do
  compile f$n <<EOF
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, $((n + 1))); __type(key, int); __type(value, int); } m$n SEC(".maps");
int v$n = $((n + 1));
extern int v$(((n + 1) % 10));
unsigned next$(((n + 1) % 10))(unsigned x);
__noinline unsigned next$n(unsigned x) { return x / $((n + 2)); }
SEC("socket") int prog$n(struct __sk_buff *ctx) {
  int key = 0;
  return next$(((n + 1) % 10))(ctx->len) + v$(((n + 1) % 10)) + (bpf_map_lookup_elem(&m$n, &key) != 0);
}
EOF
done
link f?.o

expect "$(for n in {0..9}; do echo "v$n $((4 * n)) 4"; done)" datasec .data
expect "$(for n in {0..9}; do echo "m$n $((32 * n)) 32"; done)" datasec .maps
expect "$(for n in {0..9}; do printf '%02x 00 00 00 ' $((n + 1)); done | sed 's/ $//')" bytes .data
for n in {0..9}; do
  [[ $(references | grep -c "^prog$n.* call next$(((n + 1) % 10))\$") == 1 ]]
  [[ $(references | grep -c "^prog$n.* address v$(((n + 1) % 10))\$") == 1 ]]
done
# Every file describes the same struct __sk_buff: it is there once.
[[ $(types | grep -c '^struct __sk_buff {') == 1 ]]
