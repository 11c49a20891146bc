#!/bin/bash
# btfdedup --check: a blob for each rule of the kernel that breaks it; faults that loaders repair;
# JSON; and --verify, which reports the same of outputs.
. "$(dirname "$0")/common.sh"

int="add(INT, 'int', 4, 32)"

# refused STATEMENTS <FAULTS: the blob has exactly these faults, one a line
refused() {
  local status=0 want got
  want=$(sed 's/^/bad.btf: /')
  blob bad.btf "$1"
  "$BTFDEDUP" --check bad.btf >stdout 2>errors || status=$?
  got=$(sed '/^bad.btf: needs Linux /d' stdout)
  [[ $status == 1 && ! -s errors ]] || mistake "$1: exit status $status, $(<errors)"
  [[ $got == "$want" ]] || mistake "$1: expected"$'\n'"$want"$'\n'"but got"$'\n'"$got"
}

# ended FIRST LAST STATEMENTS <FAULTS: the releases from FIRST to LAST refuse the blob for these faults
ended() {
  local want got release
  want=$(sed 's/^/bad.btf: /')
  blob bad.btf "$3"
  "$BTFDEDUP" --check bad.btf >stdout || mistake "$3: the newest kernel refuses it"
  got=$(sed '/^bad.btf: needs Linux /d' stdout)
  [[ $got == "$want" ]] || mistake "$3: expected"$'\n'"$want"$'\n'"but got"$'\n'"$got"
  for release in "$1" "$2"; do
    "$BTFDEDUP" --check --target "linux-$release" bad.btf >stdout && mistake "$3: linux-$release takes it"
    got=$(sed '/^bad.btf: needs Linux /d' stdout)
    [[ $got == "$want" ]] || mistake "$3: linux-$release: $got"
  done
  for release in "${1%.*}.$((${1#*.} - 1))" "${2%.*}.$((${2#*.} + 1))"; do
    "$BTFDEDUP" --check --target "linux-$release" bad.btf >stdout || mistake "$3: linux-$release refuses it"
    [[ $(<stdout) == 'bad.btf: needs Linux '* ]] || mistake "$3: linux-$release: $(<stdout)"
  done
}

# taken_blob STATEMENTS: kernels accept the blob, without a fault of older ones
taken_blob() {
  blob good.btf "$1"
  "$BTFDEDUP" --check good.btf >stdout || mistake "$1: refused"
  [[ $(<stdout) == 'good.btf: needs Linux '* ]] || mistake "$1: $(<stdout)"
}

# taken WANT ARGUMENT...: kernels accept all files, and the output is WANT
taken() {
  local want=$1
  shift
  "$BTFDEDUP" --check "$@" >stdout 2>errors || mistake "--check $*: exit status $?, $(<errors)"
  [[ $(<stdout) == "$want" ]] || mistake "--check $*: expected"$'\n'"$want"$'\n'"but got"$'\n'"$(<stdout)"
}

# each <<ROWS: a row has the statements of a blob, and below it, indented, its faults. Before the statements
# are the first and the last release that refuse it, if later ones do not, or "taken".
each() {
  local line row='' faults='' name
  while IFS= read -r line; do
    if [[ $line == '    '* ]]; then
      faults+=${line#    }$'\n'
      continue
    fi
    case $row in
      '' | '#'*) ;;
      taken*) taken_blob "${row#taken }" ;;
      [4-7].*) ended ${row%% *} "$(cut -d ' ' -f 2 <<<"$row")" "${row#* * }" <<<"${faults%$'\n'}" ;;
      *) refused "$row" <<<"${faults%$'\n'}" ;;
    esac
    row=$line faults=''
    for name in int lock beside kptr; do row=${row//\$$name/${!name}}; done
  done < <(cat && echo)
}

lock="$int; add(STRUCT, 'bpf_spin_lock', 4, 'val', 1, 0); add(STRUCT, 'task', 4)"
beside="add(STRUCT, 'node', 16, 'lock', 2, 0, 'p', 5, 64)"
kptr="$lock; add(TYPE_TAG, 'kptr', 3); add(PTR, '', 4)"
each <<'END'
# The blob
size = 5
    a header has at least 24 bytes and fits into the blob (Linux: "btf_header not found"); rewrite the blob: it is cut off, or not BTF
$int; size = 20
    a header has at least 24 bytes and fits into the blob (Linux: "btf_header not found"); rewrite the blob: it is cut off, or not BTF
$int; hdr_len = 36; extra = bytes(8) + b'\1\0\0\0'
    unknown header fields are zero (Linux: "Unsupported btf_header"); write a header of 24 bytes
$int; magic = 0x1234
    a blob begins with the magic number of BTF (Linux: "Invalid magic"); this is not BTF
$int; version = 2
    the version is 1 (Linux: "Unsupported version"); write version 1
$int; flags = 1
    the header's flags are 0 (Linux: "Unsupported flags"); write 0
