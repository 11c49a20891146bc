#!/bin/bash
# --gc-maps drops maps that neither code nor a kept map refers to, and only if it is asked for. Pinned
# maps and those with a name of -u stay: other programs open them by name.
. "$(dirname "$0")/common.sh"

compile a <<'EOS'
#define MAP(name, ...) struct { __uint(type, 1); __type(key, int); __type(value, long); __uint(max_entries, 100); __VA_ARGS__ } name SEC(".maps")
MAP(used, __uint(pinning, 1);); MAP(unused); MAP(pinned, __uint(pinning, 1);); MAP(wanted); MAP(of_dead_code);
struct inner { __uint(type, 2); __type(key, int); __type(value, int); __uint(max_entries, 1); } reached SEC(".maps"), lost SEC(".maps");
struct { __uint(type, 12); __type(key, int); __uint(max_entries, 1); __array(values, struct inner); } outer SEC(".maps") = {.values = {&reached}};
struct { __uint(type, 12); __type(key, int); __uint(max_entries, 1); __array(values, struct inner); } dead SEC(".maps") = {.values = {&lost}};
__noinline int uncalled(int key) { return bpf_map_lookup_elem(&of_dead_code, &key) != 0; }
SEC("socket") int prog(void *ctx) { int key = 0; return bpf_map_lookup_elem(&used, &key) || bpf_map_lookup_elem(&outer, &key); }
EOS
compile b <<'EOS'
struct { __uint(type, 1); __type(key, int); __type(value, long); __uint(max_entries, 5); } other SEC(".maps");
EOS
maps() { datasec .maps | sed 's/ .*//' | sort | xargs; }
link a.o b.o
expect 'dead lost of_dead_code other outer pinned reached unused used wanted' maps
"$BPFLINK" --gc-sections a.o b.o -o out.o
expect 'dead lost of_dead_code other outer pinned reached unused used wanted' maps
"$BPFLINK" --verify --gc-maps --print-gc-sections -u wanted a.o b.o -o out.o 2>log
expect 'outer pinned reached used wanted' maps
changes_nothing
for map in dead lost of_dead_code other unused; do
  grep -qE "removing unused .*:\(\.maps\+0x[0-9a-f]*\) $map(: up to [0-9]+ bytes of memory)?\$" log || fail "$map: $(<log)"
done
grep -q ' unused: up to 1600 bytes of memory$' log || fail "$(<log)"
grep -q 'removed .* of 6 unused definitions, with maps of up to 3288 bytes of memory$' log || fail "$(<log)"
grep -q 'keeping map pinned: pinned map, up to 1600 bytes of memory$' log || fail "$(<log)"
grep -q 'keeping map wanted: -u' log || fail "$(<log)"
[[ $(grep -c 'keeping map' log) == 2 ]] || fail "$(<log)"

"$BPFLINK" -r --gc-maps a.o b.o -o out.o 2>log
grep -qx -- 'bpflink: warning: --gc-maps: no effect with -r' log || fail "$(<log)"
expect 'dead lost of_dead_code other outer pinned reached unused used wanted' maps

# What --print-sizes says of them: 100 entries of 16 bytes
"$BPFLINK" --print-sizes a.o -o out.o >sizes
grep -q '1,600  *100  unused, hash, of no program' sizes || fail "$(<sizes)"
grep -q '1,600  *100  used, hash$' sizes || fail "$(<sizes)"

# A function that is called stays, though the damaged type of a dropped map refers to it.
compile c <<<'extern int kfunc(void) __ksym; int gone SEC(".maps"); SEC("socket") int prog(void *ctx) { return kfunc(); }'
python3 "$bpfobj" set c.o odd.o "type:gone:type=type('kfunc')"
"$BPFLINK" -q --verify --gc-maps odd.o -o out.o
