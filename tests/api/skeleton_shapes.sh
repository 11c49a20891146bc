#!/bin/bash
# Skeletons of arenas, struct_ops, kernel configuration and custom sections have the right members and
# compile as C and C++. If a section's layout differs from the BPF object's, they do not compile.
. "$(dirname "$0")/common.sh"

has() { # FILE LINE...: FILE has these consecutive lines
  local file=$1 text
  shift
  text=$(printf '%s\n' "$@")
  [[ $(tr -s '\t ' ' ' <"$file") == *"$text"* ]] || fail "$file lacks"$'\n'"$text"
}

compiles() { # HEADER: a program that includes it compiles
  echo "#include \"$1\"" >user.c
  "$CC" -Wall -Wextra -Werror -fsyntax-only -include linux/types.h -x c user.c
  "$CXX" -Wall -Wextra -Werror -fsyntax-only -include linux/types.h -x c++ user.c
}

"$BPFSKEL" --cpp "$fixtures/arena.o" >arena.skel.h
has arena.skel.h ' struct arena__arena {' ' int first;' ' char __pad0[4];' ' long table[4];' ' } *arena;'
has arena.skel.h ' s->maps[0].name = "pages";' ' s->maps[0].map = &obj->maps.pages;' \
  ' s->maps[0].mmaped = (void **)&obj->arena;'
compiles arena.skel.h

"$BPFSKEL" --cpp --name all "$fixtures/counters.o" "$fixtures/state.o" >all.skel.h
has all.skel.h ' struct {' ' char tag[3];' ' long scale;' ' } settings;'
has all.skel.h ' struct all__kconfig {' ' unsigned long CONFIG_HZ;' ' } *kconfig;'
has all.skel.h ' struct all__bss_ports {' ' __u64 per_port[8];' ' } *bss_ports;'
has all.skel.h ' struct bpf_link *my_ops;'
has all.skel.h ' struct {' '#if __SIZEOF_POINTER__ == 8' ' struct all__my_ops__tcp_congestion_ops {' \
  ' struct bpf_program *init;' ' struct bpf_program *ssthresh;' ' char name[16];' ' } *my_ops;' '#else'
has all.skel.h ' struct bpf_program *init;' ' char __padding_0[4];' ' struct bpf_program *ssthresh;' ' char __padding_1[4];' \
  ' char name[16];' ' } *my_ops;' '#endif' ' } struct_ops;'
compiles all.skel.h

# The compiler detects a type that differs in user space.
sed 's/unsigned long CONFIG_HZ/int CONFIG_HZ/' all.skel.h >wrong.h
if compiles wrong.h 2>errors; then fail 'a variable of another size compiles'; fi
grep -q "unexpected size of 'CONFIG_HZ'" errors || fail "$(<errors)"

# Members that C would lay out differently become bytes. The loader lays out the kernel configuration,
# which is constant. Visible members are at their offsets.
"$CLANG" -g -O2 --target=bpf -c -x c -o layout.o - <<'END'
struct { char bytes[3]; } __attribute__((aligned(32))) wide = {{7, 8, 9}};
struct { char tag; int value; } __attribute__((packed)) pairs[2] = {{1, 2}};
struct { int bits : 3, more : 30; char last; } plain = {1, 2, 3};
extern _Bool CONFIG_BPF __attribute__((section(".kconfig")));
extern const unsigned CONFIG_B __attribute__((section(".kconfig")));
extern unsigned CONFIG_A __attribute__((section(".kconfig")));
__attribute__((section("socket"))) int use(void *ctx) { return CONFIG_BPF + CONFIG_B + CONFIG_A; }
END
"$BPFSKEL" layout.o -o layout.skel.h
has layout.skel.h ' struct layout__data {' ' char wide[32];' ' char pairs[10];' ' struct {' \
  ' int bits: 3;' ' int more: 30;' ' char last;' ' } plain;' ' } *data;'
has layout.skel.h ' struct layout__kconfig {' ' unsigned int CONFIG_A;' ' const unsigned int CONFIG_B;' ' bool CONFIG_BPF;' ' } *kconfig;'
compiles layout.skel.h

