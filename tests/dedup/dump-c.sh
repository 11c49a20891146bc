#!/bin/bash
# --dump c: compilers accept the header and lay out every struct as the BTF says.
. "$(dirname "$0")/common.sh"

# definition REGEX: the lines of types.h from a match to the next empty line
definition() { sed -nE "/$1/,/^\$/p" types.h | sed '/^$/d'; }

# ---- types that C has, as gcc and clang describe them

cat >sample.c <<'END_OF_C'
#include <stdarg.h>

struct packed { char c; int i; short s; } __attribute__((packed));
struct packed_within { char c; struct packed p; long l; };
struct misaligned { char c; struct { int i; long l; } __attribute__((packed)) inner; };
struct aligned { int i; } __attribute__((aligned(64)));
struct aligned_member { char c; int i __attribute__((aligned(32))); char d; };
struct holds_aligned { char c; struct aligned a[2]; char d; };
struct page { char c; char rest __attribute__((aligned(4096))); };
struct small { char a; char b __attribute__((aligned(8))); };
union aligned_union { char c; short s; } __attribute__((aligned(16)));
union filled { char c[3]; } __attribute__((aligned(128)));
struct bits { int a : 3; unsigned b : 7; int : 0; int c : 5; long d : 40; char e : 2; _Bool f : 1; };
struct packed_bits { char a : 3; int b : 30; long c : 40; short d; int e : 9; } __attribute__((packed));
struct bits_between { char a; int b : 5; char c; int : 20; unsigned d : 6; long e; unsigned long f : 60; };
struct bits_behind { long a; int b : 17; int : 3; int c : 8; };
struct bits_aligned { short a : 5; int : 32; short b : 5; };
struct anonymous { int a; union { struct { int b; char c; }; struct { long d; } named; }; struct { int e; } array[3]; };
struct flexible { int count; long values[]; };
struct no_values { long values[0]; int after; };
struct holds_flexible { struct flexible f; int after; };
struct empty {};
struct holds_empty { int a; struct empty e; struct empty es[4]; int b; };
struct node { struct node *next; struct list *list; };
typedef struct { struct node *first; int (*compare)(const struct node *, const struct node *); } list_head;
struct list { list_head head; struct later *later; };
struct later { struct last { int a; } last; };
enum byte { BYTE = 255 } __attribute__((packed));
enum two { TWO = 300 } __attribute__((packed));
enum negative { NEGATIVE = -1, POSITIVE = 1 };
enum { ALONE, NOT_ALONE };
struct enums { enum byte a; enum two b; enum negative c; enum { INSIDE, INSIDE_2 } d; enum byte e : 8; enum declared_only *f; };
typedef int function(int, ...);
typedef function *function_pointer;
typedef int array[3][4];
typedef const array *const_array;
struct functions {
  function *f; function_pointer g[2]; int *(*(*h)(const char *const, int (*)(void)))[5]; void (*old)();
  int (*const i)(struct only_here *); va_list *list; void (*noreturn)(void) __attribute__((noreturn)); volatile int *const *volatile j;
  int *restrict k; const_array l; int (*m)[2][3]; void *const n[3];
};
struct numbers {
  char a; signed char b; unsigned char c; short d; unsigned short e; long f; unsigned long g; long long h; _Bool i; float j;
  double k; __int128 l; unsigned __int128 m; char n; __int128 o[2];
};
typedef _Bool bool;
typedef int int_again; typedef int_again int_once_more;
struct keywords { int linux_; int class; int new; int_again int_again; };

struct packed_within v1; struct misaligned v2; struct holds_aligned v3; struct aligned_member v4; struct page v5;
struct small v6; union aligned_union v7; union filled v8; struct bits v9; struct packed_bits v10; struct bits_between v11;
struct bits_behind v12; struct bits_aligned v13; struct anonymous v14; struct holds_flexible v15; struct no_values v16;
struct holds_empty v17; struct list v18; struct later v19; struct enums v20; struct functions v21; struct numbers v22;
struct keywords v23; bool v24; int_once_more v25; const_array v26; int alone = NOT_ALONE; va_list v27;
END_OF_C
# C23 has no function without a prototype, and a bool of its own.
for compiler in gcc clang; do
  case $compiler in
    gcc) gcc -std=gnu11 -gbtf -fno-eliminate-unused-debug-types -w -c sample.c -o sample.o ;;
    clang) "$CC" -std=gnu11 -g --target=bpf -w -c sample.c -o sample.o ;;
  esac
  dump sample.o
