#!/bin/bash
# --dump c of the running kernel's types
. "$(dirname "$0")/common.sh"

[[ -r /sys/kernel/btf/vmlinux ]] || skip 'no /sys/kernel/btf/vmlinux'
dump /sys/kernel/btf/vmlinux

# A BPF program can use it as its vmlinux.h.
cat >prog.bpf.c <<'END'
#include "types.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

SEC("kprobe/do_exit")
int prog(struct pt_regs *context)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	return BPF_CORE_READ(task, real_parent, tgid);
}
END
"$CC" -g -O2 --target=bpf -Wall -Werror -I. -c prog.bpf.c -o prog.o
python3 "$bpfobj" core_relo prog.o >relocations
grep -q task_struct relocations || fail "no relocations of CO-RE: $(<relocations)"
