#!/bin/bash
# The roots of --gc-sections: programs of any section name, .maps with the contents of their
# .values, global or static (other loaders than libbpf load static ones), .struct_ops and
# .struct_ops.link, license and version. Functions of .text are no roots.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
char LICENSE[] SEC("license") = "GPL";
int _version SEC("version") = 5;
struct ops { void (*call)(void); int flags; };
SEC("struct_ops/one") void by_struct_ops(void) {}
SEC("struct_ops/two") void by_struct_ops_link(void) {}
SEC(".struct_ops") struct ops one = { .call = by_struct_ops };
SEC(".struct_ops.link") struct ops two = { .call = by_struct_ops_link };
SEC("?xdp") int not_autoloaded(struct xdp_md *ctx) { return 1; }
SEC("freplace/x") int replacement(int x) { return x; }
SEC("made/up/by/another/loader") int custom(void *ctx) { return 2; }
SEC("socket") int by_values(struct __sk_buff *ctx) { return 3; }
struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 1); __uint(key_size, 4);
  __array(values, int (struct __sk_buff *));
} jumps SEC(".maps") = { .values = { by_values } };
SEC("classifier") __attribute__((used)) static int of_a_static(struct __sk_buff *ctx) { return 4; }
__hidden int nobody_calls(int x) { return x; }
__attribute__((used)) static int nobody_calls_this_either(int x) { return x; }
EOF
"$BPFLINK" a.o --gc-sections -o out.o
python3 "$bpfobj" check out.o
names() { symbols | cut -d' ' -f1 | sort; }
expect 'LICENSE
_version
by_struct_ops
by_struct_ops_link
by_values
custom
jumps
not_autoloaded
of_a_static
one
replacement
two' names
contains 'classifier 0 of_a_static' func_info