$int; size = 24; strings = b''
    sections follow the header (Linux: "No data"); do not load empty BTF
$int; str_off = 100
    a section begins inside the blob (Linux: "Invalid section offset"); rewrite the blob: it is cut off
    the strings are the last section (Linux: "String section is not at the end"); write the strings after the types
$int; tail = bytes(4); type_len = 16
    no bytes are before, between or after the sections (Linux: "Unsupported section found"); write the sections one after another; merge several blobs into one
$int; str_off = 8
    sections do not overlap (Linux: "Section overlap found"); write the sections one after another
    the strings are the last section (Linux: "String section is not at the end"); write the strings after the types
    the strings begin and end with NUL and have at most 16 MiB (Linux: "Invalid string section"); rewrite the strings; split BTF needs its base
$int; str_len = 100
    a section ends inside the blob (Linux: "Total section length too long"); rewrite the blob: it is cut off
    the strings are the last section (Linux: "String section is not at the end"); write the strings after the types
$int; str_off = 0; type_off = 5; type_len = 16; str_len = 5
    the strings are the last section (Linux: "String section is not at the end"); write the strings after the types
    the types begin at a multiple of 4 bytes (Linux: "Unaligned type_off"); write the types right after the header
    the strings begin and end with NUL and have at most 16 MiB (Linux: "Invalid string section"); rewrite the strings; split BTF needs its base
    [1]: kinds are below 32 (Linux: "Invalid btf_info"); rewrite the types
$int; strings = b'\0int'
    the strings begin and end with NUL and have at most 16 MiB (Linux: "Invalid string section"); rewrite the strings; split BTF needs its base
pass
    there is a type (Linux: "No type found"); do not load empty BTF
$int; strings = b'\0int\0' + bytes(16 << 20)
    a blob has at most 16 MiB; load fewer types
    the strings begin and end with NUL and have at most 16 MiB (Linux: "Invalid string section"); rewrite the strings; split BTF needs its base
words.extend([0, 9 << 24, 0] * 0xfffff)
    there are at most 1048574 types (Linux: "Exceeded max num of types"); load fewer types
# Each type alone
$int; words.extend([0, 0])
    [2]: a type ends inside the type section (Linux: "meta_left:"); rewrite the types: they are cut off
$int; add(20)
    [2]: kinds are those of btf.rst (Linux: "Invalid kind"); omit the type, or have the compiler omit it
$int; words.extend([0, 64 << 24, 0])
    [2]: kinds are below 32 (Linux: "Invalid btf_info"); rewrite the types
$int; add(CONST, 77, 1)
    [2] CONST: a name's offset is in the string section (Linux: "Invalid name_offset"); rewrite the strings
$int; add(STRUCT, 's', 4, 77, 1, 0)
    [2] STRUCT 's': member 1: the offset of a member's name is in the string section (Linux: "Invalid member name_offset"); rewrite the strings
$int; add(TYPEDEF, '', 1)
    [2] TYPEDEF: it has a name (Linux: "Invalid name"); name it
$int; add(ENUM, 'e', 4, '', 1)
    [2] enum e: enumerator 1: it has a name (Linux: "Invalid name"); name it
$int; add(PTR, 'p', 1)
    [2] int *: it has no name (Linux: "Invalid name"); remove the name
$int; add(STRUCT, 'Option<u32>', 4, '0', 1, 0)
    [2] STRUCT 'Option<u32>': a name has at most 512 bytes, only letters, digits, '_' and '.', and no digit first (Linux: "Invalid name"); rename it
    [2] struct Option_u32_: member '0': a name has at most 512 bytes, only letters, digits, '_' and '.', and no digit first (Linux: "Invalid name"); rename it
$int; add(VAR, 'v', 1, 1); add(DATASEC, '.da\nta', 4, 2, 0, 4)
    [3] DATASEC '.da ta': a section's name is printable and has 1 to 512 bytes (Linux: "Invalid name"); rename the section
$int; add(TYPE_TAG, '', 1)
    [2] __attribute__((btf_type_tag(""))) int: a TYPE_TAG has a text (Linux: "Invalid name"); give the tag a text
$int; add(TYPEDEF, 't', 1); add(DECL_TAG, '', 2, -1)
    [3] DECL_TAG: a DECL_TAG has a text (Linux: "Invalid value"); give the tag a text
$int; add(CONST, '', 1, vlen=1)
    [2] const int: vlen is 0 for its kind (Linux: "vlen != 0"); write 0
$int; add(CONST, '', 1, kflag=1)
    [2] const int: kind_flag is 0 for its kind (Linux: "Invalid btf_info kind_flag"); write 0
$int; add(PTR, '', 0x100000)
    [2] PTR: type ids are at most 0xfffff (Linux: "Invalid type_id"); rewrite the types
$int; add(FWD, 'f', 1)
    [2] struct f: a FWD refers to nothing (Linux: "type != 0"); write 0
