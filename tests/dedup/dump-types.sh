#!/bin/bash
# --type, --deep, --members, --except and --types-of: headers of some of a kernel's types
. "$(dirname "$0")/common.sh"

# defined: the tags, typedefs, enumerators and functions that types.h has a definition of
defined() {
  sed -nE 's/^(struct|union|enum) (\w+) \{$/\2/p; s/^typedef .*[ *](\w+);$/\1/p; s/^} (\w+);$/\1/p
s/^struct (\w+) \{ char padding.*/\1/p; s/^\t(\w+) = .*/\1/p; s/^extern .*[ *](\w+)\(.*/\1()/p' types.h | sort | tr '\n' ' '
}
# declared: the tags that types.h declares on a line of their own
declared() { sed -nE 's/^(struct|union) (\w+);$/\2/p' types.h | sort | tr '\n' ' '; }

# What stands in for a kernel. Clang and layout.py judge the layouts.
cat >kernel.c <<'END'
typedef unsigned int u32;
typedef struct { int counter; } atomic_t;
enum color { RED, GREEN = 7 };
enum { ANY, NOEXIST } flag;
struct behind { struct behind *next; long count; };
struct far { struct behind behind; };
union both { long whole; short part; };
struct inner { char a; long b; short c, d; } __attribute__((packed));
struct task_struct {
	u32 pid;
	struct inner inner;
	struct behind *behind;
	union { int first; long second; };
	int low: 3, high: 7;
	enum color color;
	void (*call)(struct far *far, union both value);
	atomic_t uses;
	struct task_struct *parent;
	char comm[16];
};
struct task_ops { int (*run)(struct task_struct *); };
enum shade { DARK };
struct big { long a, b, c; int d; enum shade shade; struct inner tail; };
struct wrap { struct big big; };
struct holder { int id; struct wrap wrap; struct behind *behind; };
struct vars { struct task_struct task; struct task_ops ops; struct far far; union both both; struct holder holder; };
struct vars vars;
struct bpf_iter_num { long at[2]; };
int bpf_iter_num_new(struct bpf_iter_num *it) { return it->at[1]; }
int any = NOEXIST;
int f(enum color color) { return color == GREEN; }
END
"$CC" -g -O2 --target=bpf -c kernel.c -o kernel.o

# ---- names

dump kernel.o --type task_struct
expect 'GREEN RED atomic_t color inner task_struct u32 ' defined
expect 'both far ' declared
compiles types.h
for compiler in gcc "$CC" "$CC --target=bpf"; do
  $compiler -std=gnu11 -Wall -Wextra -Werror -fsyntax-only -x c types.h
done
"$BTFDEDUP" kernel.o --dump c --type RED | $CC --target=bpf -Wall -Wextra -Werror -fsyntax-only -x c -
# Clang's own layouts
{ cat kernel.c; "$python" "$layout" asserts types.btf; } >judged.c
"$CC" -w -fsyntax-only judged.c
expect 2 grep -c sizeof judged.c

dump kernel.o --type task_struct --deep
expect 'GREEN RED atomic_t behind both color far inner task_struct u32 ' defined
dump kernel.o --type behind --type task_struct
expect 'GREEN RED atomic_t behind color inner task_struct u32 ' defined
dump kernel.o --type 'task_*'
expect 'GREEN RED atomic_t color inner task_ops task_struct u32 ' defined
dump kernel.o --type 'struct b?g' --type 'union *' --type RED
expect 'DARK GREEN RED big both color inner shade ' defined
echo "--type 'union both' --type task_ops" >options
dump kernel.o @options
expect 'both task_ops ' defined
expect 'task_struct ' declared
cmp <("$BTFDEDUP" kernel.o --dump c --type '*') <("$BTFDEDUP" kernel.o --dump c)

# fails MESSAGE OPTION...: nothing is printed
fails() {
  if "$BTFDEDUP" kernel.o --dump c "${@:2}" >printed 2>errors; then fail "accepted: ${*:2}"; fi
  expect_error "btfdedup: error: $1"
  [[ ! -s printed ]]
}
fails "no input has a type 'struct tsk_struct', did you mean 'struct task_struct'?" --type 'struct tsk_struct'
fails "no input has a type 'union task_*'" --type 'union task_*'
fails "struct task_struct has no member 'pidd', did you mean 'pid'?" --members 'task_struct: pidd'
fails "--members: 'task_struct' is not \"STRUCT: MEMBER, MEMBER...\"" --members task_struct
clang-19 --target=bpf -c -x c /dev/null -o bare.bpf.o
fails 'bare.bpf.o: has no BTF: compile with -g' --types-of bare.bpf.o
fails '--except missing.h: there is no such header, here or in /usr/include' --type big --except missing.h
fails '--deep needs --type, --types-of or --members' --deep

# ---- functions

blob calls.btf 'add(INT, "int", 4, 0x01000020); add(STRUCT, "task", 4, "a", 1, 0); add(PTR, "", 2); add(FUNC_PROTO, "", 0, "p", 3)
add(FUNC, "bpf_release", 4, vlen=1); add(DECL_TAG, "bpf_kfunc", 5, -1); add(FUNC, "bpf_unmarked", 4, vlen=1)
add(STRUCT, "other", 4, "a", 1, 0)'
"$BTFDEDUP" calls.btf --dump c --type 'bpf_*' >types.h
expect 'bpf_release() ' defined
expect 'task ' declared
compiles types.h
"$BTFDEDUP" calls.btf --dump c --type bpf_unmarked --type task >types.h
expect 'bpf_unmarked() task ' defined
compiles types.h

# Several inputs
echo 'struct elsewhere { struct big *big; } e;' | "$CC" -g --target=bpf -x c -c - -o other.o
dump kernel.o other.o --type elsewhere --type both
expect 'both elsewhere ' defined

# Of a module, with what it takes from its base
blob base.btf 'add(INT, "int", 4, 0x01000020); add(STRUCT, "big", 4, "a", 1, 0); add(UNION, "both", 4, "w", 1, 0)'
blob split.btf 'split("base.btf"); add(PTR, "", 2); add(STRUCT, "elsewhere", 16, "big", 4, 0, "in", 2, 64)'
dump --base base.btf split.btf --type elsewhere
expect 'big elsewhere ' defined
expect elsewhere eval "bpftool btf dump file types.btf | sed -n \"s/^.*STRUCT '\(else.*\)' size=16.*/\1/p\""
dump --base base.btf split.btf --type both
expect 'both ' defined

# ---- some members

"$BTFDEDUP" kernel.o --dump c --members 'task_struct: pid, c*m*, high' --type behind >types.h
expect 'struct task_struct {
	u32 pid;
	int high: 7;
	char comm[16];
};' sed -n '/^struct task_struct {/,/^}/p' types.h
expect "/* Some members, not at the kernel's offsets: CO-RE finds them. */" grep '/\*' types.h
compiles types.h
cat >part.bpf.c <<'END'
#include "types.h"
__attribute__((section("kprobe"), used)) int prog(struct task_struct *t) { return t->pid + t->comm[3]; }
END
"$CC" -g -O2 --target=bpf -I. -c part.bpf.c -o part.o
expect 'byte_off task_struct::comm[3] byte_off task_struct::pid ' eval \
  "llvm-objdump-19 -dr part.o | sed -nE 's/.*CO-RE <(\w+)> \[[0-9]+\] struct (\S+) .*/\1 \2/p' | sort | tr '\n' ' '"

# ---- several kernels: what they have of a struct, and where

for kernel in 1 2 3; do
  "$CC" -g --target=bpf -D "KERNEL=$kernel" -x c -c -o "v$kernel" - <<'END'
struct same { int a; };
struct moving {
	int first;
#if KERNEL > 1
	int since;
#endif
	struct same *same;
	union {
		int last;
#if KERNEL < 3
		long until;
#endif
	};
#if KERNEL != 2
	char others: 3;
#endif
#if KERNEL == 3
	long
#else
	struct { int a; }
#endif
	type;
} moving;
END
done
"$BTFDEDUP" v1 v2 v3 --dump c --type moving >types.h
compiles types.h
expect '		long until; /* until v2 */
	char others: 3; /* not in v2, moved: byte 24 in v1; byte 20 in v3 */
	int since; /* since v2 */
	long type; /* moved: byte 28 in v1; byte 24 in v2, v3, type: struct {...} in v1, v2; long in v3 */
	} type; /* moved: byte 28 in v1; byte 24 in v2, v3, type: struct {...} in v1, v2; long in v3 */' eval \
  "grep '/\*' types.h | sort -u"
