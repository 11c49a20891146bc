#!/bin/bash
# A miniature kernel: ld links ten units of gcc -gbtf, --linked makes .BTF for the functions and
# variables that the linker kept, and the link adds that as an object, as a kernel's build does.
. "$(dirname "$0")/common.sh"

cat >common.h <<'END'
struct node { struct node *next; int value; };
struct list;
struct entry { struct node node; struct list *list; const char *name; };
#define percpu __attribute__((section(".data..percpu")))
#define apart __attribute__((noinline, noclone))
extern int declared_only(struct entry *entry, unsigned long flags);
extern int asm_function(struct node *node, int by);
extern percpu struct node shared_node;
extern percpu int shared_counts[];
typedef int (*callback)(struct node *node, void *context);
int each(struct node *node, callback call, void *context);
static inline int inlined(struct node *node) { return node->value * 3; }
END
# unit I TYPE: u$I.c; every unit has static functions `same` and `other`, the latter with TYPE
unit() {
  cat <<END
#include "common.h"
struct of_unit_$1 { struct entry entries[$1 + 1]; } of_unit_$1;
percpu struct of_unit_$1 percpu_$1;
static percpu long hidden = $1;
static apart int same(struct node *node, int by) { return node->value + by + $1; }
static apart $2 other($2 by, struct node *node) { return by * node->value; }
static __attribute__((noinline)) int cloned(struct node *node, int by) {
  for (int i = 0; i < by; i++) node->value ^= by << i;
  return node->value;
}
static apart int call_$1(struct node *node, void *context) { return same(node, *(int *)context); }
int unit_$1(struct node *node) {
  int by = $1;
  hidden += asm_function(node, by);
  return each(node, call_$1, &by) + other(by, node) + cloned(node, 7) + inlined(node) + hidden +
         shared_node.value + shared_counts[1];
}
END
}
for i in {0..7}; do
  unit "$i" "$( ((i % 2)) && echo long || echo int)" >u"$i".c