done
expect 'struct packed {
	char c;
	int i;
	short s;
} __attribute__((packed));' definition '^struct packed \{'
expect 'struct packed_within {
	char c;
	struct packed p;
	long l;
};' definition '^struct packed_within \{'
expect 'struct page {
	char c;
	char padding[4095];
	char rest;
	char padding___2[4095];
};' definition '^struct page \{'
expect 'union aligned_union {
	char c;
	short s;
	struct {
		long: 64;
		long: 64;
	} __attribute__((packed));
};' definition '^union aligned_union \{'
expect 'struct functions {
	function *f;
	function_pointer g[2];
	int *(*(*h)(const char *const, int (*)(void)))[5];
	void (*old)();
	int (*const i)(struct only_here *);
	va_list *list;
	void (*noreturn)(void);
	volatile int *const *volatile j;
	int *restrict k;
	const_array l;
	int (*m)[2][3];
	void *const n[3];
};' definition '^struct functions \{'
expect 'enum two {
	TWO = 300,
} __attribute__((mode(HI)));' definition '^enum two \{'
expect '#if !defined(__STDC_VERSION__) || __STDC_VERSION__ < 202311L
typedef _Bool bool;
#endif' definition '^#if.*STDC'

# A type that a target lacks becomes the same number of bytes.
cat >more.c <<'END_OF_C'
struct { char c; long double l; char d; double _Complex z; float _Complex y; _Float128 w; char e; } other;
typedef int vector __attribute__((vector_size(16))); /* void, as gcc 12 has it */
struct more { char c; vector v; char d; } more;
enum wide { WIDE = 1ULL << 40 } wide; /* without enumerators, as gcc 12 has it */
struct of_wide { enum wide w; char c; enum wide *p; } of_wide;
END_OF_C
gcc -gbtf -w -c more.c -o more.o
dump more.o
sed -i 's/other;/other_t; struct other { other_t o; } other;/; s/^struct { char c; long/typedef &/' more.c
gcc -gbtf -w -c more.c -o more.o
dump more.o

# ---- types that C lacks, and names that it allows once

# Names: shared by several types, keywords, of other languages, in another C name space.
blob names.btf 'add(INT, "int", 4, 0x01000020); add(PTR, "", 0)
add(STRUCT, "s", 4, "a", 1, 0); add(STRUCT, "s", 8, "a", 2, 0); add(UNION, "s", 4, "a", 1, 0)
add(FWD, "s", 0); add(FWD, "s", 0, kflag=1); add(FWD, "only", 0); add(FWD, "only", 0, kflag=1)
add(STRUCT, "s___2", 4, "a", 1, 0); add(ENUM, "s", 4, "E", 1, "F", 2); add(ENUM, "e", 4, "E", 3, "T", 4, "int", 5)
add(TYPEDEF, "T", 1); add(TYPEDEF, "T", 2); add(TYPEDEF, "s", 3); add(TYPEDEF, "int", 1)
add(STRUCT, "Option<T>", 4, "0", 1, 0); add(STRUCT, "Option[T]", 4, "", 1, 0)
add(STRUCT, "while", 16, "default", 1, 0, "linux", 1, 32, "twice", 1, 64, "twice", 1, 96)
add(PTR, "", 6); add(PTR, "", 7); add(PTR, "", 8); add(PTR, "", 9)
add(STRUCT, "users", 40, "a", 20, 0, "b", 21, 64, "c", 22, 128, "d", 23, 192, "e", 11, 256, "T", 13, 288)
add(ENUM, "", 4, "A", 1); add(STRUCT, "shares", 8, "a", 25, 0, "b", 25, 32); add(ENUM, "", 4, "false", 0, "true", 1)
add(TYPEDEF, "__builtin_va_list", 1); add(TYPEDEF, "unix", 1); add(INT, "u8", 1, 8); add(TYPEDEF, "u8", 30)
add(INT, "unsigned: 7", 1, 7); add(STRUCT, "rust", 2, "a", 30, 0, "b", 32, 8); add(TYPEDEF, "", 1)'
dump names.btf
expect 'struct users {
	struct s *a;
	union s___4 *b;
	struct only *c;
	union only___2 *d;
	enum s___5 e;
	T T;
};' definition '^struct users'
expect 'struct while_ {
	int default_;
	int linux;
	int twice;
	int twice___2;
};' definition '^struct while_'
expect 'enum e {
	E = 3,
	T___3 = 4,
	int____2 = 5,
};' definition '^enum e '
expect 'struct Option_T_ {
	int _0;
};
struct Option_T____2 {
	int unnamed;
};' definition '^struct Option'
expect 'struct shares {
	enum unnamed_1 a;
	enum unnamed_1 b;
};' definition '^struct shares'
expect 'typedef unsigned char u8___2;
typedef u8___2 u8;' definition '^typedef .* u8'

