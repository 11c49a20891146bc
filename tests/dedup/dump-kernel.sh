#!/bin/bash
# --dump c of the running kernel's types
. "$(dirname "$0")/common.sh"

[[ -r /sys/kernel/btf/vmlinux ]] || skip 'no /sys/kernel/btf/vmlinux'
dump /sys/kernel/btf/vmlinux
cp types.h vmlinux.h

# Another order of ids gives the same header.
blob shuffled.btf 'read("types.btf"); shuffle(1)'
"$BTFDEDUP" shuffled.btf --dump c >shuffled.h
cmp shuffled.h vmlinux.h

# Each kfunc is declared.
kfuncs=$(bpftool btf dump file types.btf | grep -c "DECL_TAG 'bpf_kfunc'" || true)
expect "$kfuncs" awk '/^extern .* __weak __ksym;$/ { ++count } END { print count + 0 }' vmlinux.h

# A BPF program can use it as its vmlinux.h.
cat >prog.bpf.c <<'END'
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

SEC("kprobe/do_exit")
int prog(struct pt_regs *context)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, real_parent, tgid);
}
END
"$CC" -g -O2 --target=bpf -D__TARGET_ARCH_x86 -Wall -Werror -I. -c prog.bpf.c -o prog.o
python3 "$bpfobj" core_relo prog.o >relocations
grep -q task_struct relocations || fail "no relocations of CO-RE: $(<relocations)"

# Clang and gcc for BPF accept calls of kfuncs, beside libbpf's headers.
((kfuncs > 0)) || exit 0
cat >kfuncs.bpf.c <<'END'
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

SEC("syscall")
int prog(void *context)
{
	struct task_struct *task = bpf_task_from_pid(1);

	if (!task)
		return 0;
	bpf_task_release(task);
	return 1;
}
END
for compiler in "$CC --target=bpf" bpf-gcc; do
  command -v "${compiler%% *}" >/dev/null || continue
  $compiler -std=gnu11 -g -O2 -D__TARGET_ARCH_x86 -Wall -Werror -I. -idirafter /usr/include -c kfuncs.bpf.c -o kfuncs.o
  expect 'w bpf_task_from_pid w bpf_task_release' echo $(llvm-nm-19 -u kfuncs.o)
done
