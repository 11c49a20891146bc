#!/bin/bash
# The .values of a prog array name programs: of its own file, of another file, and static ones. Each
# pointer refers to its function, and tail calls reach it.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
int remote(struct __sk_buff *ctx);
SEC("socket") int local(struct __sk_buff *ctx) { return 10; }
struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 4);
  __uint(key_size, sizeof(int));
  __array(values, int (struct __sk_buff *));
} jumps SEC(".maps") = { .values = { [0] = local, [2] = remote } };
SEC("socket") int to_local(struct __sk_buff *ctx) { bpf_tail_call(ctx, &jumps, 0); return 0; }
SEC("socket") int to_remote(struct __sk_buff *ctx) { bpf_tail_call(ctx, &jumps, 2); return 0; }
SEC("socket") int to_nothing(struct __sk_buff *ctx) { bpf_tail_call(ctx, &jumps, 3); return 5; }
EOF
compile b <<<'SEC("socket") int in_front(struct __sk_buff *ctx) { return 20; }
SEC("socket") int remote(struct __sk_buff *ctx) { return 30; }'
differs '[+-] var .maps global * jumps;' 'the peer gives parameters of this pointer the names of a definition'
link a.o b.o
run 'to_local()=10' 'to_remote()=30' 'to_nothing()=5' 'in_front()=20'

# libbpf does not load static programs.
compile c <<'EOF'
SEC("socket") static int quiet(struct __sk_buff *ctx) { return 4; }
struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 1);
  __uint(key_size, sizeof(int));
  __array(values, int (struct __sk_buff *));
} more SEC(".maps") = { .values = { quiet } };
EOF
differs '- refused: *' 'the peer knows no pointer to a static function in data'
link a.o b.o c.o

expect $'jumps+0x18 abs64 local\njumps+0x28 abs64 remote\nmore+0x18 abs64 quiet' grep abs64 <(references)
[[ $(symbol remote) == 'FUNC GLOBAL DEFAULT socket '* ]]
[[ $(symbol quiet) == 'FUNC LOCAL DEFAULT socket '* ]]
