#!/bin/bash
# Definitions of one tag that may differ without a warning: structs that the files do not exchange,
# the kernel's structs, and structs with equal layouts of the members that both define.
. "$(dirname "$0")/common.sh"

# silent A B: linking the two files prints nothing
silent() {
  compile a <<<"$1"
  compile b <<<"$2"
  local order
  for order in 'a.o b.o' 'b.o a.o'; do
    # shellcheck disable=SC2086 # two words
    "$BPFLINK" --license GPL $order -o out.o 2>warnings || fail "$(<warnings)"
    [[ ! -s warnings ]] || fail "$1"$'\n'"$2"$'\n'"$(<warnings)"
  done
}
# exchanged A B: the files exchange `struct ev` by pointer, with these two definitions
exchanged() {
  silent "$1 int f(struct ev *e); SEC(\"socket\") int prog(void *ctx) { return f(ctx); }" \
    "$2 int f(struct ev *e) { return *(int *)e; }"
}
core='__attribute__((preserve_access_index))'

# The files do not exchange the struct.
silent 'struct ev { int a; }; struct ev mine; int f(int x);
SEC("socket") int prog(void *ctx) { return f(mine.a); }' \
  'struct ev { long b; int a; }; struct ev yours; int f(int x) { return x + yours.a; }'
silent 'struct ev { int a; }; static __noinline int f(struct ev *e) { return e->a; }
SEC("socket") int prog(void *ctx) { struct ev e = {1}; return f(&e); }' \
  'struct ev { long b; int a; }; static __noinline int f(struct ev *e) { return e->a; }
SEC("socket") int other(void *ctx) { struct ev e = {1}; return f(&e); }'
silent 'struct ev { int a; }; int f(void *e);
SEC("socket") int prog(void *ctx) { struct ev e = {1}; return f(&e); }' \
  'struct ev { long b; int a; }; struct ev last; int f(void *e);
__hidden int f(void *e) { return e == &last; }'
# One file only declares it: an opaque handle.
exchanged 'struct ev;' 'struct ev { int a; };'

# A kernel struct: one file reads it with CO-RE, or both do, or neither reads one of its two parts.
exchanged "struct ev { int a; } $core; int g(struct ev *e) { return e->a; }" 'struct ev { long b; int a; };'
exchanged "struct part { int a; } $core; struct ev { struct part *p; int a; } $core; struct part p;
int g(struct ev *e) { return e->a; }" \
  "struct part { int b, a; } $core; struct ev { int b, a; struct part *p; } $core; struct part p2;
int h(struct ev *e) { return e->a; }"
silent "struct part { int a; } $core; struct ev { struct part *p; int a; } $core;
int g(struct ev *e) { return e->a; } int f(struct part *p);
SEC(\"socket\") int prog(void *ctx) { return f(0); }" \
  "struct part { int b, a; } $core; int f(struct part *p) { return p != 0; }"
exchanged 'struct ev { int a; }; struct ev *get(struct ev *e) __ksym; int g(void) { return get(0) != 0; }' \
  'struct ev { long b; int a; };'
silent 'struct bpf_raw { int a; }; int f(struct bpf_raw *e);
SEC("raw_tp/sys_enter") int prog(struct bpf_raw *e) { return f(e); }' \
  'struct bpf_raw { int a, b; }; int f(struct bpf_raw *e) { return e->a; }'
silent 'struct list_head { struct list_head *next, *prev; };
struct task_struct { struct list_head tasks; int pid; }; struct pid_link { struct task_struct *task; int n; };
int f(struct pid_link *l); SEC("socket") int prog(void *ctx) { return f(0); } struct task_struct none;' \
  'struct list_head { struct list_head *next, *prev; };
struct task_struct { long state; struct list_head tasks; int pid; }; struct task_struct idle;
struct pid_link { struct task_struct *task; int n; }; int f(struct pid_link *l) { return l != 0; }'
silent 'struct ev___old { int a; }; int f(struct ev___old *e);
SEC("socket") int prog(void *ctx) { return f(ctx); }' \
  'struct ev___old { long b; int a; }; int f(struct ev___old *e) { return e != 0; }'

# A struct that contains a kernel struct and that nobody reads: two kernels' struct request, used as a key
silent 'struct list_head { struct list_head *next, *prev; };
struct request { int tag; struct list_head queue; }; int f(struct request *r);
SEC("socket") int prog(void *ctx) { return f(ctx); }' \
  'struct list_head { struct list_head *next, *prev; };
struct request { long flags; int tag; struct list_head queue[2]; };
__noinline int f(struct request *r) { return (long)r & 1; }'
silent 'struct sock_common { int a; }; struct sock { struct sock_common c; }; struct inet { struct sock sk; short id; }; struct tcp { struct inet inet; int len; };
int f(struct tcp *t); SEC("socket") int prog(void *ctx) { return f(ctx); }' \
  'struct sock_common { int a; }; struct sock { struct sock_common c; }; struct inet { struct sock sk; int flags; short id; }; struct tcp { struct inet inet; int len; };
__noinline int f(struct tcp *t) { return (long)t & 1; }'

# Data in a ring buffer has no type.
silent 'struct ev { int a; }; extern struct { __uint(type, BPF_MAP_TYPE_RINGBUF); } ring SEC(".maps");
SEC("socket") int prog(void *ctx) { struct ev e = {1}; return bpf_ringbuf_output(&ring, &e, sizeof e, 0); }' \
  'struct ev { long a, b; }; struct { __uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 4096); } ring SEC(".maps");
SEC("socket") int other(void *ctx) { struct ev e = {1}; return bpf_ringbuf_output(&ring, &e, sizeof e, 0); }'

# Equal layouts
exchanged 'struct ev { int a; };' 'struct ev { int b; };'
exchanged 'struct ev { unsigned long a; int *p; };' 'struct ev { int *a; unsigned long p; };'
exchanged 'struct ev { int a, b; };' \
  'struct ev { union { int a; unsigned raw; char c; }; struct { int b; }; };'
exchanged 'struct ev { unsigned lo, hi; };' \
  'struct ev { union { struct { unsigned lo, hi; }; unsigned long all; }; };'
for name in _pad pad1 pad_end __reserved unused2 RESERVED evPad __padding_0 __; do
  exchanged 'struct ev { int a; long b; };' "struct ev { int a; int $name; long b; };"
done
exchanged 'struct ev { int n; char text[]; };' 'struct ev { int n; char text[16]; };'
exchanged 'struct ev { unsigned long room[4]; };' 'struct ev { int a; int b; long c; };'
exchanged 'struct ev { };' 'struct ev { int a; };'
for name in E_MAX __E_MAX NR_E E_COUNT eLast LAST_E E_END MAX_E E_NUM1; do
  exchanged "enum e { A, B, $name }; struct ev { enum e e; };" \
    "enum e { A, B, C, $name }; struct ev { enum e e; };"
done
exchanged 'enum e { A = -1, B, E_NR, E_LAST = E_NR - 1 }; struct ev { enum e e; };' \
  'enum e { A = -1, B, C, E_NR, E_LAST = E_NR - 1 }; struct ev { enum e e; };'
exchanged 'struct in { int a; }; struct ev { struct in *in; };' \
  'struct in { long b; int a; }; struct ev { void *in; };'