$int; add(ARRAY, '', 4, 1, 1, 1)
    [2] int[1]: the size field of an array is 0 (Linux: "size != 0"); write 0
add(INT, 'i', 4, 1 << 28 | 32)
    [1] i: the unused bits of an INT are 0 (Linux: "Invalid int_data"); write 0
add(INT, 'i', 4, 3 << 24 | 32)
    [1] i: an INT is signed, char, bool or none of these (Linux: "Unsupported encoding"); keep one of the encodings
add(INT, 'i', 32, 200)
    [1] i: an INT has at most 128 bits (Linux: "nr_bits exceeds 128"); give it fewer bits
add(INT, 'i', 1, 9)
    [1] i: the bits of an INT fit into its bytes (Linux: "nr_bits exceeds type_size"); give it fewer bits or more bytes
add(ENUM, 'e', 3, 'A', 1)
    [1] enum e: an enum has 1, 2, 4 or 8 bytes (Linux: "Unexpected size"); give it one of these sizes
add(FLOAT, 'f', 5)
    [1] f: a FLOAT has 2, 4, 8, 12 or 16 bytes (Linux: "Invalid type_size"); give it one of these sizes
$int; add(STRUCT, 's', 4, 'a', 0, 0)
    [2] struct s: member 'a': a member is not void (Linux: "Invalid type_id"); give the member a type
$int; add(STRUCT, 's', 8, 'a', 1, 32, 'b', 1, 0)
    [2] struct s: member 'b': members come in order of offsets, those of a union at 0 (Linux: "Invalid member bits_offset"); sort the members, or have the compiler keep their order
$int; add(UNION, 'u', 8, 'a', 1, 32)
    [2] union u: member 'a': members come in order of offsets, those of a union at 0 (Linux: "Invalid member bits_offset"); sort the members, or have the compiler keep their order
$int; add(STRUCT, 's', 4, 'a', 1, 64)
    [2] struct s: member 'a': a member begins inside its struct (Linux: "Member bits_offset exceeds its struct size"); give the struct its real size
$int; add(FUNC_PROTO, '', 0); add(FUNC, 'f', 2, vlen=2)
    [3] void f(void): a FUNC is static or global (Linux: "Invalid func linkage"); link with the object that defines it, or declare it with __ksym
$int; add(VAR, 'v', 0, 1)
    [2] void v: a variable is not void (Linux: "Invalid type_id"); give it a type
$int; add(VAR, 'v', 1, 2)
    [2] int v: a VAR is static or global (Linux: "Linkage not supported"); link with the object that defines it, or declare it with __ksym or __kconfig
$int; add(VAR, 'v', 1, 1); add(DATASEC, '.data', 0, 2, 0, 4)
    [3] DATASEC '.data': a DATASEC has a size (Linux: "size == 0"); fill in the size of the section
$int; add(VAR, 'v', 1, 1); add(DATASEC, '.data', 8, 2, 8, 4)
    [3] DATASEC '.data': variable 'v': variables come in order of offsets, inside their section, without overlap (Linux: "Invalid offset"); fill in the offsets and sort by them
$int; add(VAR, 'v', 1, 1); add(DATASEC, '.data', 8, 2, 0, 0)
    [3] DATASEC '.data': variable 'v': a variable's size is not 0 and not above its section's (Linux: "Invalid size"); fill in the sizes
$int; add(VAR, 'v', 1, 1); add(DATASEC, '.data', 8, 2, 4, 8)
    [3] DATASEC '.data': variable 'v': a variable ends inside its section (Linux: "Invalid offset+size"); fill in the size of the section
$int; add(TYPEDEF, 't', 1); add(DECL_TAG, 'x', 2, -2)
    [3] DECL_TAG 'x': a DECL_TAG is for the whole (-1), or for an existing member or parameter (Linux: "Invalid component_idx"); rewrite the tag's index
# References of types
add(PTR, '', 9)
    [1] PTR: it refers to an existing type, which for a variable has a size, and not to a VAR, DATASEC, DECL_TAG or FUNC (Linux: "Invalid type_id"); refer to another type
    may be split BTF: give its --base
$int; add(FWD, 'f'); add(VAR, 'v', 2, 1)
    [3] struct f v: it refers to an existing type, which for a variable has a size, and not to a VAR, DATASEC, DECL_TAG or FUNC (Linux: "Invalid type_id"); refer to another type
$int; add(ARRAY, '', 0, 1, 3, 2); add(FLOAT, 'f', 4)
    [2] int[2]: an array's index is an INT of whole bytes (Linux: "Invalid index"); use an unsigned int
$int; add(FWD, 'f'); add(ARRAY, '', 0, 2, 1, 2)
    [3] struct f[2]: an array's elements have a size (Linux: "Invalid elem"); use a type that is defined
