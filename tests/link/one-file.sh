#!/bin/bash
# The link of a single file keeps its sections, symbols, contents and types.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
char LICENSE[] SEC("license") = "GPL";
const volatile int config = 3;
int counter;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); } m SEC(".maps");
static __noinline int helper(int x) { counter += x; return counter; }
SEC("socket") int prog(struct __sk_buff *ctx) {
  int key = 0;
  return helper(config) + (bpf_map_lookup_elem(&m, &key) != 0);
}
EOF
link a.o

for view in references declarations func_info line_info core_relo; do
  expect "$(object=a.o $view)" $view
done
for section in socket .text .rodata license .maps; do
  expect "$(object=a.o bytes $section)" bytes $section
done
expect $'LICENSE 0 4' datasec license
expect $'config 0 4' datasec .rodata
expect $'counter 0 4' datasec .bss
