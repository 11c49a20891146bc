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
char LICENSE[] SEC("license") = "GPL";
extern int LINUX_KERNEL_VERSION __kconfig;
SEC("socket") int reads(void *ctx) { return LINUX_KERNEL_VERSION > 0; }
EOS
core 1 check version.o new.btf --release 7.3-cloud-amd64
says 'error: LINUX_KERNEL_VERSION has no value: libbpf needs three numbers of the release 7.3-cloud-amd64'
core 0 check version.o new.btf --release 7.3.0-cloud-amd64
core 0 check version.o new.btf --release 7.3

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
kernel old bare <<<'enum bpf_prog_type { BPF_PROG_TYPE_RAW_TRACEPOINT = 17 } types;
enum bpf_func_id { BPF_FUNC_unspec, BPF_FUNC_map_lookup_elem, __BPF_FUNC_MAX_ID } ids; void f(void) {}'
core 1 check helper.o old.btf --release 5.10.0
says 'helper.bpf.c:9:52: error: there is no helper bpf_get_func_ip (id 173) in old.btf'
says '>>> needed by program does_not_ask'
says_not 'needed by program asks'

# The place is that of a call which the program reaches, in a function of its own or a shared one. Whether
# it does may depend on the version; what it does with any version fails without one as well.
compile calls -mcpu=v2 <<'EOS'
char LICENSE[] SEC("license") = "GPL";
extern int LINUX_KERNEL_VERSION __kconfig;
static __noinline long visits(void *ctx, int is_new) {
  if (is_new) return bpf_get_func_ip(ctx);
  return bpf_get_attach_cookie(ctx);
}
SEC("raw_tp") int old_way(void *ctx) { return visits(ctx, 0); }
SEC("raw_tp") int newer(void *ctx) { return LINUX_KERNEL_VERSION < 0x050f00 ? 0 : visits(ctx, 1); }
SEC("raw_tp") int either(void *ctx) {
  if (LINUX_KERNEL_VERSION < 0x050f00)
    return bpf_get_func_arg_cnt(ctx);
  asm volatile("");
  return bpf_get_func_arg_cnt(ctx) + 1;
}
SEC("raw_tp") int between(void *ctx) {
  return LINUX_KERNEL_VERSION < 0x050f00 || LINUX_KERNEL_VERSION > 0x060100 ? 0 : bpf_get_func_arg_cnt(ctx);
}
EOS
fits 'old_wayX newer? eitherX between?' calls.o old.btf
says 'calls.bpf.c:5:10: error: there is no helper bpf_get_attach_cookie (id 174) in old.btf'
says 'calls.bpf.c:11:12: error: there is no helper bpf_get_func_arg_cnt (id 185) in old.btf'
says 'not known of old.btf: LINUX_KERNEL_VERSION'
says 'whether programs reach this: there is no helper bpf_get_func_ip (id 173)'
says '>>> needed by program newer, between'
says '>>> give its --release'
fits 'old_wayX newerX eitherX betweenX' calls.o old.btf --release 5.15.0
fits 'old_wayX newerX eitherX between+' calls.o old.btf --release 6.6.0