"$BTFDEDUP" v1 v2 --dump c --members 'moving: since, first' >types.h
compiles types.h
expect '	int since; /* since v2 */' grep since types.h
"$BTFDEDUP" v2 v3 --dump c --members 'moving: last' >types.h
if grep '/\* until' types.h; then fail 'a member of which nothing is known'; fi # v3 may have it elsewhere

# ---- what headers have

mkdir -p more
cat >have.h <<'END'
#include "more/u.h"
#define ANY ANY
enum color { RED, GREEN = 7 };
struct inner { char a; long b; short c, d; } __attribute__((packed));
END
echo 'typedef unsigned int u32; /* struct big { */' >more/u.h
"$BTFDEDUP" kernel.o --dump c --type task_struct --type ANY --type big --except have.h --except 'union both' >types.h
expect 'DARK atomic_t big shade task_struct ' defined
expect '#include "have.h"' grep '#include' types.h
sed 's/^#include "have.h"/&\nunion both { long whole; short part; };/' types.h >whole.h
compiles whole.h
if [[ -r /sys/kernel/btf/vmlinux ]]; then
  "$BTFDEDUP" /sys/kernel/btf/vmlinux --dump c --except linux/bpf.h --type xdp_md --type BPF_ANY --type bpf_sock \
    --type bpf_prog_type --type file --type __u32 >types.h
  cat >beside.c <<'END'
