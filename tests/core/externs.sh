#!/bin/bash
# Other things that a program needs of a kernel: kfuncs, configuration options, attach targets. Each
# message shows what is missing and where the program declares it.
. "$(dirname "$0")/common.sh"

compile uses <<'EOS'
#include <stdbool.h>
#include <bpf/bpf_tracing.h>
char LICENSE[] SEC("license") = "GPL";
struct task_struct { int pid; } __attribute__((preserve_access_index));
extern int bpf_task_pidd(struct task_struct *task) __ksym;
extern int bpf_task_gone(struct task_struct *task) __ksym __weak;
extern int CONFIG_HZZ __kconfig;
extern bool CONFIG_HZ __kconfig __weak;
int sum;
SEC("fentry/do_thing") int BPF_PROG(on_thing, struct task_struct *task) {
  sum += bpf_task_pidd(task) + CONFIG_HZZ + CONFIG_HZ;
  if (bpf_task_gone) sum += bpf_task_gone(task);
  return 0;
}
SEC("fexit/do_other_thing") int BPF_PROG(on_other, struct task_struct *task) { return task->pid; }
EOS
kernel new <<'EOS'
struct task_struct { int pid; };
int bpf_task_pid(struct task_struct *task) { return task->pid; }
int do_thing(struct task_struct *task) { return 0; }
int do_another_thing(struct task_struct *task) { return 0; }
EOS
printf 'CONFIG_HZ=250\nCONFIG_X86=y\n' >config

core 1 check uses.o new.btf --config config
diff - core.log <<'EOS' || fail 'messages'
uses.bpf.c:5: error: there is no kernel function bpf_task_pidd in new.btf
>>> did you mean bpf_task_pid?
uses.bpf.c:7: error: CONFIG_HZZ is not set in new.btf
>>> did you mean CONFIG_HZ?
uses.bpf.c:8: error: CONFIG_HZ is a number, but the variable is a bool in new.btf
uses.bpf.c:15:42: error: there is no function do_other_thing in new.btf
   15 | SEC("fexit/do_other_thing") int BPF_PROG(on_other, struct task_struct *task) { return task->pid; }
      |                                          ^
>>> needed by program on_other
>>> did you mean do_another_thing?
EOS

# Without a configuration, bpfcore does not check options. Without functions in the kernel's types,
# as in minimized ones, it does not check functions.
core 1 check uses.o new.btf
says_not CONFIG_HZ
kernel types <<<'struct task_struct { int pid; } task;'
core 0 check uses.o types.btf --json types.json
[[ ! -s core.log ]] || fail "messages: $(cat core.log)"
[[ $(jq -r '[.findings[] | select(.status == "unknown") | .name] | sort | join(" ")' types.json) == \
  'CONFIG_HZ CONFIG_HZZ bpf_task_gone bpf_task_pidd do_other_thing do_thing fentry fexit tracing tracing' ]] ||
  fail "unknown: $(jq -c '.findings[]' types.json)"

# A helper that the kernel lacks is an error only if reachable code calls it.
compile helper <<'EOS'
#include <bpf/bpf_core_read.h>
char LICENSE[] SEC("license") = "GPL";
enum bpf_func_id___mine { BPF_FUNC_get_func_ip___mine = 173 };
long sum;
SEC("raw_tp") int asks(void *ctx) {
  if (bpf_core_enum_value_exists(enum bpf_func_id___mine, BPF_FUNC_get_func_ip___mine)) sum = bpf_get_func_ip(ctx);
  return 0;
}
SEC("raw_tp") int does_not_ask(void *ctx) { return bpf_get_func_ip(ctx); }
EOS
kernel old <<<'enum bpf_func_id { BPF_FUNC_unspec, BPF_FUNC_map_lookup_elem, __BPF_FUNC_MAX_ID } ids; void f(void) {}'
core 1 check helper.o old.btf --release 5.10.0
says 'error: there is no helper bpf_get_func_ip (id 173) in old.btf'
says '>>> needed by program does_not_ask'
says_not 'needed by program asks'

# A module that cannot be read is a warning.
mkdir modules
head -c 100 new.btf >modules/broken.ko
core 1 check uses.o new.btf --modules modules
says 'warning: modules/broken.ko: '

# A struct_ops variable has a member that the kernel's struct lacks.
compile ops <<'EOS'
char LICENSE[] SEC("license") = "GPL";
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
