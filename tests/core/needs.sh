#!/bin/bash
# Each need of an object, needs.bpf.c, in a kernel of few types, needs_kernel.bpf.c: found, missing or
# unknown, as libbpf decides.
. "$(dirname "$0")/common.sh"

compile needs -mcpu=v3 <"$here/needs.bpf.c"
kernel small bare <"$here/needs_kernel.bpf.c"
cat >config <<'END'
CONFIG_HZ=250
CONFIG_SMALL=300
CONFIG_BPF=y
CONFIG_BPF_AS_CHAR=y
CONFIG_MODULE=m
CONFIG_MODULE_AS_BOOL=m
CONFIG_NAME="generic"
CONFIG_NAME_AS_BOOL="generic"
CONFIG_KALLSYMS_ALL=y
CONFIG_NUMBER_AS_BOOL=7
CONFIG_NUMBER_AS_TRISTATE=7
CONFIG_YES_AS_NUMBER=y
END
# findings OPTION...: "KIND NAME: STATUS MESSAGE" of each need
findings() {
  core 1 check needs.o "${kernel:-small.btf}" --json needs.json "$@"
  jq -r '.findings[] | "\(.kind) \(.name): \(if .becomes_zero then "zero" else .status end) \(.message // "")"' \
    needs.json | sed 's/ $//' | LC_ALL=C sort -u
}
# changes OPTION...: the lines that these options change, in place of unknown ones their number
changes() { findings "$@" | LC_ALL=C comm -13 all - | awk '/: unknown / { ++unknown; next } { print } END { print unknown + 0, "unknown" }'; }

findings --config config --release 6.1.5 >all
diff - all <<'END' || fail 'findings'
attach target : unknown the target of set_later
attach target absent_function: fails there is no function absent_function
attach target do_unlinkat: resolves
attach target file_open: fails there is no LSM hook file_open
attach target sched_switch: resolves
attach target sched_weitch: unknown there is no tracepoint sched_weitch
attach target task: resolves
attach target vmlinux:do_unlinkta: fails there is no function do_unlinkta in vmlinux
attach type ?fentry: unknown attach type of ?fentry/absent_function (24)
attach type fentry: unknown attach type of fentry/do_unlinkat (24)
attach type fentry: unknown attach type of fentry/vmlinux:do_unlinkta (24)
attach type fexit: unknown attach type of fexit (25)
attach type iter: unknown attach type of iter/task (28)
attach type lsm: unknown attach type of lsm/file_open (27)
attach type tp_btf: unknown attach type of tp_btf/sched_switch (23)
config option CONFIG_ABSENT: zero CONFIG_ABSENT is not set
config option CONFIG_AS_STRUCT: fails CONFIG_AS_STRUCT has a type that libbpf does not fill in
config option CONFIG_BPF: resolves
config option CONFIG_BPF_AS_CHAR: resolves
config option CONFIG_BPG: fails CONFIG_BPG is not set
config option CONFIG_HZ: resolves
config option CONFIG_MODULE: resolves
config option CONFIG_MODULE_AS_BOOL: fails CONFIG_MODULE_AS_BOOL is m, which a bool cannot hold: declare it as enum libbpf_tristate
config option CONFIG_NAME: resolves
config option CONFIG_NAME_AS_BOOL: fails CONFIG_NAME_AS_BOOL is a string, but the variable is not an array of char
config option CONFIG_NUMBER_AS_BOOL: fails CONFIG_NUMBER_AS_BOOL is a number, but the variable is a bool
config option CONFIG_NUMBER_AS_TRISTATE: fails CONFIG_NUMBER_AS_TRISTATE is a number, but the variable is not an integer
config option CONFIG_SMALL: fails CONFIG_SMALL does not fit into a variable of 1 byte
config option CONFIG_YES_AS_NUMBER: fails CONFIG_YES_AS_NUMBER is y, but the variable is not a bool, char or enum libbpf_tristate
config option LINUX_HAS_BPF_COOKIE: resolves
config option LINUX_KERNEL_VERSION: resolves
config option LINUX_LATER: zero LINUX_LATER is unknown to libbpf
config option LINUX_NEEDED: fails LINUX_NEEDED is neither an option of the kernel nor one that libbpf knows
kernel symbol any_symbol: unknown kernel symbol any_symbol
kernel symbol weak_symbol: unknown kernel symbol weak_symbol
kernel variable absent_variable: zero there is no kernel variable absent_variable
kernel variable known_variable: resolves
kernel variable other_variable: fails other_variable of vmlinux has another type
kfunc bpf_absent: zero there is no kernel function bpf_absent
kfunc bpf_known: resolves
kfunc bpf_known: unknown whether tracing programs may call bpf_known
kfunc bpf_known___flavor: resolves
kfunc bpf_knwon: fails there is no kernel function bpf_knwon
kfunc bpf_other: fails bpf_other of vmlinux has another prototype
kfunc bpf_other___weak: zero bpf_other of vmlinux has another prototype
map type hash: resolves
map type ringbuf: fails there is no map type ringbuf (27)
map type struct_ops: resolves
program type lsm: fails there is no program type lsm (29)
program type raw_tracepoint: resolves
program type struct_ops: resolves
program type tracing: resolves
program type xdp: resolves
struct_ops halfway_ops: fails there is no struct halfway_ops
struct_ops member tcp_congestion_ops___old.bits: fails struct_ops member tcp_congestion_ops___old.bits is a bit-field, which the loader does not copy
struct_ops member tcp_congestion_ops___old.data: fails struct_ops member tcp_congestion_ops___old.data is not a pointer to a function in the kernel
struct_ops member tcp_congestion_ops___old.flags: fails struct_ops member tcp_congestion_ops___old.flags has 4 bytes here and 8 in the kernel
struct_ops member tcp_congestion_ops___old.init: resolves
struct_ops member tcp_congestion_ops___old.kind: fails struct_ops member tcp_congestion_ops___old.kind is INT here and STRUCT in the kernel
struct_ops member tcp_congestion_ops___old.min_rt: fails struct_ops member tcp_congestion_ops___old.min_rt does not exist in the kernel's struct
struct_ops member tcp_congestion_ops___old.pkts_acked: fails struct_ops member tcp_congestion_ops___old.pkts_acked does not exist in the kernel's struct
struct_ops sched_ext_ops: fails there is no struct_ops type sched_ext_ops
struct_ops tcp_congestion_ops___old: resolves
struct_ops unrelated_ops: fails struct bpf_struct_ops_unrelated_ops of the kernel has no member of type unrelated_ops
END
for hint in bpf_known do_unlinkat sched_switch CONFIG_BPF min_rtt; do says "did you mean $hint?"; done
says "a running kernel's /proc/kallsyms has it"
says 'no modules were searched'
says "a running kernel's /proc/kallsyms has it"