# User space sets what BPF only reads: neither a variable nor its elements or members are const. What
# pointers point to stays const. Tags of types mean nothing to user space, and older compilers refuse
# them.
"$CLANG" -g -O2 --target=bpf -c -x c -o writable.o - <<'END'
#define TAG __attribute__((btf_type_tag("tag")))
const volatile struct {
	const int one;
	volatile const short row[2][3];
	const struct { const int deep; } inner;
	struct { const char in_place; };
	union { const int number; const char *const text; } choices[2];
	int (*const callback)(const char *name);
	const unsigned bits : 3;
} in = {};
const struct { const char *const *volatile names[2]; } *volatile pointer = 0;
struct node { int n; } TAG *tagged, *TAG volatile list[2];
__attribute__((section("socket"))) int use(void *ctx) { return in.one + !pointer + !tagged + !list[0]; }
END
"$BPFSKEL" writable.o -o writable.skel.h
"$BPFSKEL" --subskeleton writable.o -o writable.subskel.h
for header in writable.skel.h writable.subskel.h; do
  has $header ' struct {' ' int one;' ' short row[2][3];' ' struct {' ' int deep;' ' } inner;' ' struct {' \
    ' char in_place;' ' };' ' union {' ' int number;' ' const char *text;' ' } choices[2];' \
    ' int (*callback)(const char *);' ' unsigned int bits: 3;' ' }'
  has $header ' const char *const *names[2];'
  sed -i '1i struct node;' $header
  compiles $header
done
has writable.skel.h ' struct node *tagged;' ' struct node *list[2];'
has writable.subskel.h ' struct node **tagged;' ' struct node *(*list)[2];'
cat >set.c <<'END'
#include "writable.skel.h"
void set(struct writable *s)
{
	s->rodata->in.one = s->rodata->in.row[1][2] = s->rodata->in.inner.deep = s->rodata->in.in_place = 1;
	s->rodata->in.choices[1].text = "text";
	s->rodata->in.callback = 0;
	s->rodata->in.bits = 1;
}
END
"$CC" -Wall -Wextra -Werror -fsyntax-only set.c

# A static struct_ops that has the name of another file's program gets its own link.
"$CLANG" -g -O2 --target=bpf -c -x c -o ops.o - <<'END'
struct ops { int (*f)(void); };
__attribute__((section("struct_ops/f"))) int f(void) { return 0; }
static struct ops twin __attribute__((section(".struct_ops.link"), used)) = { .f = f };
END
"$CLANG" -g -O2 --target=bpf -c -x c -o prog.o - <<<'__attribute__((section("socket"))) int twin(void *ctx) { return 0; }'
"$BPFSKEL" ops.o prog.o -o twins.skel.h
has twins.skel.h ' s->maps[0].link = &obj->links.twin___2;'
has twins.skel.h ' s->progs[1].link = &obj->links.twin;'
compiles twins.skel.h

# Each section of per-CPU variables is a map with a struct. Names differ from those of maps and of other
# sections.
"$CLANG" -g -O2 --target=bpf -c -x c -o percpu.o - <<'END'
#define IN(name) __attribute__((section(name), used))
char first IN(".percpu"); long total IN(".percpu") = 3; static int own IN(".percpu");
int more IN(".percpu.more"); int dot IN(".data.a.b"); int line IN(".data.a_b"); int data IN(".data.percpu");
struct { int (*type)[2]; int (*max_entries)[1]; int *key; int *value; } percpu IN(".maps");
__attribute__((section("socket"))) int use(void *ctx) { return first + total++ + own++ + data; }
END
"$BPFSKEL" percpu.o -o percpu.skel.h
has percpu.skel.h ' struct bpf_map *percpu;' ' struct bpf_map *percpu___2;' ' struct bpf_map *data_percpu;' \
  ' struct bpf_map *percpu_more;' ' struct bpf_map *data_a_b;' ' struct bpf_map *data_a_b___2;' ' } maps;'
has percpu.skel.h ' struct percpu__percpu___2 {' ' long total;' ' char first;' ' } *percpu___2;'
has percpu.skel.h ' struct percpu__percpu_more {' ' int more;' ' } *percpu_more;'
has percpu.skel.h ' s->maps[1].name = ".percpu";' ' s->maps[1].map = &obj->maps.percpu___2;' \
  ' s->maps[1].mmaped = (void **)&obj->percpu___2;'
compiles percpu.skel.h
"$BPFSKEL" --cpp percpu.o -o percpu.skel.hpp
compiles percpu.skel.hpp
"$BPFSKEL" --subskeleton percpu.o -o percpu.subskel.h
has percpu.subskel.h ' struct percpu__percpu___2 {' ' long *total;' ' char *first;' ' } percpu___2;'
has percpu.subskel.h ' s->vars[0].name = "total";' ' s->vars[0].map = &obj->maps.percpu___2;'
compiles percpu.subskel.h

