#!/bin/bash
# Map values that the kernel finds through BTF: a spin lock, a timer with a static callback, and a
# kptr, whose type tag must survive. The first file's BTF only declares the kptr's struct; the second
# file has the definition that the kernel needs.
. "$(dirname "$0")/common.sh"
[[ -e /sys/kernel/btf/vmlinux ]] || skip 'the kernel has no BTF'

cat >value.h <<'EOF'
struct task_struct { int pid; };
struct value {
  int count;
  struct bpf_spin_lock lock;
  struct bpf_timer timer;
  struct task_struct __attribute__((btf_type_tag("kptr"))) *task;
};
struct values { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, struct value); };
EOF
compile a -I. <<'EOF'
#include "value.h"
char LICENSE[] SEC("license") = "GPL";
extern struct values values SEC(".maps");
SEC("syscall") int add(void *ctx) {
  int key = 0;
  struct value *v = bpf_map_lookup_elem(&values, &key);
  if (!v) return 0;
  bpf_spin_lock(&v->lock);
  int count = v->count += 5;
  bpf_spin_unlock(&v->lock);
  return count;
}
EOF
compile b -I. <<'EOF'
#include "value.h"
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, long); } front SEC(".maps");
struct values values SEC(".maps");
static __noinline int is_set(struct task_struct *task) { return task != 0; }
static __noinline int expired(void *map, int *key, struct value *v) { return 0; }
SEC("syscall") int arm(void *ctx) {
  int key = 0;
  struct value *v = bpf_map_lookup_elem(&values, &key);
  if (!v || bpf_timer_init(&v->timer, &values, 1)) return 1;
  bpf_timer_set_callback(&v->timer, expired);
  return is_set(v->task);
}
EOF
link a.o b.o
run 'add()=5' 'arm()=0' 'add()=10' 'values[0]=10'