# A module that cannot be read is a warning.
mkdir modules
head -c 100 new.btf >modules/broken.ko
core 1 check uses.o new.btf --modules modules
says 'warning: modules/broken.ko: '
compile lone <<<'char LICENSE[] SEC("license") = "GPL"; extern int zzz_of_nobody(void) __ksym;
SEC("raw_tp") int calls(void *ctx) { return zzz_of_nobody(); }'
core 1 check lone.o new.btf
says '>>> no modules were searched; if it may be absent, declare it __weak and guard its calls'

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
# A program that no struct has: user space may set a member to it.
compile unnamed <<<'char LICENSE[] SEC("license") = "GPL";
SEC("struct_ops/run") int run(unsigned long long *args) { return 0; }'
core 0 check unnamed.o ops_of.btf --table
says 'not known of ops_of.btf: the struct that has run'
says '>>> the program that loads it sets one'
grep -q '^run *?$' core.out || fail "$(<core.out)"
# A struct that a link attaches
compile links <<'EOS'
char LICENSE[] SEC("license") = "GPL";
struct my_ops { int (*run)(int value); };
SEC("struct_ops/run") int run(unsigned long long *args) { return 0; }
SEC(".struct_ops.link") struct my_ops links = {.run = (void *)run};
EOS
core 1 check links.o ops_of.btf --release 6.3.0
says 'error: section .struct_ops.link came with Linux 6.4 in ops_of.btf'
says ">>> put it into .struct_ops"
core 0 check links.o ops_of.btf --release 6.4.0
# A program that sleeps
compile sleeping <<'EOS'
char LICENSE[] SEC("license") = "GPL";
struct my_ops { int (*run)(int value); };
SEC("struct_ops.s/run") int run(unsigned long long *args) { return 0; }
SEC(".struct_ops") struct my_ops ops = {.run = (void *)run};
EOS
core 1 check sleeping.o ops_of.btf --release 6.2.0
says 'error: there are no struct_ops programs that sleep, which came with Linux 6.3 in ops_of.btf'
core 0 check sleeping.o ops_of.btf --release 6.3.0

# A weak function that is absent: who calls it unguarded does not load. A function that is not a kfunc can
# be found, but not called.
compile weak <<'EOS'
char LICENSE[] SEC("license") = "GPL";
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
char LICENSE[] SEC("license") = "GPL";
extern int bpf_knot(void *ctx) __ksym;
extern int inner_works(void *ctx) __ksym;
SEC("fentry/inner_worm") int near(void *ctx) { return bpf_knot(ctx) + inner_works(ctx); }
EOS
core 1 check near.o marked.btf
says '>>> did you mean bpf_known?'
[[ $(grep -c 'did you mean inner_work?' core.log) == 1 ]] || fail "$(<core.log)"

# Prototypes that look the same: a struct is declared on one side and defined on the other.
compile declares <<'EOS'
char LICENSE[] SEC("license") = "GPL";
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

# Instructions of later releases
"$CC" -g -O2 --target=bpf -mcpu=v4 -c -x c - -o v4.o <<'EOS'
char LICENSE[] __attribute__((section("license"))) = "GPL";
__attribute__((section("raw_tp"))) int divides(int *ctx) { return ctx[0] / ctx[1]; }
__attribute__((section("raw_tp"))) int adds(unsigned *ctx) { return ctx[0] + ctx[1]; }
EOS
kernel plain <<<'void init(void) {}'
core 1 check v4.o plain.btf --release 6.1.0 --table
says 'error: there are no instructions of -mcpu=v4, which came with Linux 6.6 in plain.btf'
says '>>> compile with -mcpu=v3'
grep -qE '^adds +\+$' core.out || fail "$(<core.out)"
core 0 check v4.o plain.btf --release 6.6.0
[[ ! -s core.log ]] || fail "$(<core.log)"
core 0 check v4.o plain.btf
says 'not known of plain.btf: instructions of -mcpu=v4'
core 0 check v4.o plain.btf --release 5.14.0-503.el9 # Red Hat's have parts of later releases
says 'not known of plain.btf'

"$CC" -g -O2 --target=bpf -mcpu=v4 -c -x c - -o far.o <<'EOS'
char LICENSE[] __attribute__((section("license"))) = "GPL";
__attribute__((section("raw_tp"), naked)) int jumps(int *ctx) { asm volatile("gotol l0; l0: r0 = 0; exit"); }
EOS
core 1 check far.o plain.btf --release 5.15.0
says 'error: there are no gotol, which came with Linux 6.6 in plain.btf'
core 0 check far.o plain.btf --release 6.1.0 # Updates of 6.1 have it
says 'not known of plain.btf: gotol'
says 'only a load on that kernel can tell'
core 0 check far.o plain.btf --release 6.6.0
[[ ! -s core.log ]] || fail "$(<core.log)"

