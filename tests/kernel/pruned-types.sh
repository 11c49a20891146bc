#!/bin/bash
# The verifier looks at some types by kind, size, member or name: those of kptrs, of lists and trees
# of a program's own structs, and of global functions' parameters. --prune-types keeps them, as
# `run` tests.
. "$(dirname "$0")/common.sh"
[[ -e /sys/kernel/btf/vmlinux ]] || skip 'the kernel has no BTF'
for kfunc in bpf_obj_new_impl bpf_rbtree_add_impl bpf_cpumask_create; do
  grep -q " $kfunc\$" /proc/kallsyms || skip "the kernel has no $kfunc()"
done

compile kptr <<'EOF'
#define __kptr __attribute__((btf_type_tag("kptr")))
char LICENSE[] SEC("license") = "GPL";
struct bpf_cpumask { int cpus; };
struct bpf_cpumask *bpf_cpumask_create(void) __ksym;
void bpf_cpumask_release(struct bpf_cpumask *mask) __ksym;
struct slot { struct bpf_cpumask __kptr *mask; };
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, struct slot); } slots SEC(".maps");
SEC("syscall") int keep(void *ctx) {
  int key = 0;
  struct slot *slot = bpf_map_lookup_elem(&slots, &key);
  struct bpf_cpumask *mask = bpf_cpumask_create();
  if (!mask) return 1;
  if (!slot) {
    bpf_cpumask_release(mask);
    return 2;
  }
  mask = bpf_kptr_xchg(&slot->mask, mask);
  if (mask) bpf_cpumask_release(mask);
  return mask ? 3 : 4;
}
EOF
link kptr.o
run 'keep()=4'

compile own <<'EOF'
#include <bpf/bpf_core_read.h>
#include <linux/version.h>
#define __kptr __attribute__((btf_type_tag("kptr")))
#define __contains(name, node) __attribute__((btf_decl_tag("contains:" #name ":" #node)))
#define private(name) SEC(".bss." #name) __hidden __attribute__((aligned(8)))
char LICENSE[] SEC("license") = "GPL";
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0) // later headers have them
struct bpf_list_head { __u64 opaque[2]; } __attribute__((aligned(8)));
struct bpf_list_node { __u64 opaque[3]; } __attribute__((aligned(8)));
struct bpf_rb_root { __u64 opaque[2]; } __attribute__((aligned(8)));
struct bpf_rb_node { __u64 opaque[4]; } __attribute__((aligned(8)));
#endif
void *bpf_obj_new_impl(__u64 local_type_id, void *meta) __ksym;
void bpf_obj_drop_impl(void *object, void *meta) __ksym;
int bpf_list_push_front_impl(struct bpf_list_head *, struct bpf_list_node *, void *meta, __u64 offset) __ksym;
struct bpf_list_node *bpf_list_pop_front(struct bpf_list_head *) __ksym;
int bpf_rbtree_add_impl(struct bpf_rb_root *, struct bpf_rb_node *,
                        _Bool (*less)(struct bpf_rb_node *, const struct bpf_rb_node *), void *meta, __u64 offset) __ksym;
struct inner { int payload; };
struct listed { struct bpf_list_node node; struct inner __kptr *inner; int number; };
struct sorted { struct bpf_rb_node node; int number; };
private(list) struct bpf_spin_lock lock;
private(list) struct bpf_list_head head __contains(listed, node);
private(tree) struct bpf_spin_lock tree_lock;
private(tree) struct bpf_rb_root root __contains(sorted, node);
static _Bool less(struct bpf_rb_node *a, const struct bpf_rb_node *b) {
  return container_of(a, struct sorted, node)->number < container_of(b, struct sorted, node)->number;
}
SEC("tc") int push_pop(void *ctx) {
  struct listed *listed = bpf_obj_new_impl(bpf_core_type_id_local(struct listed), 0);
  if (!listed) return 1;
  struct inner *inner = bpf_obj_new_impl(bpf_core_type_id_local(struct inner), 0);
  if (!inner) {
    bpf_obj_drop_impl(listed, 0);
    return 2;
  }
  inner = bpf_kptr_xchg(&listed->inner, inner);
  if (inner) bpf_obj_drop_impl(inner, 0);
  listed->number = 5;
  bpf_spin_lock(&lock);
  bpf_list_push_front_impl(&head, &listed->node, 0, 0);
  struct bpf_list_node *node = bpf_list_pop_front(&head);
  bpf_spin_unlock(&lock);
  if (!node) return 3;
  listed = container_of(node, struct listed, node);
  int number = listed->number;
  bpf_obj_drop_impl(listed, 0);
  return number;
}
SEC("tc") int insert(void *ctx) {
  struct sorted *sorted = bpf_obj_new_impl(bpf_core_type_id_local(struct sorted), 0);
  if (!sorted) return 1;
  bpf_spin_lock(&tree_lock);
  bpf_rbtree_add_impl(&root, &sorted->node, less, 0, 0);
  bpf_spin_unlock(&tree_lock);
  return 6;
}
EOF
link own.o
run 'push_pop()=5' 'insert()=6'

# The verifier compares the size of the parameter's pointee with the argument's.
compile global <<'EOF'
char LICENSE[] SEC("license") = "GPL";
struct far { int x; };
struct pair { int a, b; struct far *far; };
__noinline int sum(struct pair *pair) { return pair ? pair->a + pair->b : 0; }
SEC("tc") int total(struct __sk_buff *skb) {
  struct pair pair = {skb->len, 3};
  return sum(&pair) + 1;
}
EOF
link global.o
run 'total()=68'
