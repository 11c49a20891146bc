#!/bin/bash
# Many kernels: which files are kernels, in which order they are shown, and as how many columns.
. "$(dirname "$0")/common.sh"

compile trace <<'EOS'
#include <bpf/bpf_core_read.h>
struct task_struct { int pid; } __attribute__((preserve_access_index));
SEC("raw_tp") int reads(struct task_struct *task) { return task->pid; }
EOS
kernel good <<<'struct task_struct { int pid; } task; void init(void) {}'
kernel bad <<<'struct task_struct { int tgid; } task; void init(void) {}'
mkdir fleet
for release in 6.1.0 5.10.0-100 5.10.0-42 5.4.0; do cp good.btf fleet/$release.btf; done
for release in 5.9.0 5.8.0; do cp bad.btf fleet/$release.btf; done

# Kernels are in the order of their releases. Those side by side that are alike share a column.
core 1 check trace.o fleet --table
diff - core.out <<'EOS' || fail 'table'
1  fleet/5.4.0.btf
2  fleet/5.8.0.btf
3  fleet/5.9.0.btf
4  fleet/5.10.0-42.btf
5  fleet/5.10.0-100.btf
6  fleet/6.1.0.btf

trace.o
        1 2-3 4-6
reads   +   X   +

+ everything resolves   g failures are guarded   ? not known   X fails
0 of 1 program fits all 6 kernels
EOS

# On a terminal, lines are no longer than it is wide.
mkdir wide
for minor in {10..19}; do cp "$([[ $((minor % 2)) == 0 ]] && echo good || echo bad).btf" wide/5.$minor.0.btf; done
if script -qec true /dev/null &>/dev/null; then
  script -qec "stty cols 24; '$BPFCORE' check trace.o wide --table 2>/dev/null" /dev/null | tr -d '\r' >terminal || true
  [[ $(grep -c '^reads' terminal) == 2 ]] || fail "rows: $(<terminal)"
  longest=$(grep '^reads' terminal | awk '{ print length }' | sort -n | tail -n 1)
  ((longest <= 24)) || fail "$longest characters: $(<terminal)"
else
  echo 'SKIPPED: no terminals here'
fi

# A file that is named like a kernel and is none gets a warning. A hard link is a kernel of its own; a
# symbolic link to a listed file is not.
echo 'not yet downloaded' >fleet/vmlinux-6.5
ln fleet/6.1.0.btf fleet/6.6.0.btf
ln -s 6.1.0.btf fleet/6.7.0.btf
core 1 check trace.o fleet
says 'bpfcore: warning: fleet/vmlinux-6.5: is named like a kernel, but is none'
[[ $(<core.out) == '0 of 1 program fits all 7 kernels' ]] || fail "$(<core.out)"

# An archive that no loader could search is refused.
core 1 minimize trace.o good.btf --archive out.btfs
says 'good.btf: has no release and no build id by which a loader would find it in the archive: give them with --manifest, or --release'
[[ ! -e out.btfs ]] || fail 'an archive was written'
kernel wider <<<'struct task_struct { long padding; int pid; } task; void init(void) {}'
core 1 minimize trace.o good.btf wider.btf --release 6.1.0 --archive out.btfs
says 'good.btf and wider.btf are one kernel to a loader: give their build ids with --manifest'
core 0 minimize trace.o good.btf --release 6.1.0 --archive out.btfs

# An id of the minimized BTF means another type to the kernel.
compile ids <<'EOS'
#include <bpf/bpf_core_read.h>
struct task_struct { int pid; } __attribute__((preserve_access_index));
long id;
SEC("raw_tp") int asks(void *ctx) { return (id = bpf_core_type_id_kernel(struct task_struct)) != 0; }
EOS
core 0 minimize ids.o good.btf -o ids
says 'ids.bpf.c:4'
says 'asks gets an id of the minimized BTF, which the kernel takes for one of its own (bpf_core_type_id_kernel)'
says "load it with the kernel's own BTF"