$int; add(INT, 'bit', 4, 3); add(ARRAY, '', 0, 2, 1, 2)
    [3] bit[2]: an array's elements are whole bytes (Linux: "Invalid array of int"); use an INT of 8, 16, 32, 64 or 128 bits
$int; add(ARRAY, '', 0, 1, 1, 0x40000000)
    [2] int[1073741824]: an array has at most 4 GiB (Linux: "Array size overflows U32_MAX"); make it smaller
$int; add(FWD, 'f'); add(STRUCT, 's', 4, 'a', 2, 0)
    [3] struct s: member 'a': a member has a type with a size (Linux: "Invalid member"); use a type that is defined, or a pointer
$int; add(STRUCT, 's', 4, 'a', 1, 0, 'b', 1, 8)
    [2] struct s: member 'b': a member ends inside its struct (Linux: "Member exceeds struct_size"); give the struct its real size
add(ENUM, 'e', 4, 'A', 1); add(STRUCT, 's', 8, 'a', 1, 4)
    [2] struct s: member 'a': a member that is not a bit-field begins at a byte (Linux: "Member is not byte aligned"); use an integer for a bit-field
add(FLOAT, 'f', 4); add(STRUCT, 's', 8, 'a', 1, 8)
    [2] struct s: member 'a': a FLOAT is aligned in its struct (Linux: "Member is not properly aligned"); do not pack the struct
$int; add(STRUCT, 's', 8, 'a', 1, 33 << 24, kflag=1)
    [2] struct s: member 'a': a bit-field is an integer or enum, and no wider than that (Linux: "Invalid member bitfield_size"); make the bit-field narrower
add(INT, 'bit', 4, 3); add(STRUCT, 's', 8, 'a', 1, 3 << 24, kflag=1)
    [2] struct s: member 'a': an integer beside bit-fields has a type of whole bytes (Linux: "Invalid member base type"); use an INT of 8, 16, 32, 64 or 128 bits
$int; add(STRUCT, 's', 8, 'a', 1, 4, kflag=1)
    [2] struct s: member 'a': an integer that is not a bit-field begins at a byte (Linux: "Invalid member offset"); give the bit-field its width
$int; add(FUNC_PROTO, '', 0); add(FUNC, 'f', 2); add(DATASEC, '.ksyms', 4, 3, 0, 4)
    [4] DATASEC '.ksyms': variable 'f': a DATASEC lists variables (Linux: "Not a VAR kind member"); declare kernel functions with __ksym
$int; add(VAR, 'v', 1, 1); add(DATASEC, '.data', 4, 2, 0, 2)
    [3] DATASEC '.data': variable 'v': a variable in a section has room for its type (Linux: "Invalid size"); fill in the sizes
$int; add(FUNC, 'f', 1)
    [2] FUNC 'f': a FUNC has a prototype (Linux: "Invalid type_id"); rewrite the function's type
$int; add(FUNC_PROTO, '', 0, '', 1); add(FUNC, 'f', 2)
    [3] void f(int): parameter 1: the parameters of a FUNC have names (Linux: "Invalid arg#"); name the parameters
$int; add(FWD, 'f'); add(FUNC_PROTO, '', 0, 'a', 2)
    [3] void (struct f a): parameter 'a': a parameter has a type with a size; `...` has no name (Linux: "Invalid arg#"); use a type that is defined, or a pointer
$int; add(FUNC_PROTO, '', 0, '1st', 1)
    [2] void (int _1st): parameter '1st': a parameter's name has at most 512 bytes, only letters, digits, '_' and '.', and no digit first (Linux: "Invalid arg#"); rename it
$int; add(FWD, 'f'); add(FUNC_PROTO, '', 2)
    [3] struct f (void): a function returns void or a type with a size (Linux: "Invalid return type"); use a type that is defined, or a pointer
$int; add(DECL_TAG, 'x', 1, -1)
    [2] DECL_TAG 'x': a DECL_TAG is for a struct, union, typedef, variable or function (Linux: "Invalid type_id"); tag one of these
$int; add(STRUCT, 's', 4, 'a', 1, 0); add(DECL_TAG, 'x', 2, 1)
    [3] DECL_TAG 'x': a DECL_TAG is for the whole (-1), or for an existing member or parameter (Linux: "Invalid component_idx"); rewrite the tag's index
add(STRUCT, 's', 4, 'a', 1, 0)
    [1] struct s: a type does not contain itself, nor is a chain of pointers a circle (Linux: "Loop detected"); put a struct between the pointers
add(PTR, '', 2); add(CONST, '', 1)
    [1] const ... *const *const *const *const *const *const *const *const *const *const *const *const *const...: a type does not contain itself, nor is a chain of pointers a circle (Linux: "Loop detected"); put a struct between the pointers
# Rules that a later release does not have
5.19 7.1 $int; add(TYPE_TAG, 'user', 1); add(CONST, '', 2)
    [3] __attribute__((btf_type_tag("user"))) const int: type tags come before const, volatile, restrict and typedefs (Linux 5.19 until 7.2: "Type tags don't precede modifiers"); put the tags right after the `*`
