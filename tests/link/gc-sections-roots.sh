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

# What only user space reads: sections that no loader loads, variables that no input refers to, and
# constants that tools know by name. A variable that only dropped code uses goes.
compile a <<'EOS'
struct { __uint(priority, 10); __uint(XDP_PASS, 1); } _prog SEC(".xdp_run_config");
__u64 version SEC("xdp_metadata") = 2;
struct event { __u32 pid; };
const void *gadget_tracer_open___events___event __attribute__((unused));
const char bpf_metadata_build[] = "b1";
const char constant[] = "c";
struct event *unused_event __attribute__((unused));
int of_dead = 3, of_user_space = 4;
__hidden int hidden_one = 5;
int cpu_of_dead SEC(".percpu"), cpu_of_user_space SEC(".percpu.more");
int dead(void) { return of_dead + cpu_of_dead; }
SEC("xdp") int prog(struct xdp_md *ctx) { return XDP_PASS; }
EOS
"$BPFLINK" --verify a.o --gc-sections -o out.o
python3 "$bpfobj" check out.o
expect '_prog
bpf_metadata_build
cpu_of_user_space
gadget_tracer_open___events___event
of_user_space
prog
unused_event
version' names
contains 'struct event { __u32 pid;};' types
expect '_prog 0 16' datasec .xdp_run_config
"$BPFLINK" a.o --gc-sections --explain unused_event --explain bpf_metadata_build --explain version -o out.o >log
for reason in 'variable that only user space can use' 'variable that tools read' 'section for user space'; do
  grep -q "$reason" log || fail "$(<log)"
done
"$BPFLINK" a.o --gc-sections --gc-constants -o out.o
lacks 'unused_event|of_user_space' names

# An export is a root, but need not be there.
compile unused <<<'int wanted(void) { return 1; } int listed(void) { return 2; } int unwanted(void) { return 3; }'
compile main <<<'SEC("tc") int prog(void *ctx) { return 0; }'
printf 'listed\n\nnone' >exports
"$BPFLINK" --gc-sections --export wanted --export none --export-symbols exports --explain wanted main.o unused.o -o out.o >text
grep -qF 'a root (--export)' text || fail "$(<text)"
expect $'listed\nprog\nwanted' eval "symbols | awk '\$2 == \"FUNC\" { print \$1 }' | sort"
link_fails --export-symbols missing main.o
expect_error 'missing: cannot open'