# sk_reuseport had no attach type before 5.14; what libbpf sets for its USDT code is as on the kernel.
compile old_ways <<'EOS'
#include <stdbool.h>
char LICENSE[] SEC("license") = "GPL";
extern bool LINUX_HAS_BPF_COOKIE __kconfig;
SEC("sk_reuseport") int reuse(void *ctx) { return 1; }
SEC("kprobe/f") int usdt(void *ctx) { return LINUX_HAS_BPF_COOKIE ? bpf_get_attach_cookie(ctx) : 0; }
EOS
kernel older bare <<'EOS'
enum bpf_prog_type { BPF_PROG_TYPE_UNSPEC, BPF_PROG_TYPE_SOCKET_FILTER, BPF_PROG_TYPE_KPROBE, BPF_PROG_TYPE_SK_REUSEPORT = 21 } types;
enum bpf_attach_type { BPF_CGROUP_INET_INGRESS } attach_types;
enum bpf_func_id { BPF_FUNC_unspec, BPF_FUNC_map_lookup_elem } ids;
void init(void) {}
EOS
core 0 check old_ways.o older.btf --release 5.10.0
[[ ! -s core.log ]] || fail "$(<core.log)"

# Programs that load only on request are checked, and only warn. Loaders pass over their relocations: one
# that no instruction can hold stops no other program.
compile optional <<'EOS'
#include <bpf/bpf_core_read.h>
char LICENSE[] SEC("license") = "GPL";
struct task_struct { int pid; } __attribute__((preserve_access_index));
SEC("?fentry/no_such_function") int waits(void *ctx) { return 0; }
SEC("?raw_tp") int reads(struct task_struct *task) { return task->pid; }
SEC("raw_tp") int fits(void *ctx) { return 0; }
EOS
kernel wide <<<'struct task_struct { char before[40000]; int pid; } task; void init(void) {}'
core 0 check optional.o wide.btf --table
says 'warning: there is no function no_such_function in wide.btf'
marked 'waitsX readsX fits+'

# Every group of instructions has its release and a cure.
assemble groups -mcpu=v4 <<'END_OF_CODE'
	.section raw_tp,"ax",@progbits
	global adds, function
	lock *(u64 *)(r1 + 0) += r2
	exit
	end adds
	global ors, function
	lock *(u64 *)(r1 + 0) |= r2
	exit
	end ors
	global may, function
	may_goto +0
	exit
	end may
	global casts, function
	r1 = addr_space_cast(r1, 1, 0)
	exit
	end casts
	global acquires, function
	.quad 0x00000100000010d3
	exit
	end acquires
	global jumps, function
	.quad 0x000000000000010d
	exit
	end jumps
END_OF_CODE
core 1 check groups.o plain.btf --release 5.10.0 --table
says 'there are no atomic operations other than addition, which came with Linux 5.12 in plain.btf'
says '>>> compile with -mcpu=v2'
says 'there are no may_goto, which came with Linux 6.9 in plain.btf'
says '>>> bound the loop'
says 'there are no addr_space_cast, which came with Linux 6.9 in plain.btf'
says 'there are no load-acquire and store-release, which came with Linux 6.15 in plain.btf'
says 'there are no gotox, which came with Linux 6.19 in plain.btf'
says '>>> compile with -fno-jump-tables'
[[ $(tail -n 1 core.out) == '1 of 6 programs fit plain.btf' ]] || fail "$(<core.out)"
core 0 check groups.o plain.btf wide.btf
says 'not known of 2 of 2 kernels: may_goto, addr_space_cast, load-acquire and store-release, gotox'
says '>>> these are 2 kernels: plain.btf, wide.btf'
core 0 check groups.o plain.btf --release 7.0.0
[[ ! -s core.log ]] || fail "$(<core.log)"

