#!/bin/bash
# Other things that a program needs of a kernel: kfuncs, configuration options, attach targets. Each
# message shows what is missing and where the program declares it.
. "$(dirname "$0")/common.sh"

compile uses <<'EOS'
#include <stdbool.h>
#include <bpf/bpf_tracing.h>
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
uses.bpf.c:4: error: there is no kernel function bpf_task_pidd in new.btf
>>> did you mean bpf_task_pid?
uses.bpf.c:6: error: CONFIG_HZZ is not set in new.btf
>>> did you mean CONFIG_HZ?
uses.bpf.c:7: error: CONFIG_HZ is a number, but the variable is a bool in new.btf
uses.bpf.c:14:42: error: there is no function do_other_thing in new.btf
   14 | SEC("fexit/do_other_thing") int BPF_PROG(on_other, struct task_struct *task) { return task->pid; }
      |                                          ^
>>> needed by program on_other
>>> did you mean do_another_thing?
EOS

# Without a configuration, options are not known; without functions and enums in the kernel's types, as
# in minimized ones, neither are functions, program types and the like. Nothing unknown fits.
core 1 check uses.o new.btf
says 'warning: not known of new.btf: CONFIG_HZZ, CONFIG_HZ'
says '>>> give its --config'
kernel types bare <<<'struct task_struct { int pid; } task;'
core 0 check uses.o types.btf --json types.json --table
says 'warning: not known of types.btf: kernel function bpf_task_pidd, kernel function bpf_task_gone, function do_thing, function do_other_thing, program type tracing (26) and 2 more'
says ">>> its BTF lacks functions and enums, as minimized BTF does: check the kernel's own BTF"
grep -qE '^on_thing +\?$' core.out || fail "$(<core.out)"
[[ $(tail -n 1 core.out) == '0 of 2 programs fit types.btf; 2 are unknown' ]] || fail "$(<core.out)"
core 1 check uses.o types.btf --strict
[[ $(jq -r '[.findings[] | select(.status == "unknown") | .name] | sort | join(" ")' types.json) == \
  'CONFIG_HZ CONFIG_HZZ bpf_task_gone bpf_task_pidd do_other_thing do_thing fentry fexit tracing tracing' ]] ||
  fail "unknown: $(jq -c '.findings[]' types.json)"

# libbpf reads a version of three numbers. A release of two and nothing else may be short for another.
compile version <<'EOS'
extern int LINUX_KERNEL_VERSION __kconfig;
SEC("socket") int reads(void *ctx) { return LINUX_KERNEL_VERSION > 0; }
EOS
core 1 check version.o new.btf --release 7.3-cloud-amd64
says 'error: LINUX_KERNEL_VERSION has no value: libbpf needs three numbers of the release 7.3-cloud-amd64'
core 0 check version.o new.btf --release 7.3.0-cloud-amd64
core 0 check version.o new.btf --release 7.3

# A module that cannot be read is a warning.
mkdir modules
head -c 100 new.btf >modules/broken.ko
core 1 check uses.o new.btf --modules modules
says 'warning: modules/broken.ko: '
compile lone <<<'extern int zzz_of_nobody(void) __ksym;
SEC("raw_tp") int calls(void *ctx) { return zzz_of_nobody(); }'
core 1 check lone.o new.btf
says '>>> no modules were searched; if it may be absent, declare it __weak and guard its calls'

# A weak function that is absent: who calls it unguarded does not load. A function that is not a kfunc can
# be found, but not called.
compile weak <<'EOS'
extern int bpf_gone(void *ctx) __ksym __weak;
extern int inner_work(void *ctx) __ksym __weak;
SEC("raw_tp") int guarded(void *ctx) { return bpf_gone ? bpf_gone(ctx) : 0; }
SEC("raw_tp") int unguarded(void *ctx) { return bpf_gone(ctx); }
SEC("raw_tp") int inside(void *ctx) { return inner_work(ctx); }
SEC("raw_tp") int apart(void *ctx) { return 0; }
EOS
kernel marked <<<'__attribute__((btf_decl_tag("bpf_kfunc"))) int bpf_known(void *ctx) { return 1; }
int inner_work(void *ctx) { return 2; }'
fits 'guarded+ unguardedX insideX apart+' weak.o marked.btf
says 'error: there is no kernel function bpf_gone in marked.btf'
says '>>> needed by program unguarded'
says '>>> guard the call with if (bpf_ksym_exists(bpf_gone))'
says 'error: inner_work of vmlinux is not a kfunc in marked.btf'

