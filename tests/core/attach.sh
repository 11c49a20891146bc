#!/bin/bash
# What programs may attach to: functions, hooks and iterators that the kernel has, and takes programs for.
. "$(dirname "$0")/common.sh"

kernel plain <<'EOS'
void __rcu_read_lock(void) {}
void migrate_disable(void) {}
void do_exit(long code) {}
void *bpf_sk_storage_get(void) { return 0; }
int bpf_lsm_getprocattr(void) { return 0; }
int bpf_lsm_file_open(void) { return 0; }
EOS

# Functions that the kernel has and denies
compile targets <<'EOS'
SEC("fentry/__rcu_read_lock") int locks(void *ctx) { return 0; }
SEC("fexit/migrate_disable") int migrates(void *ctx) { return 0; }
SEC("fexit/do_exit") int exits(void *ctx) { return 0; }
SEC("fentry/do_exit") int enters(void *ctx) { return 0; }
SEC("lsm/getprocattr") int hooks(void *ctx) { return 0; }
SEC("lsm/file_open") int opens(void *ctx) { return 0; }
EOS
fits 'locksX migratesX exitsX enters+ hooksX opens+' targets.o plain.btf --release 7.2.0
says 'error: function __rcu_read_lock is denied: programs rely on it themselves in plain.btf'
says 'error: function do_exit does not return: only fentry programs are accepted in plain.btf'
says 'error: LSM hook getprocattr is disabled for programs in plain.btf'
fits 'locks+ migratesX exits+ enters+ hooks+ opens+' targets.o plain.btf --release 6.1.0
core 1 check targets.o plain.btf
says 'whether programs attach to function __rcu_read_lock'

# Stable versions took over some of the lists.
compile stable <<'EOS'
SEC("fexit/do_exit") int exits(void *ctx) { return 0; }
SEC("fentry/___migrate_enable") int migrates(void *ctx) { return 0; }
SEC("lsm/xfrm_decode_session") int decodes(void *ctx) { return 0; }
SEC("lsm.s/path_chmod") int sleeps(void *ctx) { return 0; }
SEC("lsm.s/task_free") int never(void *ctx) { return 0; }
EOS
kernel stable <<'EOS'
int bpf_lsm_path_chmod(void) { return 0; }
int bpf_lsm_task_free(void) { return 0; }
void do_exit(long code) {}
void ___migrate_enable(void) {}
int bpf_lsm_xfrm_decode_session(void) { return 0; }
EOS
fits 'exitsX migratesX decodesX sleeps+ neverX' stable.o stable.btf --release 7.3.0
says 'error: programs may not sleep in LSM hook task_free in stable.btf'
says '>>> attach to it with lsm/ in place of lsm.s/'
fits 'exits? migrates+ decodes? sleeps+ neverX' stable.o stable.btf --release 6.12.117
fits 'exits+ migrates+ decodes+ sleeps? neverX' stable.o stable.btf --release 6.6.0
fits 'exits+ migrates+ decodes+ sleepsX neverX' stable.o stable.btf --release 6.1.0

# Functions that the kernel has, and that are no targets for what their types show
compile types <<'EOS'
SEC("fentry/gives_struct") int result(void *ctx) { return 0; }
SEC("fexit/prints") int variable(void *ctx) { return 0; }
SEC("fmod_ret/takes_many") int many(void *ctx) { return 0; }
SEC("fentry/takes_large") int large(void *ctx) { return 0; }
SEC("fentry/takes_small") int small(void *ctx) { return 0; }
SEC("fentry/takes_all") int all(void *ctx) { return 0; }
SEC("iter/task") int iterates(void *ctx) { return 0; }
SEC("iter/get_info") int informs(void *ctx) { return 0; }
SEC("lsm/file_open") int opens(void *ctx) { return 0; }
SEC("lsm/init") int starts(void *ctx) { return 0; }
EOS
# gcc has these functions for the host.
cat >types.c <<'EOS'
#include <linux/bpf.h>
enum bpf_prog_type programs;
enum bpf_attach_type attaches;
struct small { long a, b; };
struct large { long a, b, c; };
enum way { way };
struct small gives_struct(void) { return (struct small){}; }
int prints(const char *format, ...) { return 0; }
int takes_many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, int l, int m) { return 0; }
int takes_large(struct large value) { return 0; }
int takes_small(struct small value) { return 0; }
typedef const enum way ways;
void *takes_all(ways a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, char *l) { return 0; }
struct bpf_iter__task { int task; } context;
int bpf_iter_task(void) { return 0; }
int bpf_iter_get_info(void) { return 0; }
union security_list_options { int (*file_open)(void); } hooks;
int bpf_lsm_file_open(void) { return 0; }
int bpf_lsm_init(void) { return 0; }
EOS
gcc -gbtf -c types.c -o types.host.o
llvm-objcopy-19 --dump-section .BTF=types.btf types.host.o
fits 'resultX variableX manyX largeX small+ all+ iterates+ informsX opens+ startsX' types.o types.btf --release 6.12.0
says 'error: function gives_struct returns a struct by value in types.btf'
says 'error: function prints takes a variable number of arguments in types.btf'
says 'error: function takes_many has 13 parameters: programs attach to functions of up to 12 in types.btf'
says 'error: function takes_large takes a struct by value in types.btf'
says 'error: iterator get_info is another function of the kernel in types.btf'
says 'error: LSM hook init is not one that the kernel calls in types.btf'
fits 'resultX variableX manyX largeX smallX all+ iterates+ informsX opens+ startsX' types.o types.btf --release 5.10.0