6.12 6.12 $lock; add(TYPE_TAG, 'uptr', 3); add(PTR, '', 4); $beside
    [6] struct node: member 'p': in a struct with a kptr, or with a bpf_spin_lock, bpf_list_head or the like, no pointer has the tag uptr (Linux 6.12 until 6.13); move the pointer to another struct
6.12 7.1 $lock; add(TYPE_TAG, 'user', 3); add(PTR, '', 4); $beside
    [6] struct node: member 'p': in a struct with a kptr, or with a bpf_spin_lock, bpf_list_head or the like, a pointer has at most one tag, and that of a kptr (Linux 6.12 until 7.2); omit the tag, or move the pointer to another struct
6.12 7.1 $lock; add(TYPE_TAG, 'kptr', 6); add(PTR, '', 4); add(TYPE_TAG, 'user', 3); $beside
    [7] struct node: member 'p': in a struct with a kptr, or with a bpf_spin_lock, bpf_list_head or the like, a pointer has at most one tag, and that of a kptr (Linux 6.12 until 7.2); omit the tag, or move the pointer to another struct
6.12 7.1 $lock; add(TYPE_TAG, 'user', 3); add(PTR, '', 4); add(ARRAY, '', 0, 5, 1, 2); add(STRUCT, 'node', 24, 'lock', 2, 0, 'p', 6, 64)
    [7] struct node: member 'p': in a struct with a kptr, or with a bpf_spin_lock, bpf_list_head or the like, a pointer has at most one tag, and that of a kptr (Linux 6.12 until 7.2); omit the tag, or move the pointer to another struct
6.12 7.1 $lock; add(TYPE_TAG, 'kptr', 3); add(PTR, '', 4); add(VOLATILE, '', 5); add(TYPE_TAG, 'user', 1); add(PTR, '', 7); add(STRUCT, 'node', 16, 'k', 6, 0, 'p', 8, 64)
    [9] struct node: member 'p': in a struct with a kptr, or with a bpf_spin_lock, bpf_list_head or the like, a pointer has at most one tag, and that of a kptr (Linux 6.12 until 7.2); omit the tag, or move the pointer to another struct
$lock; add(TYPE_TAG, 'kptr', 1); add(PTR, '', 4); $beside
    [6] struct node: member 'p': in a struct with a kptr, or with a bpf_spin_lock, bpf_list_head or the like, a kptr points to a struct; point to a struct, or move the pointer to another one
$kptr; add(ARRAY, '', 0, 5, 1, 4); add(STRUCT, 'inner', 32, 'p', 6, 0); add(ARRAY, '', 0, 7, 1, 3); add(STRUCT, 'outer', 104, 'p', 5, 0, 'inner', 8, 64)
    [9] struct outer: a struct with a kptr, or with a bpf_spin_lock, bpf_list_head or the like, has at most 11 such fields, those in its structs and arrays included; move some to another struct
taken $kptr; add(ARRAY, '', 0, 5, 1, 5); add(STRUCT, 'inner', 40, 'p', 6, 0); add(ARRAY, '', 0, 7, 1, 2); add(STRUCT, 'outer', 88, 'p', 5, 0, 'inner', 8, 64)
6.12 7.1 $kptr; add(TYPE_TAG, 'user', 1); add(PTR, '', 6); add(STRUCT, 'inner', 8, 'u', 7, 0); add(STRUCT, 'outer', 16, 'p', 5, 0, 'inner', 8, 64)
    [9] struct outer: member 'inner': in a struct with a kptr, or with a bpf_spin_lock, bpf_list_head or the like, a pointer has at most one tag, and that of a kptr (Linux 6.12 until 7.2); omit the tag, or move the pointer to another struct
# Without such a field, no tag is looked at.
taken $lock; add(TYPE_TAG, 'user', 3); add(PTR, '', 4); add(STRUCT, 'node', 16, 'n', 1, 0, 'p', 5, 64)
taken $lock; add(TYPE_TAG, 'kptr', 7); add(PTR, '', 4); $beside; add(CONST, '', 3)
END
refused "for i in range(40): add(PTR, '', i + 2)
$int" <<'END'
[1] int ****************************************: types are nested at most 32 deep, in the order of ids (Linux: "Exceeded max resolving depth:32"); nest less, or write inner types before outer ones
END
refused "add(PTR, '', 20)
for i in range(3, 42): add(TYPEDEF, 't', i)
$int" <<'END'
[2] t: a chain of qualifiers, typedefs and type tags has at most 32 types (Linux: "Max chain length or cycle detected"); use fewer typedefs
[3] t: a chain of qualifiers, typedefs and type tags has at most 32 types (Linux: "Max chain length or cycle detected"); use fewer typedefs
[4] t: a chain of qualifiers, typedefs and type tags has at most 32 types (Linux: "Max chain length or cycle detected"); use fewer typedefs
[5] t: a chain of qualifiers, typedefs and type tags has at most 32 types (Linux: "Max chain length or cycle detected"); use fewer typedefs
[6] t: a chain of qualifiers, typedefs and type tags has at most 32 types (Linux: "Max chain length or cycle detected"); use fewer typedefs
[7] t: a chain of qualifiers, typedefs and type tags has at most 32 types (Linux: "Max chain length or cycle detected"); use fewer typedefs
[8] t: a chain of qualifiers, typedefs and type tags has at most 32 types (Linux: "Max chain length or cycle detected"); use fewer typedefs
END

