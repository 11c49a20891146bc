#!/bin/bash
# BTF of DWARF (--dwarf): of objects of gcc and clang, as pahole makes it; of programs, with compressed
# sections, type units and link-time optimization; of other machines.
. "$(dirname "$0")/common.sh"

cat >types.c <<'END_OF_C'
typedef unsigned char u8;
typedef _Bool truth;
enum color { RED, GREEN = 7, BLUE = -3 };
enum wide { LARGE = 0x100000000, ZERO = 0 };
union number { int i; float f; double d; u8 bytes[8]; };
struct only_declared;
struct bits { int a : 3; unsigned b : 7; truth c : 1; enum color d : 4; long e; long f : 33; };
struct node {
  struct node *next;
  const volatile char *restrict name;
  struct { int x; union { long y; short z; }; };
  struct { u8 inner; } named[3];
  int (*call)(struct node *, const union number *, ...);
  void (*nothing)(void);
  struct only_declared *other;
  enum color color;
  enum wide wide;
  __int128 large;
  int open[];
};
struct bits bits;
extern int used(struct node *node, int count);
static __attribute__((noinline)) int add(int a, int b) { return used(0, a) + b; }
int first(struct node *node, enum color color, truth yes) {
  struct local { long inside; struct node *node; } local = {color, node};
  bits.a = yes;
  return used(local.node, (int)local.inside) + add(color, 2);
}
void second(char *text, union number *number, ...) { number->i = add(text[0], 3); }
END_OF_C
cat >more.c <<'END_OF_C'
struct node { struct node *next; int value; };
struct cube { int cells[2][3][4]; struct node *nodes[5]; };
int used(struct node *node, int count) { struct cube cube = {.nodes = {node}}; return cube.nodes[0]->value + count; }
int first(struct node *, int, _Bool);
int main(void) { return first(0, 0, 0); }
END_OF_C

# types FILE: the types in C, and functions with their parameters
types() {
  "$BTFDEDUP" "$1" -o sorted.btf --sort --dump c
  bpftool --json btf dump file "$1" format raw | "$python" -c '
import json, sys
types = {t["id"]: t for t in json.load(sys.stdin)["types"]}
for t in sorted((t for t in types.values() if t["kind"] == "FUNC"), key=lambda t: t["name"]):
    print(t["name"], [p["name"] for p in types[t["type_id"]]["params"]])'
}

for compiler in gcc "$CC"; do
  for version in 4 5; do
    "$compiler" -gdwarf-$version -O1 -w -c types.c -o types.o
    cp types.o peer.o
    LLVM_OBJCOPY=llvm-objcopy-19 pahole -J --btf_gen_floats peer.o
    "$BTFDEDUP" --dwarf types.o -o types.btf
    diff <(types types.btf) <(types peer.o) || fail "$compiler, DWARF $version: not as pahole"
    # Compressed sections are the same.
    for format in zlib zstd; do
      llvm-objcopy-19 --compress-debug-sections=$format types.o compressed.o 2>objcopy.log || continue
      "$BTFDEDUP" --dwarf compressed.o -o compressed.btf
      cmp types.btf compressed.btf
    done
  done
done

# A program of two units with different structs of one name; any number of threads.
gcc -g -O1 -w types.c more.c -o program
"$BTFDEDUP" --dwarf program -o program.btf --threads 1
"$BTFDEDUP" --dwarf program -o again.btf --threads 4
cmp program.btf again.btf
[[ $(structs program.btf | grep node) == '2 node' ]] || fail "structs: $(structs program.btf)"
"$BTFDEDUP" program.btf --dump c >program.h
grep -q 'int cells\[2\]\[3\]\[4\];' program.h || fail 'dimensions'
"$BTFDEDUP" --check program.btf >/dev/null

