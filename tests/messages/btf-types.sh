#!/bin/bash
# Errors in the types of .BTF: their extents, references and contents
. "$(dirname "$0")/common.sh"

int='add(INT, "int", 4, 32)'

# Extents and kinds
bad_blob 'type [1] at offset 0 of the type section has kind 0' 'add(VOID)'
bad_blob "type [2] 'odd' at offset 16 of the type section has unknown kind 20, and there is no layout section with its size" \
  "$int; add(20, 'odd')"
bad_blob "type [1] 'odd' at offset 0 of the type section has unknown kind 22, which the layout section does not describe" \
  'add(22, "odd"); layout = [(0, 0, 0)] * 21'
bad_blob 'layout section gives kind 20 sizes of 2 and 4 bytes, which are not multiples of 4' \
  'add(20, "odd"); layout = [(0, 0, 0)] * 20 + [(2, 4, 0)]'
bad_blob 'type [2] at offset 16 of the type section is cut off' "$int; words.extend([0, 0])"
bad_blob "type [1] STRUCT 's' at offset 0 of the type section has 36 bytes, but only 24 are left" \
  'add(STRUCT, "s", 4, "a", 1, 0, vlen=2)'
bad_blob "type [1] UNKNOWN 'odd' at offset 0 of the type section has 16 bytes, but only 12 are left" \
  'add(20, "odd"); layout = [(0, 0, 0)] * 20 + [(4, 0, 0)]'

# References and names
bad_blob 'type [1] PTR: refers to type id 9, but the last is 1' 'add(PTR, "", 9)'
bad_blob "type [2] TYPEDEF 't': refers to type id 3, but the last is 2" "$int; add(TYPEDEF, 't', 3)"
bad_blob 'type [1] ARRAY: refers to type id 9, but the last is 2' "add(ARRAY, '', 0, 9, 2, 1); $int"
bad_blob 'type [1] ARRAY: index refers to type id 9, but the last is 2' "add(ARRAY, '', 0, 2, 9, 1); $int"
bad_blob "type [1] STRUCT 's': member 'a' refers to type id 9, but the last is 1" 'add(STRUCT, "s", 4, "a", 9, 0)'
bad_blob "type [1] UNION: member 1 refers to type id 9, but the last is 2" \
  "add(UNION, '', 4, 'a', 2, 0, '', 9, 0); $int"
bad_blob "type [1] FUNC_PROTO: parameter 'x' refers to type id 9, but the last is 1" 'add(FUNC_PROTO, "", 0, "x", 9)'
bad_blob "type [1] DATASEC '.data': variable 0 refers to type id 9, but the last is 1" 'add(DATASEC, ".data", 4, 9, 0, 4)'
bad_blob 'type [1] INT: has its name at string offset 77, but the strings end at 1' 'add(INT, 77, 4, 32)'
bad_blob "type [1] STRUCT 's': member 0 has its name at string offset 77, but the strings end at 3" \
  "add(STRUCT, 's', 4, 77, 2, 0); add(INT, '', 4, 32)"
bad_blob "type [1] ENUM 'e': enumerator 1 has its name at string offset 77, but the strings end at 5" \
  'add(ENUM, "e", 4, "A", 0, 77, 1)'

# The requirements of FUNC, DATASEC and DECL_TAG
bad_blob "type [2] FUNC 'f': has type id 1, which is INT, not FUNC_PROTO" "$int; add(FUNC, 'f', 1)"
bad_blob "type [1] FUNC 'f': has type id 0, which is VOID, not FUNC_PROTO" 'add(FUNC, "f", 0)'
bad_blob "type [2] DATASEC '.data': variable 0 has type id 1, which is INT, not VAR or FUNC" \
  "$int; add(DATASEC, '.data', 4, 1, 0, 4)"
bad_blob "type [2] DECL_TAG 'tag': has component index 0, but type id 1 has 0 components" \
  "$int; add(DECL_TAG, 'tag', 1, 0)"
bad_blob "type [3] DECL_TAG 'tag': has component index -2, but type id 2 has 1 components" \
  "$int; add(STRUCT, 's', 4, 'a', 1, 0); add(DECL_TAG, 'tag', 2, -2)"

# Types without a size
bad_blob "type [1] STRUCT 's': contains itself without a pointer in between" 'add(STRUCT, "s", 4, "self", 1, 0)'
bad_blob "type [2] TYPEDEF 'u': contains itself without a pointer in between" \
  'add(TYPEDEF, "t", 2); add(TYPEDEF, "u", 1)'


# ... seen once a declaration resolves to a definition
blob declared.btf 'add(FWD, "s", 0); add(STRUCT, "s", 4, "a", 1, 0)'
expect_message "btfdedup: error: after declarations are resolved, type [1] STRUCT 's': contains itself without a pointer in between" \
  "$BTFDEDUP" declared.btf -o out.o

# Layout sections that conflict
blob first.btf "$int; layout = [(0, 0, 0)] * 20 + [(4, 0, 0)]"
blob second.btf "$int; layout = [(0, 0, 0)] * 20 + [(8, 0, 0)]"
expect_message 'btfdedup: error: second.btf: layout section gives other sizes for kind 20 than that of an earlier input' \
  "$BTFDEDUP" first.btf second.btf -o out.o


# Unknown kinds, where their type ids would change
odd="layout = [(0, 0, 0)] * 20 + [(4, 4, 0)]; add(20, 'odd', 0, 0, 1, vlen=1)"
blob odd.btf "$int; $odd"
"$BTFDEDUP" odd.btf -o out.btf
"$BTFDEDUP" out.btf -o again.btf
cmp out.btf again.btf
unknown="type [2] 'odd' has unknown kind 20, which may refer to any type or string, and"
blob other.btf 'add(INT, "other", 4, 32)'
expect_message "btfdedup: error: odd.btf: $unknown type [1] would become [2]" "$BTFDEDUP" other.btf odd.btf -o out.o
blob bad.btf "$int; $odd; $int"
expect_message "btfdedup: error: bad.btf: $unknown type [3] would become [1]" "$BTFDEDUP" bad.btf -o out.o

# The same in an object
compile good <<'END'
struct node { struct node *next; int value; };
struct node first;
SEC("socket") int prog(void *ctx) { return first.value; }
END
types=$(bpftool btf dump file good.o | grep -c '^\[')
bad ".BTF: type [1] PTR: refers to type id 8388607, but the last is $types" type:1:type=0x7fffff
bad ".BTF: type [2] at offset 12 of the type section has kind 0" type:2:kind=0

# A link makes variables' types anew, which changes type ids.
compile plain <<<'SEC("socket") int prog(void *ctx) { return 1; }'
blob odd.btf "$odd; $int; add(VAR, 'v', 2, 1)"
llvm-objcopy-19 --remove-section=.BTF --remove-section=.BTF.ext --add-section=.BTF=odd.btf plain.o odd.o
expect_message "bpflink: error: odd.o: .BTF: type [1] 'odd' has unknown kind 20, which may refer to any type or string, and type [3] would be omitted" \
  "$BPFLINK" odd.o -o out.o