# Layouts: members out of order, overlapping members, members without a type, integers of unusual sizes.
blob layouts.btf 'add(INT, "int", 4, 0x01000020); add(INT, "long", 8, 0x01000040); add(INT, "u24", 3, 24)
add(STRUCT, "reordered", 16, "c", 1, 96, "a", 2, 0, "b", 1, 64); add(ARRAY, "", 0, 1, 1, 0)
add(STRUCT, "overlapping", 16, "a", 2, 0, "b", 1, 32, "c", 2, 64, "d", 1, 40)
add(UNION, "offset", 16, "a", 1, 0, "b", 1, 64, "c", 1, 24); add(UNION, "one", 8, "a", 1, 32)
add(FWD, "f", 0); add(FUNC_PROTO, "", 1); add(ARRAY, "", 0, 9, 1, 3); add(ARRAY, "", 0, 0, 1, 3)
add(STRUCT, "untyped", 24, "v", 0, 32, "f", 9, 64, "p", 10, 64, "fs", 11, 64, "vs", 12, 64, "n", 5, 128, "last", 1, 160)
add(STRUCT, "odd", 9, "a", 3, 0, "b", 3, 24, "c", 1, 48); add(ENUM, "odd_enum", 3, "A", 1); add(ENUM, "", 5, "B", 1)
add(STRUCT, "odd_enums", 9, "a", 15, 0, "b", 16, 24); add(ENUM, "none", 8); add(ENUM, "none_2", 4); add(PTR, "", 19)
add(STRUCT, "nones", 16, "a", 18, 0, "p", 20, 64); add(ENUM, "byte", 1, "C", 300, "D", 0xffffffff, kflag=1)
add(ENUM64, "low", 8, "E", 1, 0, "F", 0, 0x80000000, kflag=1); add(ENUM64, "high", 8, "G", 0xffffffff, 0xffffffff)
add(STRUCT, "enums", 17, "a", 22, 0, "b", 23, 8, "c", 24, 72); add(INT, "int", 4, 0x01000003); add(INT, "int", 4, 0x01040005)
add(STRUCT, "old_bits", 4, "a", 26, 0, "b", 27, 0, "c", 26, 20); add(FLOAT, "float", 4)
add(STRUCT, "new_bits", 24, "a", 29, 3 << 24 | 1, "b", 1, 60 << 24 | 64, "c", 4, 100 << 24, kflag=1)
add(STRUCT, "gap", 0x40000004, "a", 1, 0, "b", 1, 0x40000000 * 4); add(STRUCT, "beyond", 8, "a", 2, 32, "b", 1, 640, "c", 1, 0)
add(ARRAY, "", 0, 2, 1, 0xffffffff); add(ARRAY, "", 0, 33, 1, 0xffffffff); add(TYPEDEF, "huge", 34); add(STRUCT, "without", 12)
add(FLOAT, "f24", 3); add(STRUCT, "floats", 8, "a", 37, 8, "b", 29, 32)'
dump layouts.btf
expect 'struct reordered {
	long a;
	int b;
	int c;
};' definition '^struct reordered'
expect 'struct overlapping {
	union {
		struct {
			long a;
			long c;
		} __attribute__((packed));
		struct {
			int: 32;
			int b;
		} __attribute__((packed));
		struct {
			int: 32;
			char: 8;
			int d;
		} __attribute__((packed));
	};
} __attribute__((packed));' definition '^struct overlapping'