# Units that refer to each other have the same types.
for flags in '-fdebug-types-section' '-gdwarf-4 -fdebug-types-section' '-flto' '-flto -fdebug-types-section'; do
  # shellcheck disable=SC2086
  gcc -g -O1 -w $flags types.c more.c -o joined
  "$BTFDEDUP" --dwarf joined -o joined.btf 2>notes || fail "$flags: $(<notes)"
  diff <(structs program.btf) <(structs joined.btf) || fail "$flags: other structs"
done

# as FILE BLOB: the DWARF of the file has the types and functions of the blob
as() {
  "$BTFDEDUP" --dwarf "$1" -o as.btf
  diff <(types as.btf) <(types "$2") || fail "$1: not as $2, $flags"
}
# Other files have a part of the DWARF: that of dwz -m is for several programs, a .dwo file for one unit.
cat >other.c <<'END_OF_C'
struct node { struct node *next; int value; };
struct cube { int cells[2][3][4]; struct node *nodes[5]; };
struct other { struct cube *cube; void (*call)(struct node *, int); };
int used(struct node *, int);
int first(struct node *node, int number, _Bool truth) { return used(((struct other *)node)->cube->nodes[0], number); }
END_OF_C
mkdir away moved
for version in 4 5; do
  gcc -gdwarf-$version -O1 -w types.c more.c -o program
  gcc -gdwarf-$version -O1 -w more.c other.c -o other
  for file in program other; do "$BTFDEDUP" --dwarf $file -o $file.btf; done
  for flags in '' --dwarf-5; do
    [[ $version$flags == 4--dwarf-5 ]] && continue
    cp program away/one
    cp other away/two
    # shellcheck disable=SC2086
    (cd away && dwz $flags -m common one two)
    as away/one program.btf
    as away/two other.btf
    cp away/one moved/one$flags
  done
  for compiler in gcc "$CC"; do
    for flags in -gdwarf-$version "-gdwarf-$version -fdebug-types-section"; do
      # shellcheck disable=SC2086
      for source in types more; do "$compiler" $flags -O1 -w -c $source.c -o $source.o; done
      "$compiler" types.o more.o -o whole
      for file in types.o whole; do "$BTFDEDUP" --dwarf $file -o $file.btf; done
      # shellcheck disable=SC2086
      for source in types more; do "$compiler" $flags -gsplit-dwarf -O1 -w -c $source.c -o $source.o; done
      "$compiler" types.o more.o -o split
      as types.o types.o.btf
      as split whole.btf
      "$BTFDEDUP" --dwarf split -o again.btf --threads 1
      cmp again.btf as.btf
      # llvm-dwp does not end with units of types of gcc 12 in DWARF 5.
      [[ $compiler == gcc && $flags == *5*types* ]] && continue
      llvm-dwp-19 -e split -o split.dwp
      mv types.dwo more.dwo away
      as split whole.btf
      rm split.dwp
      mv away/*.dwo .
    done
  done
done
mv types.dwo more.dwo split moved  # beside it
as moved/split whole.btf
error_of() { "$BTFDEDUP" "$@" 2>&1 >/dev/null && fail "accepted: $*"; true; }
# shellcheck disable=SC2053 # $2 is a pattern
fails_with() { [[ $(error_of --dwarf "$1" --stats) == *"error: $1: "$2* ]] || fail "$1: not '$2'"; }
cp moved/types.dwo moved/more.dwo
fails_with moved/split 'more.dwo, or the package, has no unit with the id *: it is of another build'
llvm-dwp-19 moved/more.dwo -o moved/split.dwp
llvm-objcopy-19 --dump-section=.debug_cu_index=index moved/split.dwp
head -c 20 index >cut
llvm-objcopy-19 --update-section=.debug_cu_index=cut moved/split.dwp
fails_with moved/split 'moved/split.dwp: .debug_info.dwo: the index of the package is cut off'
rm moved/split.dwp moved/*.dwo
fails_with moved/split "2 of 2 other files with its DWARF cannot be read; the first is $PWD/types.dwo: cannot open"
fails_with moved/one "its DWARF refers to 'common' of dwz -m: cannot open"
cp away/common moved/common
"$BTFDEDUP" --dwarf moved/one--dwarf-5 --stats >/dev/null
fails_with moved/one "its DWARF refers to 'common' of dwz -m: is of another build"

# Other classes and byte orders.
cat >plain.c <<'END_OF_C'
struct item { struct item *next; int value; short parts[3]; enum { A, B } kind; };
int get(struct item *item) { return item->value; }
END_OF_C
"$CC" -g -O1 -c plain.c -o plain.o
"$BTFDEDUP" --dwarf plain.o --dump c >plain.h
for target in s390x-linux-gnu aarch64-linux-gnu riscv64-linux-gnu armv7-linux-gnueabi mips-linux-gnu; do
  "$CC" --target=$target -g -O1 -c plain.c -o other.o
  "$BTFDEDUP" --dwarf other.o -o other.btf --dump c >other.h
  case $target in
    *64-* | s390x-*) diff plain.h other.h || fail "$target" ;;
    *) bpftool btf dump file other.btf | has "STRUCT 'item' size=20 vlen=4" || fail "$target" ;;
  esac
  bpftool btf dump file other.btf | has "FUNC 'get'" || fail "$target: no function"
done

# Tags on declarations, which clang writes into DWARF as well
cat >tags.c <<'END_OF_C'
#define tag(x) __attribute__((btf_decl_tag(x)))
struct tagged { int plain; int member tag("on_member") tag("again"); struct tagged *next; } tag("on_struct");
typedef struct tagged other_t tag("on_typedef");
struct declared tag("on_declaration");
struct declared *declared;
__attribute__((section(".data..percpu"))) struct tagged percpu tag("on_percpu");
tag("on_function") int run(struct tagged *first, other_t *second tag("on_parameter")) {
  return first->plain + second->member + percpu.plain;
}
static __attribute__((noinline)) tag("on_static") int add(int a, int b tag("on_b")) { return a * b; }
int both(int a) { return add(a, 2) + add(3, a); }
END_OF_C
"$CC" -g -O2 -c tags.c -o tags.o
"$BTFDEDUP" --dwarf tags.o -o tags.btf
expect "again STRUCT 'tagged' 1
on_b FUNC 'add' 1
on_function FUNC 'run' -1
on_member STRUCT 'tagged' 1
on_parameter FUNC 'run' 1
on_percpu VAR 'percpu' -1
on_static FUNC 'add' -1
on_struct STRUCT 'tagged' -1
on_typedef TYPEDEF 'other_t' -1" sort <(bpftool btf dump file tags.btf | sed -nE "s/^\[[0-9]+\] DECL_TAG '(.*)' type_id=([0-9]+) component_idx=(.*)/\1 \2 \3/p" |
  while read -r text id part; do
    echo "$text $(bpftool btf dump file tags.btf | sed -nE "s/^\[$id\] ([A-Z]+ '[^']*').*/\1/p") $part"
  done)
