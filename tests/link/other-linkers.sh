#!/bin/bash
# How linkers not made for BPF link the same objects, as a table of the README says. lld refuses the
# machine. GNU ld (bpf-ld of binutils) concatenates .BTF, so that readers find the first input's
# types alone, and it keeps weak definitions that lost.
. "$(dirname "$0")/common.sh"

compile main <<'EOF'
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4);
                __type(key, __u32); __type(value, __u64); } packets SEC(".maps");
unsigned helper(unsigned x);
SEC("socket") int prog(struct __sk_buff *ctx)
{
    __u32 key = 0;
    __u64 *value = bpf_map_lookup_elem(&packets, &key);
    return (value ? *value : 0) + helper(ctx->len);
}
EOF
compile lib <<'EOF'
struct only_here { int a; } only_here;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4);
         __type(key, __u32); __type(value, __u64); } packets SEC(".maps");
__weak unsigned helper(unsigned x) { return x / 3; }
EOF
compile strong <<<'unsigned helper(unsigned x) { return x / 7; } char LICENSE[] SEC("license") = "GPL";'
differs '- refused: conflicting non-weak symbol*' 'an extern makes it take the weak definition for a strong one'
link main.o lib.o strong.o
types | grep -F 'struct only_here' >/dev/null || fail 'our output lacks the second file'\''s types'

text_size() { sections | awk '$1 == ".text" { print $3 }'; }
expect 24 text_size # `helper`, once

# Two files lay out a struct differently and share a pointer to it. bpflink warns; bpftool and GNU ld do not.
compile here <<<'struct ev { int pid; } *last; SEC("socket") int here(void *ctx) { return last ? last->pid : 0; }'
compile there <<<'struct ev { long time; int pid; }; extern struct ev *last; SEC("tc") int there(void *ctx) { return last ? last->pid : 0; }'
"$BPFLINK" here.o there.o -o both.o 2>errors
expect_error "'struct ev' has two layouts"
if command -v bpftool >/dev/null; then expect '' sh -c 'bpftool gen object peer.o here.o there.o 2>&1'; fi
if command -v bpf-ld >/dev/null; then expect '' sh -c 'bpf-ld -r here.o there.o -o gnu.o 2>&1'; fi

if command -v ld.lld-19 >/dev/null; then
  if ld.lld-19 -r main.o lib.o strong.o -o lld.o 2>lld.errors; then
    fail 'lld links BPF; the README says that it does not'
  fi
  grep -F 'unsupported e_machine value: 247' lld.errors >/dev/null || fail "lld says: $(<lld.errors)"
fi

command -v bpf-ld >/dev/null || exit 0
object=gnu.o
bpf-ld -r main.o lib.o strong.o -o gnu.o
lacks 'struct only_here' types
expect 48 text_size
if bpftool gen object loads.o gnu.o 2>libbpf.errors; then
  fail "libbpf reads what GNU ld links; the README says that it does not"
fi
refused "gnu.o: .BTF holds the types of 3 objects, concatenated as by 'ld -r': link these objects with bpflink instead" gnu.o

compile twice <<<'char LICENSE[] SEC("license") = "GPL"; int helper(void) { return 1; }'
if bpf-ld -r strong.o twice.o -o gnu.o 2>/dev/null; then fail 'GNU ld takes two definitions'; fi
[[ ! -e gnu.o ]] || fail 'GNU ld leaves what stood at the output; the README says that it removes it'

compile table <<<'int table[4]; int *second(void) { static int *p = &table[1]; return p; }'
bpf-ld -r table.o -o gnu.o
bpf-ld -r --gc-sections -u second table.o -o gnu.o 2>gc.errors
grep -F 'gc-sections option ignored' gc.errors >/dev/null || fail "GNU ld says: $(<gc.errors)"
