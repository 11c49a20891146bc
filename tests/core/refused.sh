#!/bin/bash
# What verifiers of some releases refuse of whole programs: targets, maps with locks, calls, arguments.
. "$(dirname "$0")/common.sh"

header='char LICENSE[] SEC("license") = "GPL";'
kernel plain <<'EOS'
void __rcu_read_lock(void) {}
void migrate_disable(void) {}
void do_exit(long code) {}
void *bpf_sk_storage_get(void) { return 0; }
int bpf_lsm_getprocattr(void) { return 0; }
int bpf_lsm_file_open(void) { return 0; }
EOS

# Functions that the kernel has and denies
compile targets <<EOS
$header
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
compile stable <<EOS
$header
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
compile types <<EOS
$header
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
compile injects <<EOS
$header
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

# Spin locks, also in code that a program only contains
compile lock <<EOS
$header
struct value { struct bpf_spin_lock lock; int number; };
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, struct value); } map SEC(".maps");
static __attribute__((noinline)) int count(void) { int key = 0; struct value *v = bpf_map_lookup_elem(&map, &key); return v ? v->number++ : 0; }
SEC("kprobe/do_exit") int probes(void *ctx) { return count(); }
SEC("perf_event") int idles(void *ctx) { return 0; }
SEC("tc") int classifies(void *ctx) { return count(); }
EOS
fits 'probesX idles+ classifies+' lock.o plain.btf --release 7.2.0
says 'error: no kernel takes maps with a bpf_spin_lock in kprobe programs in plain.btf'

# Helpers and kfuncs that depend on what the program attaches to
compile storage <<EOS
$header
struct { __uint(type, BPF_MAP_TYPE_SK_STORAGE); __uint(map_flags, BPF_F_NO_PREALLOC); __type(key, int); __type(value, int); } map SEC(".maps");
SEC("fentry/bpf_sk_storage_get") int again(unsigned long long *ctx) { return bpf_sk_storage_get(&map, (void *)ctx[1], 0, 0) != 0; }
SEC("fentry/do_exit") int other(unsigned long long *ctx) { return bpf_sk_storage_get(&map, (void *)ctx[1], 0, 0) != 0; }
EOS
fits 'againX other+' storage.o plain.btf --release 7.2.0
compile tasks <<EOS
$header
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

# Members of struct_ops
compile ops <<EOS
$header
struct tcp_congestion_ops { void (*release)(void *); void (*init)(void *); unsigned long (*get_info)(void *); char name[16]; };
SEC("struct_ops") void ends(unsigned long long *ctx) { int on = 1; bpf_setsockopt((void *)ctx[0], 6, 1, &on, 4); }
SEC("struct_ops") void begins(unsigned long long *ctx) { int on = 1; bpf_setsockopt((void *)ctx[0], 6, 1, &on, 4); }
SEC(".struct_ops") struct tcp_congestion_ops cc = {.release = (void *)ends, .init = (void *)begins, .name = "x"};
EOS
kernel ops <<'EOS'
struct tcp_congestion_ops { void (*release)(void *); void (*init)(void *); unsigned long (*get_info)(void *); char name[16]; };
struct bpf_struct_ops_tcp_congestion_ops { struct tcp_congestion_ops data; } ops;
void init(void) {}
EOS
fits 'endsX beginsX' ops.o ops.btf --release 7.2.0 # a map loads with all of its programs
[[ $(tail -n 1 core.out) == '0 of 2 programs fit ops.btf; 1 only because another of its struct_ops map fails' ]] || fail "$(<core.out)"
says 'error: struct_ops programs may not call bpf_setsockopt in ops.btf'
says '>>> needed by program ends'
says_not begins
sed 's/\.init = /.get_info = /; s/bpf_setsockopt((void \*)ctx\[0\], 6, 1, &on, 4)/on++/' ops.bpf.c >source
compile info <source
core 1 check info.o ops.btf --release 7.2.0
says 'error: struct_ops member tcp_congestion_ops.get_info is not one that programs may implement in ops.btf'