"$BTFDEDUP" --dwarf --btf-features default,-decl_tag tags.o --dump raw | has DECL_TAG && fail 'a tag'

# Those of gcc 16 are entries of their own: of several, each refers to the one before. Of
#   struct tagged { int member tag("on_member") tag("again"); }; int type_tag("a") type_tag("b") *both;
cat >annotations.s <<'END_OF_ASSEMBLY'
.macro abbreviation code, tag, children, attributes:vararg
  .uleb128 \code, \tag
  .byte \children
  .uleb128 \attributes, 0, 0
.endm
.section .debug_abbrev,"",@progbits
abbreviation 1, 0x11, 1, 0x03, 0x08, 0x13, 0x0b
abbreviation 2, 0x24, 0, 0x03, 0x08, 0x0b, 0x0b, 0x3e, 0x0b
abbreviation 3, 0x13, 1, 0x03, 0x08, 0x0b, 0x0b
abbreviation 4, 0x0d, 0, 0x03, 0x08, 0x49, 0x13, 0x38, 0x0b, 0x2139, 0x13
abbreviation 5, 0x0f, 0, 0x0b, 0x0b, 0x49, 0x13, 0x2139, 0x13
abbreviation 6, 0x6001, 0, 0x03, 0x08, 0x1c, 0x08
abbreviation 7, 0x6001, 0, 0x03, 0x08, 0x1c, 0x08, 0x2139, 0x13
.byte 0
.section .debug_info,"",@progbits
unit: .long end - version
version: .short 4
.long .debug_abbrev
.byte 8, 1
.asciz "tags.c"
.byte 12
int: .byte 2
.asciz "int"
.byte 4, 5, 3
.asciz "tagged"
.byte 4, 4
.asciz "member"
.long int - unit
.byte 0
.long again - unit
.byte 0, 5, 8
.long int - unit, last - unit
on_member: .byte 6
.asciz "btf_decl_tag", "on_member"
again: .byte 7
.asciz "btf_decl_tag", "again"
.long on_member - unit
a: .byte 6
.asciz "btf_type_tag", "a"
last: .byte 7
.asciz "btf_type_tag", "b"
.long a - unit
.byte 0
end:
END_OF_ASSEMBLY
gcc -c annotations.s
"$BTFDEDUP" --dwarf annotations.o -o annotations.btf
expect "[1] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED
[2] STRUCT 'tagged' size=4 vlen=1
	'member' type_id=1 bits_offset=0
