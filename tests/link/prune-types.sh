#!/bin/bash
# --prune-types turns structs and unions that only pointers reach into declarations, and drops types
# that only these use. Types used by value and types without a name stay.
. "$(dirname "$0")/common.sh"
. "$here/prune.inc"

source='
struct lost { int only_in_lost; };
struct plain { struct lost *lost; struct { struct lost *again; } within; };
union plain_union { struct lost *lost; int number; };
typedef struct aliased { struct lost *lost; } aliased_t;
struct in_prototype { int x; };

struct member { struct plain *plain; };
struct element { struct plain *plain; };
struct pointed_element { struct plain *plain; };
struct passed { int x; };
typedef const struct behind_alias { int x; } behind_alias_t;
struct holder {
  struct plain *plain;
  union plain_union *plain_union;
  const volatile union plain_union *qualified;
  aliased_t *aliased;
  struct in_prototype *(*call)(struct in_prototype *, struct passed);
  struct member member;
  struct element elements[2][3];
  struct pointed_element (*pointed)[2];
  behind_alias_t behind_alias;
  struct { int within; struct { int nameless; } *nameless; } within;
};
struct holder holder;
SEC("socket") long prog(void *ctx) { return (long)&holder; }'
tags=('struct lost' 'struct plain' 'union plain_union' aliased_t 'struct in_prototype')
for target in bpf bpfeb; do
  compile_defined in "${tags[@]}" -- --target=$target <<<"$source"
  prune in.o
  declared plain plain_union aliased in_prototype
  gone lost
  defined holder member element pointed_element passed behind_alias
  expect TYPEDEF kinds aliased_t
  contains 'union plain_union;' types
  contains 'struct plain;' types
  expect 4 grep -cE "'(within|nameless)' type_id=[0-9]+ bits_offset" <(bpftool btf dump file out.o)
  ! llvm-readelf-19 -p .BTF out.o | grep only_in_lost || fail 'a string of a type that is gone stays'
  "$BPFLINK" in.o -o whole.o
  (($(stat -c %s out.o) < $(stat -c %s whole.o))) || fail 'the output is not smaller'
  "$BPFLINK" --prune-types --keep-type plain in.o -o out.o
  defined plain
  declared plain_union
done

# Types that nothing refers to stay, even in a cycle.
free='add(STRUCT, "free", 4)
add(STRUCT, "first", 16, "second", at + 4, 0, "first", at + 2, 64)
add(PTR, "", at + 1)
add(STRUCT, "second", 8, "first", at + 2, 0)
add(PTR, "", at + 3)
add(PTR, "", at + 6)
add(STRUCT, "behind_free_pointer", 4)'
compile_defined in "${tags[@]}" -- <<<"$source"
at=$(bpftool btf dump file in.o | grep -c '^\[')
with_types in.o free.o "at = $((at + 1)); $free"
prune free.o
defined free first behind_free_pointer holder
expect FWD kinds second

# A type of an unknown kind may refer to any type, so the link prunes nothing.
compile plain <<<'SEC("socket") int prog(void *ctx) { return 0; }'
at=$(bpftool btf dump file plain.o | grep -c '^\[')
pair="at = $at; add(STRUCT, 'a', 8, 'b', at + 2, 0); add(PTR, '', at + 3); add(STRUCT, 'b', 4)"
with_types plain.o in.o "$pair"
prune in.o
declared b
with_types plain.o in.o "$pair; add(25, 'unknown', 0); layout = [(0, 0, 0)] * 26"
"$BPFLINK" --prune-types in.o -o out.o
llvm-objcopy-19 --dump-section=.BTF=out.btf out.o
"$BTFDEDUP" --dump raw out.btf | grep -F "STRUCT 'b' size=4" >dumped || fail 'b is not defined'
