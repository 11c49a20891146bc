#!/bin/bash
# struct_ops: members that the kernel's struct has, and programs that it takes for them.
. "$(dirname "$0")/common.sh"

# A struct_ops variable has a member that the kernel's struct lacks.
compile ops <<'EOS'
struct my_ops { int (*run)(int value); int (*halt)(int value); };
SEC("struct_ops/run") int run(unsigned long long *args) { return 0; }
SEC("struct_ops/halt") int halt(unsigned long long *args) { return 0; }
SEC(".struct_ops") struct my_ops ops = {.run = (void *)run, .halt = (void *)halt};
EOS
kernel ops_of <<'EOS'
struct my_ops { int (*run)(int value); int (*halts)(int value); };
struct bpf_struct_ops_my_ops { long state; struct my_ops data; } value;
void init(void) {}
EOS
core 1 check ops.o ops_of.btf
says "struct_ops member my_ops.halt does not exist in the kernel's struct in ops_of.btf"
says '>>> did you mean halts?'
# A program that no struct has: user space may set a member to it.
compile unnamed <<<'SEC("struct_ops/run") int run(unsigned long long *args) { return 0; }'
core 0 check unnamed.o ops_of.btf --table
says 'not known of ops_of.btf: the struct that has run'
says '>>> the program that loads it sets one'
grep -q '^run *?$' core.out || fail "$(<core.out)"

# Members of struct_ops
compile ops <<'EOS'
struct tcp_congestion_ops { void (*release)(void *); void (*init)(void *); unsigned long (*get_info)(void *); char name[16]; };
SEC("struct_ops") void ends(unsigned long long *ctx) { int on = 1; bpf_setsockopt((void *)ctx[0], 6, 1, &on, 4); }
SEC("struct_ops") void begins(unsigned long long *ctx) { int on = 1; bpf_setsockopt((void *)ctx[0], 6, 1, &on, 4); }
SEC(".struct_ops") struct tcp_congestion_ops cc = {.release = (void *)ends, .init = (void *)begins, .name = "x"};
EOS
kernel ops <<'EOS'
struct tcp_congestion_ops { void (*release)(void *); void (*init)(void *); unsigned long (*get_info)(void *); char name[16]; };
struct bpf_struct_ops_tcp_congestion_ops { struct tcp_congestion_ops data; } ops;
void init(void) {}
EOS
fits 'endsX beginsX' ops.o ops.btf --release 7.2.0 # a map loads with all of its programs
[[ $(tail -n 1 core.out) == '0 of 2 programs fit ops.btf; 1 only because another of its struct_ops map fails' ]] || fail "$(<core.out)"
says 'error: struct_ops programs may not call bpf_setsockopt in ops.btf'
says '>>> needed by program ends'
says_not begins
sed 's/\.init = /.get_info = /; s/bpf_setsockopt((void \*)ctx\[0\], 6, 1, &on, 4)/on++/' ops.bpf.c >source
compile info <source
core 1 check info.o ops.btf --release 7.2.0
says 'error: struct_ops member tcp_congestion_ops.get_info is not one that programs may implement in ops.btf'

# Two maps: one program that both have, and one that none has
cp ops.bpf.c source
cat >>source <<'EOS'
SEC("struct_ops") void also(unsigned long long *ctx) {}
SEC(".struct_ops") struct tcp_congestion_ops other = {.release = (void *)also, .init = (void *)begins, .name = "y"};
SEC("xdp") int apart(void *ctx) { return 2; }
EOS
compile two_ops <source
fits 'endsX beginsX also+ apart+' two_ops.o ops.btf --release 7.2.0