# Objects that are no programs yet: what is not linked, and what has none.
compile unlinked <<<'extern int other(void); SEC("raw_tp") int calls(void *ctx) { return other(); }'
core 2 check unlinked.o plain.btf
says "bpfcore: error: unlinked.o: does not define 'other': link it with the object that does"
compile weak <<<'extern int other(void) __attribute__((weak)); SEC("tc") int prog(void *c) { return other ? other() : 0; }'
core 2 check weak.o plain.btf
says "bpfcore: error: weak.o: does not define 'other': link it with the object that does"
core 0 minimize unlinked.o plain.btf -o parts
head -c 200 v4.o >short.o
core 1 check unlinked.o short.o v4.o plain.btf none.o --release 6.6.0 --table
says "bpfcore: error: unlinked.o: does not define 'other': link it with the object that does"
says 'bpfcore: error: short.o: '
says 'bpfcore: error: none.o: '
[[ $(tail -n 1 core.out) == '2 of 2 programs fit plain.btf' ]] || fail "$(<core.out)"
core 2 check v4.o none.btf
says 'bpfcore: error: none.btf: '
compile library <<<'int other(void) { return 1; }'
compile own <<<'SEC("own_way") int own(void *ctx) { return 2; }'
core 0 check own.o library.o plain.btf
says 'bpfcore: library.o has no program'
says '>>> the program that loads them must set one'

# A function that BTF lists, but that has no code of its own, as symbols tell.
compile traces <<'EOS'
char LICENSE[] SEC("license") = "GPL";
SEC("fentry/whole") int on_whole(void *ctx) { return 0; }
SEC("fentry/renamed") int on_renamed(void *ctx) { return 0; }
SEC("fentry/split") int on_split(void *ctx) { return 0; }
SEC("fexit/unlisted") int on_unlisted(void *ctx) { return 0; }
EOS
kernel listed <<<'int whole(int a) { return a; } int renamed(int a) { return a; } int split(int a) { return a; }'
cat >image.s <<'END_OF_CODE'
	.irp name, whole, renamed.llvm.12, split.isra.0, split.cold, unlisted.constprop.0
	.type \name, @function
\name: nop
	.endr
END_OF_CODE
gcc -c image.s -o image.o
llvm-objcopy-19 --add-section .BTF=listed.btf image.o vmlinux
core 1 check traces.o vmlinux --table
says 'error: function split has no code of its own in vmlinux'
says '>>> the kernel has: split.cold, split.isra.0'
says '>>> the compiler inlined or split it: attach to a function that calls it'
says 'error: there is no function unlisted in vmlinux'
says '>>> the kernel has: unlisted.constprop.0'
[[ $(tail -n 1 core.out) == '2 of 4 programs fit vmlinux' ]] || fail "$(<core.out)"
llvm-objcopy-19 --strip-all image.o stripped
llvm-objcopy-19 --add-section .BTF=listed.btf stripped vmlinux-stripped
core 1 check traces.o vmlinux-stripped --table
[[ $(tail -n 1 core.out) == '3 of 4 programs fit vmlinux-stripped' ]] || fail "$(<core.out)"

# What code behind an option needs is not known as long as the option is not.
compile guarded <<'EOS'
extern _Bool CONFIG_RARE __kconfig __weak;
struct task_struct { int rare_member, pid; } __attribute__((preserve_access_index));
char LICENSE[] SEC("license") = "GPL";
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

# A kernel loads no code of the other byte order.
"$CC" -g -O2 --target=bpfeb -x c -c - -o other.o <<<'__attribute__((section("socket"))) int prog(void *ctx) { return 1; }'
fits 'progX' other.o new.btf
says 'error: the object is big-endian, and the kernel is little-endian in new.btf'
core 1 minimize other.o new.btf -o minimized
says 'other.o: new.btf: the object is big-endian, and the kernel is little-endian'
[[ ! -e minimized ]] || fail 'minimized BTF for another machine'
"$CC" -g -O2 --target=bpfeb -I"/usr/include/$(uname -m)-linux-gnu" -c variables.kernel.c -o big.kernel.o
llvm-objcopy-19 --dump-section .BTF=big.btf big.kernel.o
core 1 check variables.o big.btf
says 'error: the object is little-endian, and the kernel is big-endian in big.btf'
says "compile it for the kernel's machine, with --target=bpfel or bpfeb"