# A hint names no function that the BTF shows to be no kfunc; of attach targets it may.
compile near <<'EOS'
extern int bpf_knot(void *ctx) __ksym;
extern int inner_works(void *ctx) __ksym;
SEC("fentry/inner_worm") int near(void *ctx) { return bpf_knot(ctx) + inner_works(ctx); }
EOS
core 1 check near.o marked.btf
says '>>> did you mean bpf_known?'
[[ $(grep -c 'did you mean inner_work?' core.log) == 1 ]] || fail "$(<core.log)"

# Prototypes that look the same: a struct is declared on one side and defined on the other.
compile declares <<'EOS'
struct box; struct lid { int size; }; struct hinge { int turns; };
extern struct box *bpf_box_get(int id) __ksym;
extern void bpf_box_close(struct lid *lid, struct box **boxes) __ksym;
extern void bpf_box_turn(struct hinge *hinge) __ksym;
extern void bpf_box_drop(struct hinge *hinge, struct box *box) __ksym;
extern const struct box all_boxes __ksym;
SEC("raw_tp") int uses(void *ctx) {
  struct lid lid = {0}; struct hinge hinge = {0};
  struct box *box = bpf_box_get(1);
  bpf_box_close(&lid, &box);
  bpf_box_turn(&hinge);
  bpf_box_drop(&hinge, box);
  return (long)&all_boxes & 7;
}
EOS
kernel defines <<'EOS'
struct box { int width; } all_boxes; struct lid { int size; }; struct hinge;
struct box *bpf_box_get(int id) { return 0; }
void bpf_box_close(struct lid *lid, struct box **boxes) {}
void bpf_box_turn(struct hinge *hinge) {}
void bpf_box_drop(long hinge, struct box *box) {}
EOS
core 1 check declares.o defines.btf
says '>>> the kernel only declares struct hinge: do not define it'
[[ $(grep -c '>>> the program only declares struct box: define it, as vmlinux.h does' core.log) == 3 ]] || fail "$(<core.log)"
[[ $(grep 'the kernel has:' core.log) == '>>> the kernel has: void bpf_box_drop(long, struct box *)' ]] || fail "$(<core.log)"

# What code behind an option needs is not known as long as the option is not.
compile guarded <<'EOS'
extern _Bool CONFIG_RARE __kconfig __weak;
struct task_struct { int rare_member, pid; } __attribute__((preserve_access_index));
int sum;
SEC("raw_tp") int if_set(struct task_struct *task) { return CONFIG_RARE ? task->rare_member : task->pid; }
SEC("raw_tp") int if_not(struct task_struct *task) { return CONFIG_RARE ? task->pid : task->rare_member; }
SEC("raw_tp") int always(struct task_struct *task) { return (CONFIG_RARE ? 1 : 2) + task->rare_member; }
EOS
core 1 check guarded.o new.btf --table --json guarded.json
marked 'if_set? if_not? alwaysX'
says 'whether programs reach this: struct task_struct has no member'
says '>>> give its --config'
validates guarded.json "$schema"
fits 'if_setg if_notX alwaysX' guarded.o new.btf --config config
echo CONFIG_RARE=y >set
fits 'if_setX if_notg alwaysX' guarded.o new.btf --config set

# A typed variable without an address stops the programs that have it, also where they do not reach it.
compile variables <<'EOS'
extern const int known_variable __ksym;
const volatile int off;
SEC("raw_tp") int dead(void *ctx) { return off ? *(volatile int *)&known_variable : 0; }
SEC("raw_tp") int none(void *ctx) { return 1; }
EOS
kernel variables <<<'int known_variable; void init(void) {} '
fits 'deadX none+' variables.o variables.btf --config config --release 6.1.0