# After a type of unknown size, --check knows nothing; references into that part are no fault.
refused "add(PTR, 'p', 3); add(20, 'odd'); $int; layout = [(0, 0, 0)] * 21; layout_last = 1" <<'END'
no bytes are before, between or after the sections (Linux: "Unsupported section found"); write the sections one after another; merge several blobs into one
the strings are the last section (Linux: "String section is not at the end"); write the strings after the types
[2]: kinds are those of btf.rst (Linux: "Invalid kind"); omit the type, or have the compiler omit it
[1] int *: it has no name (Linux: "Invalid name"); remove the name
END

# Of many faults, the list has a hundred.
blob bad.btf "for i in range(120): add(TYPEDEF, '', 0)"
"$BTFDEDUP" --check bad.btf >stdout && mistake 'typedefs without names are taken'
[[ $(wc -l <stdout) == 102 && $(tail -n 2 stdout) == 'bad.btf: 20 more faults
bad.btf: needs Linux 4.18, for BTF' ]] || mistake "of 120 faults: $(tail -n 3 stdout)"

# Releases
needs() { # RELEASE WHAT STATEMENTS
  blob good.btf "$3"
  taken "good.btf: needs Linux $1, for $2" good.btf
}
needs 4.18 BTF "$int"
needs 5.0 kind_flag "$int; add(STRUCT, 's', 4, 'a', 1, 8 << 24, kflag=1)"
needs 5.0 FUNC_PROTO 'add(FUNC_PROTO)'
needs 5.0 FUNC_PROTO 'add(FUNC_PROTO); add(FUNC, "f", 1)'
needs 5.0 FUNC 'add(FUNC, "f", 2); add(FUNC_PROTO)'
needs 5.2 VAR "$int; add(VAR, 'v', 1, 1)"
needs 5.2 DATASEC "add(DATASEC, '.data', 4, 3, 0, 4); $int; add(VAR, 'v', 2, 1)"
needs 5.5 'an ENUM of other than 4 bytes' 'add(ENUM, "e", 1, "A", 1)'
needs 5.6 'a FUNC with linkage' 'add(FUNC_PROTO); add(FUNC, "f", 1, vlen=1)'
needs 5.12 'a DATASEC without variables' "add(DATASEC, '.none', 4)"
needs 5.13 FLOAT 'add(FLOAT, "f", 4)'
needs 5.16 DECL_TAG "$int; add(TYPEDEF, 't', 1); add(DECL_TAG, 'x', 2, -1)"
needs 5.17 TYPE_TAG "$int; add(TYPE_TAG, 'x', 1)"
needs 6.0 ENUM64 'add(ENUM64, "e", 8, "A", 1, 0)'
needs 6.0 'an ENUM of signed values' 'add(ENUM, "e", 4, "A", -1, kflag=1)'
needs 6.1 'a name above 128 bytes' "$int; add(TYPEDEF, 't' * 129, 1)"
needs 4.18 BTF "$int; add(TYPEDEF, 't' * 128, 1)"
needs 6.5 'a dot in a name' "$int; add(TYPEDEF, 'a.b', 1)"
needs 6.5 'a dot in a name' "$int; add(STRUCT, 's', 4, 'a.b', 1, 0)"
needs 5.2 VAR "$int; add(VAR, 'a.b', 1, 1)"
needs 6.9 "a DATASEC's name with more than letters, digits, '_' and '.'" "$int; add(VAR, 'v', 1, 1); add(DATASEC, '?.data', 4, 2, 0, 4)"
needs 6.15 'a TYPE_TAG that is an attribute' "$int; add(TYPE_TAG, 'x', 1, kflag=1)"
needs 6.15 'a DECL_TAG that is an attribute' "$int; add(TYPEDEF, 't', 1); add(DECL_TAG, 'x', 2, -1, kflag=1)"
needs 7.1 'a vlen above 65535' "add(ENUM); words[1] += 65536; words[2] = 4; words.extend([string('A'), 0] * 65536)"
needs 7.1 'a layout section' "$int; hdr_len = 28; extra = b'\1\0\0\0'"
needs 7.1 'a layout section' "$int; hdr_len = 32; extra = b'\\x10\\0\\0\\0\\0\\0\\0\\0'"
needs 7.1 'a layout section' "$int; layout = [(0, 0, 0), (4, 0, 0)]"

# A release: what it does not read, and its rules
blob good.btf "$int; add(TYPE_TAG, 'x', 1)"
"$BTFDEDUP" --check --target linux-5.16 good.btf >stdout && mistake 'linux-5.16 takes a TYPE_TAG'
[[ $(<stdout) == 'good.btf: needs Linux 5.17, for TYPE_TAG' ]] || mistake "$(<stdout)"
"$BTFDEDUP" --check --json --target linux-5.16 good.btf >stdout && mistake 'linux-5.16 takes a TYPE_TAG'
[[ $(jq -c '.[] | [.accepted, .faults, .needs.linux]' stdout) == '[false,[],"5.17"]' ]] || mistake "$(<stdout)"
"$BTFDEDUP" --check --target linux-5.17 good.btf >stdout || mistake 'linux-5.17 refuses a TYPE_TAG'
blob bad.btf "$int; add(TYPE_TAG, 'user', 1); add(CONST, '', 2)"
"$BTFDEDUP" --check --json bad.btf >stdout || mistake 'the newest kernel refuses tags after const'
[[ $(jq -c '.[] | [.accepted, .faults[0].rule, .faults[0].since, .faults[0].until]' stdout) == '[true,"tag-order","5.19","7.2"]' ]] ||
  mistake "$(<stdout)"

# A DATASEC before its variables, as --sort may put it: before Linux 6.3, no typedef after a pointer
datasec_first() { # VARIABLES KIND TYPE
  echo "add(DATASEC, '.bss', 16, $1); add(INT, 'a', 8, 64); add($2, '', 2); add(VAR, 'a', 3, 1)
add(INT, 'b', 8, 64); $3; add(VAR, 'b', 6, 1)"
}
in_order='4, 0, 8, 7, 8, 8' typedef="add(TYPEDEF, 'td', 5)"
blob bad.btf "$(datasec_first "$in_order" PTR "$typedef")"
for release in 5.2 6.0 6.1.5 5.10.174; do
  "$BTFDEDUP" --check --target linux-$release bad.btf >stdout && mistake "Linux $release takes it"
  [[ $(<stdout) == "bad.btf: [1] DATASEC '.bss': variable 'b': in a DATASEC before its variables, a variable whose type begins with a qualifier or typedef does not follow a pointer, array, struct or union (Linux 5.2 until 6.3, unless patched: \"Invalid type\"); write the DATASEC behind its variables and their types
bad.btf: needs Linux 5.2, for DATASEC" ]] || mistake "$(<stdout)"
done
# Updates mended it, and a distribution's number is not an update's.
for release in 5.10 6.1 6.1.20 5.10.175 5.4.300 6.1.0-50-amd64 6.3 6.3.0; do
  "$BTFDEDUP" --check --target linux-$release bad.btf >stdout || mistake "Linux $release refuses it"
done
for statements in "$(datasec_first "$in_order" CONST "$typedef")" "$(datasec_first "$in_order" PTR "add(INT, 'c', 8, 64)")" \
  "$(datasec_first '7, 0, 8, 4, 8, 8' PTR "$typedef")"; do
  blob good.btf "$statements"
  "$BTFDEDUP" --check --target linux-6.0 good.btf >stdout || mistake "$statements: $(<stdout)"
done

# Ids beyond the end, without a base
blob bad.btf "add(PTR, '', 5); add(CONST, '', 1)"
"$BTFDEDUP" --check bad.btf >stdout && mistake 'accepted'
grep -qx 'bad.btf: may be split BTF: give its --base' stdout || mistake "$(<stdout)"

# Faults that a loader repairs in an object
compile mended <<'END'
extern int LINUX_KERNEL_VERSION __attribute__((section(".kconfig")));
extern char CONFIG_CC_VERSION_TEXT __attribute__((section(".kconfig"), weak));
extern const void bpf_prog_active __attribute__((section(".ksyms")));
extern int bpf_kfunc(int) __attribute__((section(".ksyms"), weak));
int first = 1, second = 2;
static volatile int hidden;
long shown __attribute__((visibility("hidden"))) = 3;
__attribute__((visibility("hidden"), noinline)) int helper(int x) { return x + hidden + shown; }
SEC("socket") int prog(struct __sk_buff *ctx) {
  return helper(ctx->len) + first + second + LINUX_KERNEL_VERSION + CONFIG_CC_VERSION_TEXT + (long)&bpf_prog_active +
         (bpf_kfunc ? bpf_kfunc(1) : 0);
}
END
taken 'mended.o: needs Linux 5.6, for a FUNC with linkage' mended.o
"$BPFLINK" mended.o -o linked.o
taken 'linked.o: needs Linux 5.6, for a FUNC with linkage' linked.o
llvm-objcopy-19 --dump-section .BTF=raw.btf mended.o
"$BTFDEDUP" --check raw.btf >stdout && mistake 'BTF of an object is taken that no loader mended'
[[ $(<stdout) == *"DATASEC '.data': a DATASEC has a size"* ]] || mistake "$(<stdout)"
"$BTFDEDUP" --check mended.o raw.btf >/dev/null && mistake 'one of two files is refused, and the exit status is 0'

# Definitions that a loader looks for in other objects
compile alone <<<'extern int other; SEC("socket") int prog(struct __sk_buff *ctx) { return other; }'
"$BTFDEDUP" --check alone.o >stdout && mistake 'an extern is taken'
[[ $(<stdout) == *'int other: a VAR is static or global (Linux: "Linkage not supported");'* ]] || mistake "$(<stdout)"

# Kernels and modules: a FUNC may have parameters without names
blob base.btf "$int; add(STRUCT, 'bpf_ctx_convert', 0); add(FUNC_PROTO, '', 0, '', 1); add(FUNC, 'f', 3)"
taken 'base.btf: needs Linux 5.0, for FUNC_PROTO' base.btf
blob split.btf "split('base.btf'); add(FUNC, 23, 3); strings = b'f\\0'"
taken 'split.btf: needs Linux 5.0, for FUNC' --base base.btf split.btf
taken 'split.btf: needs Linux 5.0, for FUNC
mended.o: needs Linux 5.6, for a FUNC with linkage' --base base.btf split.btf mended.o # mended.o has no base

# JSON
blob bad.btf "$int; add(TYPEDEF, 'two words', 1)"
"$BTFDEDUP" --check --json bad.btf >stdout && mistake 'a name of two words is taken'
[[ $(<stdout) == '[
  {
    "file": "bad.btf",
    "rules": "program",
    "accepted": false,
    "faults": [
      {
        "rule": "name",
        "type_id": 2,
        "type": "TYPEDEF '"'two words'"'",
        "subject": "",
        "text": "a name has at most 512 bytes, only letters, digits, '"'_'"' and '"'.'"', and no digit first",
        "kernel": "Invalid name",
        "since": "4.18",
        "until": null,
        "advice": "rename it"
      }
    ],
    "omitted_faults": 0,
    "needs": {
      "linux": "4.18",
      "for": "BTF",
      "type_id": 0
    }
  }
]' ]] || mistake "as JSON: $(<stdout)"

# Files without BTF, and options that write
expect_message 'btfdedup: error: absent: cannot open: No such file or directory' "$BTFDEDUP" --check absent
printf 'int number;' >number.c
"$CC" --target=x86_64 -c number.c -o plain.o
expect_message 'btfdedup: error: plain.o: has no section .BTF: compile with -g, with gcc -gbtf' "$BTFDEDUP" --check plain.o
"$BTFDEDUP" --check bad.btf -o out.btf 2>errors && mistake '--check writes'
[[ $(<errors) == *--check* ]] || mistake "$(<errors)"

# --verify: btfdedup writes the output anyway, and names the input of a type.
blob good.btf "$int"
"$BTFDEDUP" --verify good.btf -o out.btf 2>errors || mistake "--verify: exit status $?"
[[ ! -s errors ]] || mistake "--verify of a good output: $(<errors)"
"$BTFDEDUP" --verify good.btf bad.btf -o out.btf 2>errors || mistake "--verify: exit status $?"
[[ $(<errors) == "btfdedup: warning: out.btf: kernels reject this: [2] TYPEDEF 'two words': a name has at most 512 bytes, \
only letters, digits, '_' and '.', and no digit first (Linux: \"Invalid name\"); rename it
>>> the type is from bad.btf" ]] || mistake "--verify: $(<errors)"
cmp -s out.btf bad.btf || [[ -s out.btf ]] || mistake '--verify keeps the output back'
cp mended.o update.o
"$BTFDEDUP" --verify --update update.o 2>errors || mistake "--verify --update: exit status $?"
[[ ! -s errors ]] || mistake "--verify of an updated object: $(<errors)"
blob many.btf "for i in range(120): add(TYPEDEF, 't%d ' % i, 0)"
"$BTFDEDUP" --verify many.btf -o out.btf 2>errors
[[ $(tail -n 1 errors) == 'btfdedup: warning: out.btf: 20 more faults' ]] || mistake "$(tail -n 2 errors)"

compile nameless <<<'__attribute__((noinline)) int nameless(void *) { asm volatile(""); return 1; }
SEC("socket") int other(struct __sk_buff *ctx) { return nameless(ctx); }'
"$BPFLINK" --verify nameless.o mended.o -o out.o 2>errors || mistake "bpflink --verify: exit status $?"
grep -F 'warning: out.o: kernels reject this: [' errors | has -F 'int nameless(void *): parameter 1: the parameters of a FUNC have names' ||
  mistake "bpflink --verify: $(<errors)"
grep -qxF '>>> the type is from nameless.o' errors || mistake "bpflink --verify: $(<errors)"