# Without a release or a configuration, values are unknown, and so is what calls the helper.
absent='helper bpf_ktime_get_ns: fails there is no helper bpf_ktime_get_ns (id 5)'
expect "$absent"$'\n4 unknown' changes --config config
expect "$absent"$'\n13 unknown' changes --release 6.1.5
sed 's/CONFIG_KALLSYMS_ALL=y//' config >bare
expect 'kernel variable known_variable: fails the kernel knows no addresses of variables: CONFIG_KALLSYMS_ALL is not set
0 unknown' changes --config bare --release 6.1.5

# A module with what vmlinux lacks; once some functions are marked as kfuncs, the others are none.
mkdir modules
prototype=$("$BTFDEDUP" small.btf --dump raw | sed -n "s/.*FUNC 'bpf_iter_task' type_id=\([0-9]*\).*/\1/p")
marked=$(($("$BTFDEDUP" small.btf --dump raw | grep -c '^\[') + 3))
module() { # [STATEMENT]
  python3 "$bpfobj" blob modules/testmod "split('small.btf'); [add(FUNC, name, $prototype) for name in ('bpf_knwon', 'bpf_known', 'bpf_lsm_file_open')]; $*"
}
module
expect 'attach target file_open: resolves
kfunc bpf_knwon: resolves
1 unknown' changes --config config --release 6.1.5 --modules modules
module "add(DECL_TAG, 'bpf_kfunc', $marked, -1)"
expect 'attach target file_open: resolves
kfunc bpf_knwon: fails bpf_knwon of testmod is not a kfunc
0 unknown' changes --config config --release 6.1.5 --modules modules

# Types of attachment
{ cat "$here/needs_kernel.bpf.c"; echo 'enum bpf_attach_type { BPF_TRACE_FENTRY = 24 } attach_types;'; } | kernel small bare
expect 'attach type ?fentry: resolves
attach type fentry: resolves
attach type fexit: fails there is no attach type of fexit (25)
attach type iter: fails there is no attach type of iter/task (28)
attach type lsm: fails there is no attach type of lsm/file_open (27)
attach type tp_btf: fails there is no attach type of tp_btf/sched_switch (23)
0 unknown' changes --config config --release 6.1.5

# Minimized types do not say what the kernel lacks.
kernel small bare <<<'struct task { int pid; } task;'
expect '29 unknown' changes --config config --release 6.1.5

# The running kernel's symbols are known.
kernel=/sys/kernel/btf/vmlinux
if [[ -r $kernel && -n $(head -c 1 /proc/kallsyms) ]]; then
  expect 'kernel symbol any_symbol: fails /proc/kallsyms has no any_symbol
kernel symbol weak_symbol: zero /proc/kallsyms has no weak_symbol' eval 'findings | grep "^kernel symbol"'
fi

# Without DWARF, a message names the object.
llvm-objcopy-19 -g needs.o stripped.o
core 1 check stripped.o small.btf
[[ $(<core.log) == *$'that libbpf knows in small.btf\n>>> in stripped.o'* ]] || fail "$(<core.log)"