# User space may lack typedefs of BPF programs, but not those of <linux/types.h> and <stdint.h>.
"$CLANG" -g -O2 --target=bpf -c -x c -o typedefs.o - <<'END'
typedef unsigned long long __u64; typedef unsigned long uint64_t; typedef __u64 u64; typedef unsigned char u8; typedef _Bool bool;
typedef u64 *pointer; typedef struct { int n; } record; typedef u8 mac[6]; typedef double real;
u64 total, many[2][3]; u8 key; bool is_set; uint64_t standard; mac address; u8 const volatile *where; real ratio;
struct { u64 a; u8 b[4]; int (*f)(u64, const u8 *); } inner;
extern const u8 CONFIG_BYTE __attribute__((section(".kconfig")));
const volatile u64 limit = 3; record own;
__attribute__((section("socket"))) int use(void *ctx) { return CONFIG_BYTE; }
END
"$BPFSKEL" typedefs.o -o typedefs.skel.h
for line in '__u64 total;' '__u64 many[2][3];' 'unsigned char key;' 'bool is_set;' 'uint64_t standard;' 'mac address;' \
  'volatile const unsigned char *where;' 'double ratio;' '__u64 a;' 'unsigned char b[4];' \
  'int (*f)(__u64, const unsigned char *);' 'const unsigned char CONFIG_BYTE;' '__u64 limit;' 'record own;'; do
  has typedefs.skel.h " $line"
done
sed -i '1i typedef unsigned char mac[6]; typedef struct { int n; } record;' typedefs.skel.h
compiles typedefs.skel.h

# Where pointers and `long` have 4 bytes, a type of 8 bytes takes their place, or bytes that of a struct
# without a name.
"$CLANG" -g -O2 --target=bpf -c -x c -o wide.o - <<'END'
typedef long row[3]; typedef void *any;
const volatile unsigned long limit = 3; long counts[4]; void *last; int small; row rows[2]; any anys[5]; __int128 huge;
struct { char tag; long n; } inner; struct { char tag; long long n; } uneven; struct { long long n; int m[2]; } even; char end;
struct ops { int (*f)(void); char name[3]; long count; void *data; unsigned long words[2]; };
__attribute__((section("struct_ops/f"))) int f(void) { return small; }
struct ops mine __attribute__((section(".struct_ops.link"))) = { .f = (void *)f };
END
"$BPFSKEL" wide.o -o wide.skel.h
"$BPFSKEL" --cpp wide.o -o wide.skel.hpp
"$BPFSKEL" --subskeleton wide.o -o wide.subskel.h
has wide.skel.h '#if __SIZEOF_POINTER__ == 8' ' struct wide__rodata {' ' unsigned long limit;' ' } *rodata;' '#else' \
  ' struct wide__rodata {' ' unsigned long long limit;' ' } *rodata;' '#endif'
for line in 'long long counts[4];' 'unsigned long long last;' 'long long rows[2][3];' 'unsigned long long anys[5];' \
  'char huge[16];' 'char inner[16];' 'char uneven[16];'; do
  has wide.skel.h " $line"
done
has wide.subskel.h ' unsigned long long *last;'
has wide.subskel.h ' long long (*rows)[2][3];'
sed -i '1i typedef long row[3]; typedef void *any;' wide.{skel.h,skel.hpp,subskel.h}
for header in wide.skel.h wide.skel.hpp wide.subskel.h; do compiles $header; done
mkdir -p inc/gnu
touch inc/gnu/stubs-32.h inc/gnu/stubs-soft.h
for host in i686-linux-gnu armv7-linux-gnueabi; do
  for header in wide.skel.h wide.subskel.h; do
    "$CLANG" --target=$host -Iinc -isystem "/usr/include/$(uname -m)-linux-gnu" -Wall -Werror -fsyntax-only \
      -include $header -x c /dev/null 2>log || fail "$header on $host: $(<log)"
  done
done

# Objects that do not link give no skeleton.
if "$BPFSKEL" "$fixtures/counters.o" >out.h 2>errors; then fail 'an undefined symbol is not an error'; fi
[[ ! -s out.h ]] || fail 'a header in spite of an error'
grep -q 'undefined symbol: helper' errors || fail "$(<errors)"

# ---- Subskeletons

