#!/bin/bash
# A ring of ten files: each has a program, a variable, a map and a function, and uses those of the
# next file. Of an extern, nothing is left, in either order.
. "$(dirname "$0")/common.sh"

for n in {0..9}; do
  next=$(((n + 1) % 10))
  compile f$n <<EOF
#define MAP(n) struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, n + 1); __type(key, int); __type(value, int); }
MAP($n) m$n SEC(".maps");
extern MAP($next) m$next SEC(".maps");
int v$n = $((n + 1));
extern int v$next;
unsigned add$next(unsigned x);
__noinline unsigned add$n(unsigned x) { return x + v$n; }
SEC("socket") int prog$n(struct __sk_buff *ctx) {
  int key = 0, value = 100 + $n;
  bpf_map_update_elem(&m$next, &key, &value, 0);
  return add$next(1000) + v$next;
}
EOF
done
link f{9..0}.o
expect "$(for n in {0..9}; do echo "v$((9 - n)) $((4 * n)) 4"; done)" datasec .data
expect "$(for n in {0..9}; do echo "m$((9 - n)) $((32 * n)) 32"; done)" datasec .maps
link f?.o

expect "$(for n in {0..9}; do echo "v$n $((4 * n)) 4"; done)" datasec .data
expect "$(for n in {0..9}; do echo "m$n $((32 * n)) 32"; done)" datasec .maps
expect "$(for n in {0..9}; do printf '%02x 00 00 00 ' $((n + 1)); done | sed 's/ $//')" bytes .data
for n in {0..9}; do
  next=$(((n + 1) % 10))
  for reference in "call add$next" "address v$next" "address m$next"; do
    [[ $(references | grep -c "^prog$n.* $reference\$") == 1 ]]
  done
done
lacks 'extern' declarations
contains 'func global unsigned int add3(unsigned int x);' declarations
expect 'OBJECT GLOBAL DEFAULT .maps 32 32' symbol m1
expect "$(for n in {0..9}; do echo "socket $((n * 160)) prog$n"; done)" eval 'func_info | grep prog'
# Every file describes the same struct __sk_buff; the output has it once.
[[ $(types | grep -c '^struct __sk_buff {') == 1 ]]
run 'prog0()=1004' 'prog4()=1012' 'prog9()=1002' 'm0[0]=109' 'm1[0]=100' 'm5[0]=104' v7=8