# Two maps: one program that both have, and one that none has
cp ops.bpf.c source
cat >>source <<'EOS'
SEC("struct_ops") void also(unsigned long long *ctx) {}
SEC(".struct_ops") struct tcp_congestion_ops other = {.release = (void *)also, .init = (void *)begins, .name = "y"};
SEC("xdp") int apart(void *ctx) { return 2; }
EOS
compile two_ops <source
fits 'endsX beginsX also+ apart+' two_ops.o ops.btf --release 7.2.0

# Pointers to a program's context as arguments of global functions
compile contexts <<EOS
$header
struct bpf_user_pt_regs_t { long reg; };
struct user_pt_regs { long regs[31]; };
typedef struct user_pt_regs user_regs;
struct pair { int a, b; };
long sum;
__attribute__((noinline)) int of_kprobe(struct bpf_user_pt_regs_t *ctx) { return sum += bpf_get_stackid(ctx, 0, 0); }
__attribute__((noinline)) int of_uprobe(user_regs *ctx) { return sum += bpf_get_stackid(ctx, 0, 0); }
__attribute__((noinline)) int of_socket(const struct bpf_sock *ctx) { return sum += ctx->family; }
__attribute__((noinline)) int of_pair(struct pair *pair) { return sum += pair->a; }
SEC("kprobe/do_exit") int probes(struct bpf_user_pt_regs_t *ctx) { return of_kprobe(ctx); }
SEC("uprobe") int enters(struct user_pt_regs *ctx) { return of_uprobe(ctx); }
SEC("cgroup/sock_create") int creates(struct bpf_sock *ctx) { return of_socket(ctx) & 1; }
SEC("xdp") int pairs(void *ctx) { struct pair pair = {1, 2}; return of_pair(&pair) & 1; }
EOS
fits 'probes+ enters+ creates+ pairsX' contexts.o plain.btf --release 5.10.0
says 'error: pointers as arguments of global functions came with Linux 5.12 in plain.btf'
says_not of_socket

# Variables of which each CPU has its own
compile cpus <<EOS
$header
int seen SEC(".percpu.more");
__attribute__((noinline)) int count(void) { return seen++; }
SEC("raw_tp") int counts(void *ctx) { return count(); }
SEC("raw_tp") int passes(void *ctx) { return 0; }
EOS
fits 'countsX passes+' cpus.o plain.btf --release 7.2.0
says 'error: variables in section .percpu.more came with Linux 7.3 in plain.btf'
says '>>> put them into a map of type percpu_array'
fits 'counts+ passes+' cpus.o plain.btf --release 7.3.0

# What is to run when a program throws
compile caught <<EOS
$header
__attribute__((noinline)) int on_throw(unsigned long long cookie) { asm volatile(""); return cookie; }
SEC("xdp") __attribute__((btf_decl_tag("exception_callback:on_throw"))) int counts(struct xdp_md *ctx) { return 2; }
SEC("xdp") __attribute__((btf_decl_tag("exception_callback:on_throw"))) int calls(struct xdp_md *ctx) { return on_throw(1); }
SEC("xdp") __attribute__((btf_decl_tag("exception_callback:absent"))) int loses(struct xdp_md *ctx) { return 2; }
SEC("xdp") int passes(struct xdp_md *ctx) { return 2; }
EOS
fits 'countsX calls+ losesX passes+' caught.o plain.btf --release 6.6.0
says 'error: callbacks of exceptions came with Linux 6.7 in plain.btf'
says '>>> drop the tag exception_callback'
fits 'counts+ calls+ loses+ passes+' caught.o plain.btf --release 6.7.0
# No loader finds the callback, which is in a tag.
fits 'counts+ calls+ loses+ passes+' caught.o plain.btf --release 5.15.0

# Verifiers before Linux 5.13 know no address of a function, wherever it is.
compile address <<'END'
char LICENSE[] SEC("license") = "GPL";
const volatile int off;
static long visit(__u32 i, void *data) { return 0; }
SEC("tc") int loops(void *ctx) { return off ? bpf_loop(2, visit, 0, 0) : 1; }
SEC("tc") int other(void *ctx) { return 2; }
END
fits 'loopsX other+' address.o plain.btf --release 5.12.0
core 1 check address.o plain.btf --release 5.12.0
says 'error: there are no callbacks, which came with Linux 5.13 in plain.btf'
fits 'loops+ other+' address.o plain.btf --release 5.13.0
