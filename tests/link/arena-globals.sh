#!/bin/bash
# An arena global (.addr_space.1), defined in one file and extern in the other, becomes one
# definition with its real size: in both orders and through a partial link.
. "$(dirname "$0")/common.sh"

compile use <<'EOF'
#define __arena __attribute__((address_space(1)))
char LICENSE[] SEC("license") = "GPL";
struct {
  __uint(type, 33 /* BPF_MAP_TYPE_ARENA */); __uint(map_flags, 1 << 10); __uint(max_entries, 10);
} arena SEC(".maps");
extern int __arena shared;
int __arena own = 1;
SEC("syscall") int prog(void *ctx) {
  asm volatile("" : : "r"(&arena)); // a program has to name its arena
  shared += 2; own += 3;
  return shared + own;
}
EOF
compile def <<'EOF'
#define __arena __attribute__((address_space(1)))
long __arena before = 9;
int __arena shared = 5;
EOF

link use.o def.o
expect $'own 0 4\nbefore 8 8\nshared 16 4' datasec .addr_space.1
expect 'OBJECT GLOBAL DEFAULT .addr_space.1 16 4' symbol shared
contains 'prog+0x10 address shared' references
if can_load_arenas; then run 'prog()=11'; fi

link def.o use.o
expect $'before 0 8\nshared 8 4\nown 12 4' datasec .addr_space.1
expect '05 00 00 00' bytes .addr_space.1 8 4
if can_load_arenas; then run 'prog()=11'; fi

# Unresolved, it stays undefined; the second link resolves it.
"$BPFLINK" -r use.o -o part.o
[[ $(object=part.o symbol shared) == *' UND 0 0' ]]
link part.o def.o
expect $'own 0 4\nbefore 8 8\nshared 16 4' datasec .addr_space.1