#include "types.h"
#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>
SEC("xdp") int prog(struct xdp_md *ctx) { return ctx->data == ctx->data_end ? BPF_ANY : sizeof(struct file); }
END
  "$CC" -g -O2 --target=bpf -Wall -Wextra -Werror -I. -I"/usr/include/$(uname -m)-linux-gnu" -c beside.c -o beside.o
  [[ $(defined) != *xdp_md* ]]
fi

# ---- what programs need: with its own header, a program has the same code and relocations

cat >prog.bpf.c <<'END'
#include "vmlinux.h"
#include "unused.h"
#define SEC(name) __attribute__((section(name), used))

/* A variable of the program, which only a macro names */
#define iterator(type) struct bpf_iter_##type it
int bpf_iter_num_new(struct bpf_iter_num *it) __attribute__((section(".ksyms"), weak));
struct { int (*type)[1]; struct far *value; } map SEC(".maps");
SEC("kprobe/f") int prog(struct holder *holder)
{
	struct task_struct *task = (void *)(long)holder->id;
	iterator(num);
	atomic_t uses = { holder->behind->count == ANY ? GREEN : RED };

	bpf_iter_num_new(&it);
	return task->parent->parent->inner.b + task->uses.counter + task->high + uses.counter;
}
END
cat >unused.h <<'END'
struct task_ops;
static inline int unused(struct task_ops *ops, union both *both) { return ops->run(0) + both->part; }
END
"$BTFDEDUP" kernel.o --dump c >vmlinux.h
flags=(-g -O2 --target=bpf -Wall -Wno-unused -Werror)
"$CC" "${flags[@]}" -I. -c prog.bpf.c -o full.o
mkdir small
"$BTFDEDUP" kernel.o -o types.btf --dump c --types-of full.o --types-of prog.bpf.c --types-of unused.h >types.h
cp types.h small/vmlinux.h
"$CC" "${flags[@]}" -Ismall -I. -c prog.bpf.c -o small.o
code() { "$BPFLINK" "$1" -o linked.o && llvm-objdump-19 -dr --no-show-raw-insn linked.o | sed -E 's/(CO-RE <\w+>) \[[0-9]+\]/\1/'; }
diff <(code full.o) <(code small.o)
grep -q 'CO-RE <byte_off> struct task_struct::inner.b' <(code small.o)
# All of it stands in the source; and structs that are only within others have sizes alone.
expect 'ANY GREEN NOEXIST RED atomic_t behind both bpf_iter_num bpf_iter_num_new() color holder inner task_ops task_struct u32 wrap ' defined
expect 'far task_struct ' declared
expect 'struct wrap { char padding[48]; };' grep '^struct wrap {' types.h
{ cat kernel.c; "$python" "$layout" asserts types.btf; } >judged.c
"$CC" -w -fsyntax-only judged.c