# Results that programs change, and functions in which they sleep: where the kernel injects errors
compile injects <<'EOS'
SEC("fmod_ret/__x64_sys_getpgid") int changes(void *ctx) { return 0; }
SEC("fentry.s/__x64_sys_getpgid") int sleeps(void *ctx) { return 0; }
SEC("fmod_ret/security_file_open") int denies(void *ctx) { return 0; }
SEC("fentry.s/do_exit") int waits(void *ctx) { return 0; }
EOS
kernel injects <<'EOS'
int __x64_sys_getpgid(int pid) { return 0; }
int security_file_open(int file) { return 0; }
void do_exit(long code) {}
EOS
printf '%s\n' CONFIG_FUNCTION_ERROR_INJECTION=y CONFIG_BPF_LSM=y >injects
echo 'CONFIG_X86=y' >plain
fits 'changes+ sleeps+ denies+ waits?' injects.o injects.btf --release 6.6.0 --config injects
fits 'changesX sleepsX denies+ waits?' injects.o injects.btf --release 6.6.0 --config plain
says 'error: function __x64_sys_getpgid takes no programs that change results in injects.btf'
says 'error: function __x64_sys_getpgid takes no programs that sleep in injects.btf'
says '>>> CONFIG_FUNCTION_ERROR_INJECTION is not set'
fits 'changes? sleeps? denies+ waits?' injects.o injects.btf --release 6.6.0
says '>>> give its --config'
fits 'changes+ sleeps+ denies+ waits?' injects.o injects.btf --release 7.2.0 --config plain

# A function that BTF lists, but that has no code of its own, as symbols tell.
compile traces <<'EOS'
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

# sk_reuseport had no attach type before 5.14; what libbpf sets for its USDT code is as on the kernel.
compile old_ways <<'EOS'
#include <stdbool.h>
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
struct task_struct { int pid; } __attribute__((preserve_access_index));
SEC("?fentry/no_such_function") int waits(void *ctx) { return 0; }
SEC("?raw_tp") int reads(struct task_struct *task) { return task->pid; }
SEC("raw_tp") int fits(void *ctx) { return 0; }
EOS
kernel wide <<<'struct task_struct { char before[40000]; int pid; } task; void init(void) {}'
core 0 check optional.o wide.btf --table
says 'warning: there is no function no_such_function in wide.btf'
marked 'waitsX readsX fits+'

# Helpers and kfuncs that depend on what the program attaches to
compile storage <<'EOS'
struct { __uint(type, BPF_MAP_TYPE_SK_STORAGE); __uint(map_flags, BPF_F_NO_PREALLOC); __type(key, int); __type(value, int); } map SEC(".maps");
SEC("fentry/bpf_sk_storage_get") int again(unsigned long long *ctx) { return bpf_sk_storage_get(&map, (void *)ctx[1], 0, 0) != 0; }
SEC("fentry/do_exit") int other(unsigned long long *ctx) { return bpf_sk_storage_get(&map, (void *)ctx[1], 0, 0) != 0; }
EOS
fits 'againX other+' storage.o plain.btf --release 7.2.0
compile tasks <<'EOS'
extern int bpf_iter_css_task_new(void *it, void *css, unsigned flags) __ksym;
SEC("fentry/do_exit") int enters(void *ctx) { return bpf_iter_css_task_new(ctx, ctx, 1); }
SEC("fentry.s/__x64_sys_getpgid") int sleeps(void *ctx) { return bpf_iter_css_task_new(ctx, ctx, 1); }
SEC("lsm/file_open") int opens(void *ctx) { return bpf_iter_css_task_new(ctx, ctx, 1); }
EOS
kernel tasks <<'EOS'
int bpf_iter_css_task_new(void *it, void *css, unsigned flags) { return 0; }
void do_exit(long code) {}
int __x64_sys_getpgid(int pid) { return 0; }
int bpf_lsm_file_open(void) { return 0; }
EOS
fits 'entersX sleeps+ opens+' tasks.o tasks.btf --release 7.2.0 --config injects
says '>>> it may sleep: call it in a sleepable program'
