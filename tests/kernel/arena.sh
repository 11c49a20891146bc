#!/bin/bash
# Globals of an arena, defined in one file and extern in the other, at run time.
. "$(dirname "$0")/common.sh"
version=$("$BPF_RUN" --libbpf-version)
[[ $(printf '%s\n' 1.5 "$version" | sort -V | head -n 1) == 1.5 ]] ||
  skip "libbpf $version cannot load arena globals (1.5 can)"

compile a <<'EOF'
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
compile b <<'EOF'
#define __arena __attribute__((address_space(1)))
long __arena before = 9;
int __arena shared = 5;
EOF
for order in "a.o b.o" "b.o a.o"; do
  link $order
  run 'prog()=11'
done