[3] TYPE_TAG 'a' type_id=1
[4] TYPE_TAG 'b' type_id=3
[5] PTR '(anon)' type_id=4
[6] DECL_TAG 'on_member' type_id=2 component_idx=0
[7] DECL_TAG 'again' type_id=2 component_idx=0" "$BTFDEDUP" annotations.btf --dump raw

# Packed structs on the stack leave open where the parameters after them are.
cat >packed.c <<'END_OF_C'
#define SIX long a, long b, long c, long d, long e, long f
struct __attribute__((packed)) moved { char c; long x; };
struct __attribute__((packed)) shortened { long x; char c; };
struct __attribute__((packed)) bits { int a : 3; long b : 40; int c : 10; };
struct __attribute__((packed)) natural { long a, b; };
struct padded { struct moved moved; long x; char c; };
union __attribute__((packed)) either { char c[9]; long x; };
long in_registers(SIX) { return f; }
long early(long a, long b, long c, long d, long e, struct moved f) { return f.x; }
long no1(SIX, struct moved g) { return g.x; }
long no2(SIX, int x, struct shortened g) { return g.x; }
long no3(SIX, struct bits g) { return g.a; }
long yes1(SIX, struct natural g) { return g.a; }
long yes2(SIX, struct padded g) { return g.x; }
struct __attribute__((packed, aligned(8))) spaced { char c; long x; };
struct __attribute__((packed)) bytes { char text[4]; char c; };
struct __attribute__((packed)) wide { long x; __int128 y; };
long no4(SIX, struct wide g) { return g.x; }
long yes4(SIX, struct spaced g) { return g.x; }
long yes5(SIX, struct bytes g) { return g.c; }
long yes3(SIX, union either g) { return g.x; }
END_OF_C
gcc -g -O1 -c packed.c
"$BTFDEDUP" --dwarf packed.o -o packed.btf
expect 'early in_registers yes1 yes2 yes3 yes4 yes5' xargs < <(bpftool btf dump file packed.btf | sed -nE "s/.* FUNC '([^']*)'.*/\1/p" | sort)

# What cannot be read is an error, and leaves no output.
gcc -c plain.c -o bare.o
[[ $(error_of --dwarf bare.o -o no.btf) == *'bare.o: has no DWARF'* ]] || fail 'no DWARF'
llvm-objcopy-19 --dump-section=.debug_info=info plain.o
head -c 100 info >cut
llvm-objcopy-19 --update-section=.debug_info=cut --remove-section=.rela.debug_info plain.o cut.o
[[ $(error_of --dwarf cut.o -o no.btf) == *'.debug_info+0x0: the unit is cut off'* ]] || fail 'cut off'
[[ ! -e no.btf ]] || fail 'an output'