done
cat >main.c <<'END'
#include "common.h"
struct list { struct entry *first; };
struct list all;
percpu struct node shared_node;
percpu int shared_counts[4];
__attribute__((weak)) int weak_function(struct list *unused) { return 0; }
int each(struct node *node, callback call, void *context) {
  int sum = 0;
  for (; node; node = node->next) sum += call(node, context);
  return sum;
}
int kernel_function(struct list *list, unsigned int by) { return list->first->node.value + by; }
int fast_function(void) { return weak_function(&all); }
void _start(void) {
END
for i in {0..7}; do
  sed -i "1a int unit_$i(struct node *node);" main.c
  echo "  unit_$i(&all.first->node);" >>main.c
done
echo '}' >>main.c
cat >strong.c <<'END'
#include "common.h"
int weak_function(struct list *list) { return list != 0; }
END
cat >asm.s <<'END'
	.text
	.globl asm_function
	.type asm_function, @function
asm_function:
	ret
	.size asm_function, . - asm_function
	.section .BTF_ids, "a"
	.local __BTF_ID__set8__kfuncs
	.local kfuncs
kfuncs:
__BTF_ID__set8__kfuncs:
	.zero 4
	.long 1
	.local __BTF_ID__func__kernel_function__1
__BTF_ID__func__kernel_function__1:
	.zero 4
	.long 0
	.local __BTF_ID__func__fast_function__22
__BTF_ID__func__fast_function__22:
	.zero 4
	.long 0x1000
	.local __BTF_ID__func__other__3
__BTF_ID__func__other__3:
	.zero 4
	.long 2
	.size __BTF_ID__set8__kfuncs, . - kfuncs
	.local __BTF_ID__set8__others
__BTF_ID__set8__others:
	.zero 4
	.long 0
	.local __BTF_ID__func__each__4
__BTF_ID__func__each__4:
	.zero 4
	.long 0
	.size __BTF_ID__set8__others, . - __BTF_ID__set8__others
	.section .note.GNU-stack, "", @progbits
END
units=()
for unit in u{0..7} main strong; do
  gcc -g -gbtf -O2 -fno-pic -ffreestanding -c $unit.c -o $unit.o
  units+=($unit.o)
done
as asm.s -o asm.o
# The kernel's sections, which ld would merge into .data
echo 'SECTIONS { .data..percpu : { *(.data..percpu) } } INSERT BEFORE .data;' >kernel.lds
link() { ld --no-warn-execstack -static -T kernel.lds "$@"; }
link "${units[@]}" asm.o -o vmlinux

# Static variables of one name are one for each unit.
"$BTFDEDUP" --linked vmlinux "${units[@]}" --explain 'var hidden' -o explained.btf >explanation 2>notes
expect 'var hidden stayed 8 types' head -n 1 explanation
expect 8 grep -c '^\[.*\] from the linked image$' explanation
expect 7 grep -cxF 'has the type of [71], and is another variable' explanation

# Compare the compiler's types with the image.
listed() { bpftool btf dump file "$1" | sed -nE "s/^\[[0-9]+\] $2 '([^']*)'.*/\1/p" | sort; }
cp vmlinux linked
"$BTFDEDUP" --linked vmlinux --update linked --stats 2>notes >stats
expect "btfdedup: vmlinux: omitted functions with several prototypes: other
btfdedup: vmlinux: omitted functions of which only clones remain: cloned.N
btfdedup: vmlinux: omitted tags of kfuncs without a FUNC: other" sed -E "s/cloned[.a-z0-9]+/cloned.N/" notes
expect "_start asm_function call_0 call_1 call_2 call_3 call_4 call_5 call_6 call_7 each \
fast_function kernel_function same unit_0 unit_1 unit_2 unit_3 unit_4 unit_5 unit_6 unit_7 \
weak_function " tr '\n' ' ' < <(listed linked FUNC)
expect 'functions                               23' grep ^functions stats
expect 'variables                               18' grep ^variables stats
expect '         1  functions with several prototypes' grep several stats

# The DATASEC has the symbol table's per-CPU variables, at their offsets.
address=$((16#$(readelf -SW linked | sed -n 's/.*\.data\.\.percpu *PROGBITS *\([0-9a-f]*\) .*/\1/p')))
readelf -sW linked | awk '$4 == "OBJECT" && $8 ~ /^(percpu_.*|hidden|shared_.*)$/ { print $2, $3, $8 }' |
  while read -r value size name; do echo $((16#$value - address)) "$size" "$name"; done | sort -n >want
bpftool btf dump file linked | sed -nE "s/^\ttype_id=[0-9]+ offset=([0-9]+) size=([0-9]+) \(VAR '(.*)'\)/\1 \2 \3/p" >got
diff want got
expect 18 grep -c . got

# No other type is lost, and something refers to each prototype.
"$BTFDEDUP" "${units[@]}" -o all.btf
for kind in STRUCT UNION TYPEDEF PTR ARRAY INT CONST; do
  diff <(listed all.btf $kind) <(listed linked $kind)
done
bpftool btf dump file linked | sed -nE 's/^\[([0-9]+)\] FUNC_PROTO.*/\1/p' | while read -r id; do
  bpftool btf dump file linked | grep -E "type_id=$id( |\$)" >/dev/null || fail "nothing refers to [$id]"
done

# Parameters keep their names, except where definitions differ (weak) or declarations have none.
prototype() {
  "$BTFDEDUP" --dump raw "$1" >raw
  local id
  id=$(sed -nE "s/^\[[0-9]+\] FUNC '$2' type_id=([0-9]+).*/\1/p" raw)
  sed -n "/^\[$id\]/,/^\[/p" raw | sed -nE "s/^\t'(.*)' type_id.*/\1/p" | tr '\n' ' '
}
expect 'list by ' prototype linked kernel_function
expect 'node by ' prototype linked same
expect 'arg1 ' prototype linked weak_function
expect 'arg1 arg2 ' prototype linked asm_function
# Files of their own tell which definition is weak.
expect 'list ' prototype explained.btf weak_function

# kfuncs
tags() { bpftool btf dump file "$1" | sed -nE "s/^\[[0-9]+\] DECL_TAG '(.*)' type_id=([0-9]+) component_idx=-1/\1 \2/p" |
  while read -r tag id; do echo "$tag $(bpftool btf dump file "$1" | sed -nE "s/^\[$id\] FUNC '([^']*)'.*/\1/p")"; done; }
expect 'bpf_kfunc kernel_function
bpf_kfunc fast_function
bpf_fastcall fast_function' tags linked

# The same output from the units, but for what only their symbols tell, from their concatenation in a raw
# file, and from earlier output
"$BTFDEDUP" linked -o want.btf
"$BTFDEDUP" --linked vmlinux "${units[@]}" -o units.btf 2>/dev/null
expect "	'arg1' 	'list' " tr '\n' ' ' < <({ diff <(bpftool btf dump file want.btf) <(bpftool btf dump file units.btf) || true; } |
  sed -nE "s/^[<>] (\t'[a-z0-9]*') type_id=.*/\1/p")
"$BTFDEDUP" --linked vmlinux --threads 1 -o got.btf 2>/dev/null
cmp want.btf got.btf
"$BTFDEDUP" --linked vmlinux want.btf -o got.btf 2>/dev/null
cmp want.btf got.btf
ar rc units.a "${units[@]}"
"$BTFDEDUP" --linked vmlinux units.a -o got.btf 2>/dev/null
cmp units.btf got.btf
# In an object, offsets are relative to the section.
ld -r "${units[@]}" asm.o -o vmlinux.o
"$BTFDEDUP" --linked vmlinux.o -o got.btf 2>/dev/null
cmp want.btf got.btf

# Sorted by name, with all types
"$BTFDEDUP" --linked vmlinux --sort -o sorted.btf 2>/dev/null
diff <("$BTFDEDUP" want.btf --sort --dump raw) <("$BTFDEDUP" sorted.btf --dump raw)

# As link-vmlinux.sh does: .BTF becomes an object, which the link loads with the kernel.
objcopy --only-section=.BTF --set-section-flags .BTF=alloc,readonly --strip-all linked btf.o 2>/dev/null
printf '\1' | dd of=btf.o conv=notrunc bs=1 seek=16 status=none
for unit in "${units[@]}"; do objcopy --remove-section=.BTF "$unit"; done
link "${units[@]}" asm.o btf.o -o kernel
objcopy -O binary -j .BTF kernel kernel.btf
cmp want.btf kernel.btf
diff <(nm vmlinux | awk '{ print $3 }' | sort) <(nm kernel | awk '{ print $3 }' | sort)

# The running kernel accepts it.
"$python" - want.btf <<'END' || fail 'the kernel does not take the types'
import ctypes, errno, sys
data = open(sys.argv[1], "rb").read()
fd = ctypes.CDLL("libbpf.so.1").bpf_btf_load(data, ctypes.c_size_t(len(data)), None)
print("BPF_BTF_LOAD:", fd)
sys.exit(fd < 0 and fd not in (-errno.EPERM, -errno.ENOSYS))
END

# pahole finds the same in DWARF, with these exceptions: it misses assembly functions and an array
# declared without its length; it takes one of several functions of a name, from version 1.31 on none.
command -v pahole >/dev/null || exit 0
objcopy --remove-section=.BTF vmlinux dwarf
pahole -J --btf_encode_detached=pahole.btf dwarf
version=$(pahole --version)
if at_least 1.31 "${version#v}"; then
  diff <(listed want.btf FUNC | grep -vxE 'asm_function|same') <(listed pahole.btf FUNC)
else
  diff <(listed want.btf FUNC | grep -vx asm_function) <(listed pahole.btf FUNC | grep -vx other)
fi
variables() {
  bpftool btf dump file "$1" | sed -nE "s/^\ttype_id=[0-9]+ (offset=.* size=.*) \(VAR '(.*)'\)/\1 \2/p"
  bpftool btf dump file "$1" | sed -nE "s/^\[[0-9]+\] (DATASEC .*) vlen.*/\1/p"
}
diff <(variables want.btf | grep -v shared_counts) <(variables pahole.btf)