# Pointers to variables of any type; variables whose name libbpf cannot find are not shown.
"$CLANG" -g -O2 --target=bpf -c -x c -o odd.o - <<'END'
#define KCONFIG __attribute__((section(".kconfig")))
const volatile long table[2][3] = {{1}};
int cube[1][2][3][4][5][6][7][8][9];
const char *const volatile text = "text";
struct { char tag; } plain, several[3];
struct { char tag; int value; } __attribute__((packed)) pairs[2] = {{1, 2}};
struct { char byte; } __attribute__((aligned(32))) wide = {7};
struct point *far, *const volatile farther;
int (*function)(int, const char *), (*functions[3])(int), (*array)[3];
typedef int row[3];
row one, two[2];
_Atomic int atomic;
enum { OFF, ON } mode;
char none[0];
unsigned char odd$name, odd_name;
static volatile int secret;
__attribute__((visibility("hidden"))) int hidden;
__attribute__((weak)) int weak;
extern const int CONFIG_A KCONFIG;
extern char CONFIG_TEXT[8] KCONFIG;
__attribute__((section("socket"))) int use(void *ctx) { return CONFIG_A + CONFIG_TEXT[1] + secret++; }
END
"$BPFSKEL" --subskeleton odd.o -o odd.subskel.h
has odd.subskel.h ' struct odd__bss {' ' int (*cube)[1][2][3][4][5][6][7][8][9];' ' struct {' ' char tag;' \
  ' } *plain;' ' struct {' ' char tag;' ' } (*several)[3];' ' struct point **far;' \
  ' int (**function)(int, const char *);' ' int (*(*functions)[3])(int);' ' int (**array)[3];' \
  ' row *one;' ' row (*two)[2];' ' void *atomic;' ' enum {' ' OFF = 0,' ' ON = 1,' ' } *mode;' \
  ' char (*none)[0];' ' unsigned char *odd_name;' ' unsigned char *odd_name___2;' \
  ' int *weak;' ' } bss;'
has odd.subskel.h ' long (*table)[2][3];' ' const char **text;' ' struct point **farther;' ' } rodata;'
has odd.subskel.h ' char (*pairs)[10];' ' char (*wide)[32];' ' } data;'
has odd.subskel.h ' struct odd__kconfig {' ' const int *CONFIG_A;' ' char (*CONFIG_TEXT)[8];' ' } kconfig;'
grep -qF '.name = "odd$name";' odd.subskel.h || fail 'a name other than libbpf'\''s'
sed -i '1i typedef int row[3];' odd.subskel.h
compiles odd.subskel.h

"$BPFSKEL" --subskeleton "$fixtures/state.o" >state.subskel.h
has state.subskel.h ' struct state__my_ops__tcp_congestion_ops {' ' struct bpf_program *init;' \
  ' struct bpf_program *ssthresh;' ' char name[16];' ' } *my_ops;' '#else'
has state.subskel.h ' obj->struct_ops.my_ops = (__typeof__(obj->struct_ops.my_ops))' \
  ' bpf_map__initial_value(obj->maps.my_ops, &size);'
compiles state.subskel.h
"$BPFSKEL" --subskeleton "$fixtures/arena.o" >arena.subskel.h # libbpf does not find variables in an arena
has arena.subskel.h ' struct bpf_map *pages;' ' struct bpf_map *bss;' ' } maps;'
if grep -qw first arena.subskel.h; then fail 'a variable of an arena'; fi
compiles arena.subskel.h

# The subskeleton of an empty library opens. If an object lacks something, that is an error or a null pointer.
empty='int f(int n) { return n; }' more='int custom __attribute__((section(".data.custom"))), more __attribute__((section(".data.custom")));'
other='int other __attribute__((section(".data.other")));'
for library in empty more other; do
  "$CLANG" -g -O2 --target=bpf -c -x c -o $library.o - <<<"${!library}"
  "$BPFSKEL" --subskeleton $library.o -o $library.subskel.h
  compiles $library.subskel.h
done
cat >open.c <<'END'
#include "empty.subskel.h"
#include "more.subskel.h"
#include "other.subskel.h"
int main(int argc, char **argv)
{
	struct bpf_object *object = bpf_object__open_file(argv[argc - 1], NULL);
	struct empty *nothing = empty__open(object);
	struct more *some = more__open(object);

	if (!nothing || !some || !some->data_custom.custom || *some->data_custom.custom != 77 || some->data_custom.more)
		return 1;
	empty__destroy(nothing);
	more__destroy(some);
	return !other__open(object) && errno == ESRCH ? 0 : 2;
}
END
"$CC" -Wall -Wextra -Werror open.c -o open -lbpf
./open "$fixtures/tally.o" 2>log || fail "what the object lacks: $? $(<log)"

# Inputs of LLVM bitcode are linked as bpflink links them.
half() { "$CLANG" -g -O2 --target=bpf -flto -c -x c -o "$1.bc" -; }
half main <<<'int twice(int); int calls; __attribute__((section("tc"))) int prog(void *ctx) { return twice(++calls); }'
half lib <<<'int twice(int x) { return 2 * x; }'
if "$BPFLINK" -q main.bc lib.bc -o whole.o 2>errors; then
  "$BPFSKEL" --name whole whole.o >wanted.skel.h
  "$BPFSKEL" --name whole main.bc lib.bc >whole.skel.h
  cmp wanted.skel.h whole.skel.h || fail 'bpfskel links bitcode in another way than bpflink'
  has whole.skel.h ' int calls;'
else
  grep -q 'no library of LLVM' errors || fail "$(<errors)"
fi