# Unnamed members whose structs have names, an extension of Microsoft and of Plan 9
blob nameless.btf 'add(INT, "int", 4, 0x01000020); add(STRUCT, "base", 8, "a", 1, 0, "b", 1, 32); add(TYPEDEF, "base_t", 2)
add(STRUCT, "derived", 20, "", 2, 0, "c", 1, 64, "", 6, 96); add(STRUCT, "again", 8, "", 3, 0)
add(UNION, "", 8, "d", 1, 0, "e", 2, 0)'
dump nameless.btf
expect 'struct derived {
	struct {
		int a;
		int b;
	};
	int c;
	union {
		int d;
		struct base e;
	};
};' definition '^struct derived'

# Cycles without a tag, which C cannot express
blob circles.btf 'add(TYPEDEF, "self", 2); add(PTR, "", 1); add(TYPEDEF, "a", 4); add(ARRAY, "", 0, 5, 9, 3); add(TYPEDEF, "b", 6)
add(PTR, "", 3); add(STRUCT, "s", 32, "a", 3, 0, "b", 5, 192); add(TYPEDEF, "f", 10); add(INT, "int", 4, 32)
add(FUNC_PROTO, "", 8, "", 8, "", 11); add(PTR, "", 8); add(STRUCT, "u", 16, "self", 1, 0, "f", 11, 64)
add(PTR, "", 14); add(STRUCT, "", 8, "again", 13, 0)'
dump circles.btf
expect 'typedef void *self;' definition '^typedef.*self'
expect 'typedef void f();' definition '^typedef.* f\('

# Tags that gcc does not know, and functions with return types that C forbids
blob tags.btf 'add(INT, "int", 4, 32); add(TYPE_TAG, "user", 1); add(PTR, "", 2); add(TYPE_TAG, "a\"\\b??/\n", 3); add(PTR, "", 4)
add(STRUCT, "s", 16, "p", 3, 0, "q", 5, 64); add(DECL_TAG, "whole", 6, -1); add(DECL_TAG, "member", 6, 1); add(TYPEDEF, "t", 1)
add(DECL_TAG, "typedef", 9, -1); add(TYPE_TAG, "address_space(1)", 1, kflag=1); add(TYPE_TAG, "packed", 1, kflag=1)
add(PTR, "", 11); add(PTR, "", 12); add(STRUCT, "v", 16, "p", 13, 0, "q", 14, 64); add(DECL_TAG, "packed", 15, -1, kflag=1)
add(ARRAY, "", 0, 1, 1, 3); add(FUNC_PROTO, "", 17, "", 17, "", 0, "x", 1); add(FUNC_PROTO, "", 18); add(TYPEDEF, "f", 19)
add(CONST, "", 18); add(PTR, "", 21); add(RESTRICT, "", 1); add(STRUCT, "w", 16, "f", 22, 0, "r", 23, 64)
add(TYPEDEF, "BTF_TYPE_TAG", 18)'
dump tags.btf
expect 'struct s {
	int BTF_TYPE_TAG("user") *p;
	int BTF_TYPE_TAG("user") *BTF_TYPE_TAG("a\"\\b\?\?/_") *q BTF_DECL_TAG("member");
} BTF_DECL_TAG("whole");' definition '^struct s'
expect 'struct v {
	int BTF_TYPE_ATTRIBUTE(address_space(1)) *p;
	int *q;
};' definition '^struct v'
expect 'struct w {
	void (*f)(int[3], int, int);
	int r;
};' definition '^struct w'

