#!/bin/bash
# One blob with a kernel and all its modules: minimized types give the results of the kernel with the
# modules beside it, also of modules with a distilled base.
. "$(dirname "$0")/common.sh"

blob() { python3 "$bpfobj" blob "$@"; }
# [1] int, [2] long, [3] list, [4] task_struct, [5] and [6] pointers to these
blob vmlinux.btf "add(INT, 'int', 4, 0x1000020); add(INT, 'long', 8, 0x1000040); add(STRUCT, 'list', 8, 'next', 5, 0)
add(STRUCT, 'task_struct', 24, 'state', 2, 0, 'pid', 1, 64, 'tasks', 3, 128); add(PTR, '', 3); add(PTR, '', 4)
add(STRUCT, 'bpf_ctx_convert', 0)"
echo 'int number;' | "$CC" --target=x86_64 -x c -c - -o plain.o
mkdir modules
# module NAME STATEMENTS: modules/NAME.ko, whose types begin at [8]
module() {
  blob "$1.btf" "split('vmlinux.btf'); $2"
  llvm-objcopy-19 --add-section=.BTF="$1.btf" plain.o "modules/$1.ko"
}
module first "add(STRUCT, 'conn', 24, 'task', 6, 0, 'entry', 3, 64, 'mark', 1, 128); add(STRUCT, 'shared', 8, 'a', 1, 0, 'b', 1, 32)"
module second "add(STRUCT, 'shared', 8, 'a', 1, 0, 'b', 1, 32); add(STRUCT, 'queue', 16, 'list', 3, 0, 'lost', 8, 64)"
module distilled "add(STRUCT, 'remote', 32, 'own', 4, 0, 'flags', 2, 192); add(PTR, '', 8)"
"$BTFDEDUP" --distill --base vmlinux.btf --update modules/distilled.ko

compile program <<'EOS'
#include <bpf/bpf_core_read.h>
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct { int pid; };
struct list { struct list *next; };
struct conn { struct task_struct *task; struct list entry; int mark; };
struct shared { int b; };
struct queue { struct list list; };
struct remote { struct task_struct own; long flags; };
struct absent { int x; };
#pragma clang attribute pop
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, long[16]); } out SEC(".maps");
SEC("raw_tp/x") int reads(struct bpf_raw_tracepoint_args *ctx) {
  int key = 0;
  long *v = bpf_map_lookup_elem(&out, &key);
  struct task_struct *task_struct = (void *)ctx->args[0];
  struct conn *conn = (void *)ctx->args[1];
  struct shared *shared = (void *)ctx->args[2];
  struct queue *queue = (void *)ctx->args[3];
  struct remote *remote = (void *)ctx->args[4];
  if (!v) return 0;
  v[0] = BPF_CORE_READ(task_struct, pid);
  v[1] = BPF_CORE_READ(conn, task, pid);
  v[2] = BPF_CORE_READ(conn, mark);
  v[3] = (long)BPF_CORE_READ(conn, entry.next);
  v[4] = BPF_CORE_READ(shared, b);
  v[5] = (long)BPF_CORE_READ(queue, list.next);
  v[6] = BPF_CORE_READ(remote, own.pid);
  v[7] = BPF_CORE_READ(remote, flags);
  v[8] = bpf_core_type_size(struct remote);
  v[9] = bpf_core_type_exists(struct absent) + bpf_core_field_exists(struct queue, list);
  return 0;
}
EOS

# results KERNEL [OPTION]...: the outcome and value of each relocation
results() {
  "$BPFCORE" check --kernel "$1" program.o "${@:2}" --json report.json >/dev/null 2>&1 || (($? == 1))
  jq -r '.relocations[] | "\(.index) \(.kind) \(.outcome) \(.value)"' report.json
}
results vmlinux.btf --modules modules >want
[[ $(grep -c ' value ' want) == 12 ]] || fail "$(<want)"
"$BTFDEDUP" --flatten --base vmlinux.btf modules -o flat.btf
"$BPFCORE" minimize program.o flat.btf -o from-flat
"$BPFCORE" minimize program.o vmlinux.btf --modules modules -o from-modules
for kernel in flat.btf from-flat/*.btf from-modules/*.btf; do
  results "$kernel" | diff want - || fail "$kernel"
done
# Of each module alone it gives the results of that module.
for module in first second distilled; do
  mkdir alone
  cp modules/$module.ko alone
  results vmlinux.btf --modules alone >want
  "$BTFDEDUP" --flatten --base vmlinux.btf alone -o flat.btf
  "$BPFCORE" minimize program.o flat.btf -o "flat-$module"
  results "flat-$module/flat.btf" | diff want - || fail "$module"
  rm -r alone
done
# libbpf agrees.
python3 "$here/compare.py" program.o flat.btf
