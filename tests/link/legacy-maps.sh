#!/bin/bash
# Legacy `maps` sections (struct bpf_map_def) are data like any other: concatenated, one symbol per
# map, real offsets in the DATASEC.
. "$(dirname "$0")/common.sh"

for n in 1 2; do
  compile f$n <<EOF
struct bpf_map_def { unsigned type, key_size, value_size, max_entries, map_flags; };
struct bpf_map_def SEC("maps") m$n = { .type = 2, .key_size = 4, .value_size = 8, .max_entries = $n };
SEC("socket") int prog$n(void *ctx) { int k = 0; return bpf_map_lookup_elem(&m$n, &k) != 0; }
EOF
done
link f1.o f2.o
expect $'m1 0 20\nm2 20 20' datasec maps
contains 'prog2+0x20 address m2' references
expect '02 00 00 00 04 00 00 00 08 00 00 00 02 00 00 00 00 00 00 00' bytes maps 20

# aya takes each symbol in this section for a map: the section has one of its own only if code needs it.
lacks 'SECTION .* maps$' llvm-readelf-19 -sW out.o
compile f3 -w <<'END'
static int m3[5] SEC("maps") = { 2, 4, 8, 1 };
SEC("socket") int prog3(void *ctx) { int k = 0; return bpf_map_lookup_elem(&m3, &k) != 0; }
END
link f1.o f3.o
[[ $(llvm-readelf-19 -sW out.o) == *SECTION*' maps'* ]] || fail 'no symbol for the relocation'