# Kfuncs. A parameter must not hide a type, and a program cannot use what has another name than in the kernel.
blob kfuncs.btf 'add(INT, "int", 4, 0x01000020); add(TYPEDEF, "u32", 1); add(TYPE_TAG, "address_space(1)", 0, kflag=1); add(PTR, "", 3)
add(STRUCT, "task", 4, "a", 1, 0); add(PTR, "", 5); add(FUNC_PROTO, "", 4, "p__map", 6, "addr__ign", 4, "u32", 2, "n", 2, "", 0)
add(FUNC, "bpf_arena_alloc", 7, vlen=1); add(DECL_TAG, "bpf_kfunc", 8, -1); add(FUNC_PROTO, "", 1); add(FUNC, "bpf_now", 10, vlen=1)
add(DECL_TAG, "bpf_kfunc", 11, -1); add(DECL_TAG, "bpf_fastcall", 11, -1); add(FUNC, "rust::f", 10, vlen=1)
add(DECL_TAG, "bpf_kfunc", 14, -1); add(FUNC, "not_one", 10, vlen=1); add(ENUM, "", 4, "bpf_now", 1)
add(FUNC_PROTO, "", 1, "p", 6, "", 0); add(PTR, "", 18); add(FUNC_PROTO, "", 0, "while", 2, "p", 6, "p", 6, "fn", 19)
add(FUNC, "bpf_walk", 20, vlen=1); add(DECL_TAG, "bpf_kfunc", 21, -1); add(TYPEDEF, "bpf_walk", 6); add(FUNC, "of_parameter", 20, vlen=1)
add(DECL_TAG, "bpf_kfunc", 24, 0); add(FUNC, "other", 20, vlen=1); add(DECL_TAG, "other", 26, -1)'
dump kfuncs.btf
grep -qx 'typedef struct task \*bpf_walk___2;' types.h || fail 'a typedef has the name of a kfunc'
expect '#ifndef BPF_NO_KFUNC_PROTOTYPES
extern void BTF_TYPE_ATTRIBUTE(address_space(1)) *bpf_arena_alloc(struct task *p__map, void BTF_TYPE_ATTRIBUTE(address_space(1)) *addr__ign, u32 u32___2, u32 n, ...) __weak __ksym;
extern __bpf_fastcall int bpf_now(void) __weak __ksym;
extern void bpf_walk(u32 while_, struct task *p, struct task *p___2, int (*fn)(struct task *, ...)) __weak __ksym;
#endif' definition '^#ifndef BPF_NO_KFUNC'
cat >calls.bpf.c <<'END'
#include "types.h"

__attribute__((section("syscall"), used))
int prog(void *context)
{
	return bpf_arena_alloc(0, 0, 1, 2) && bpf_now();
}
END
"$CC" -g -O2 --target=bpf -Wall -Werror -I. -c calls.bpf.c -o calls.o
expect 'bpf_arena_alloc bpf_now' echo $(python3 "$bpfobj" references calls.o | sed -n 's/.* call //p')
"$CC" --target=bpf -DBPF_NO_KFUNC_PROTOTYPES -Werror -fsyntax-only -x c - <<<'#include "types.h"
int bpf_arena_alloc(void);'

# A kernel that marks no kfunc, and types of no kernel
for name in bpf_ctx_convert context; do
  blob unmarked.btf "add(INT, \"int\", 4, 0x01000020); add(STRUCT, \"$name\", 4, \"a\", 1, 0); add(FUNC_PROTO, \"\", 1); add(FUNC, \"bpf_now\", 3, vlen=1)"
  dump unmarked.btf
  expect "$([[ $name == context ]] || echo '/* Kernels before 6.9 do not mark their kfuncs: a program declares those that it calls. */')" sed -n '/kfunc/p' types.h
done
