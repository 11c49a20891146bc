#!/bin/bash
# Modules and the vmlinux that they are split from: which modules a kernel refuses, and why; modules
# without strings or types of their own; modules with a distilled base.
. "$(dirname "$0")/common.sh"

int="add(INT, 'int', 4, 0x1000020)"
# vmlinux: [1] int, [2] a pointer to it, [3] what marks a kernel
blob vmlinux.btf "$int; add(PTR, '', 1); add(STRUCT, 'bpf_ctx_convert', 0)"
blob other.btf "add(STRUCT, 'added_later', 0); $int; add(PTR, '', 2); add(STRUCT, 'bpf_ctx_convert', 0)"
echo 'int number;' | "$CC" --target=x86_64 -x c -c - -o plain.o
# module NAME STATEMENTS: NAME.btf is split from vmlinux.btf, and NAME.ko has it
module() {
  blob "$1.btf" "split('vmlinux.btf'); $2"
  llvm-objcopy-19 --add-section=.BTF="$1.btf" plain.o "$1.ko"
}
module usual "add(STRUCT, 'own', 8, 'member', 2, 0)"

# checks STATUS TEXT ARGUMENT...: what --check reports
checks() {
  local status=0
  "$BTFDEDUP" --check "${@:3}" >stdout || status=$?
  [[ $status == "$1" && $(<stdout) == "$2" ]] || mistake "$*: status $status"$'\n'"$(<stdout)"
}
checks 0 'usual.ko: needs Linux 4.18, for BTF' --base vmlinux.btf usual.ko

# A module alone is one error.
"$BTFDEDUP" --base vmlinux.btf usual.btf -o written.btf # its strings begin with an empty one
for file in usual.btf usual.ko written.btf; do
  expect_message "btfdedup: error: $file: is split BTF: --base names the vmlinux that it was made with" \
    "$BTFDEDUP" --check $file
done

# A module of another vmlinux is one line: its first fault, and the cause.
misfit='made with another base, such as another build of vmlinux'
strings() { python3 -c 'import struct, sys; print(struct.unpack_from("<I", open(sys.argv[1], "rb").read(), 20)[0])' "$1"; }
sizes="$misfit: its names follow $(strings vmlinux.btf) bytes of strings, and this base has $(strings other.btf)"
blob shorter.btf "$int"
for file in usual.btf usual.ko; do
  checks 1 "$file: [2] STRUCT: a name's offset is in the string section (Linux: \"Invalid name_offset\"); $misfit\
: its names follow $(strings vmlinux.btf) bytes of strings, and this base has $(strings shorter.btf)" --base shorter.btf $file
done
# A kernel may take its names for others.
checks 0 "usual.ko: kernels accept it, but it is $sizes" --base other.btf usual.ko
"$BTFDEDUP" --check --json --base other.btf usual.ko >stdout
[[ $(<stdout) == *"\"misfit\": \"$sizes\""* && $(<stdout) != *needs* ]] || mistake "$(<stdout)"
# Of a directory, what is right is one line, and the same fault one.
mkdir many
for name in a b c; do cp usual.ko many/$name.ko; done
checks 0 '3 files accepted, which need Linux 4.18, for BTF' --base vmlinux.btf many
checks 0 "many/a.ko: kernels accept it, but it is $sizes
  the same of 2 other files: many/b.ko, many/c.ko
none of 3 files is accepted without a complaint" --base other.btf many
checks 0 '2 files accepted, which need Linux 4.18, for BTF' --base vmlinux.btf usual.ko many/a.ko
module nameless "add(PTR, '', 3)"
checks 1 "nameless.ko: [2] PTR: it refers to an existing type, which for a variable has a size, and not to a VAR, DATASEC, \
DECL_TAG or FUNC (Linux: \"Invalid type_id\"); $misfit: it refers to type 3, and the last one is 2" \
  --base shorter.btf nameless.ko

# What pahole left twice in a vmlinux is counted.
blob twice.btf "$int; add(STRUCT, 'bpf_ctx_convert', 0); add(FUNC_PROTO, '', 1); add(FUNC_PROTO, '', 1); add(TYPEDEF, 'a', 4); \
add(TYPEDEF, 'a', 3)"
checks 0 'twice.btf: needs Linux 5.0, for FUNC_PROTO
twice.btf: 2 types repeat others, such as [4] FUNC_PROTO the type [3]: without them, it has 24 bytes less' twice.btf
"$BTFDEDUP" --check --json twice.btf >stdout
[[ $(tr -d ' \n' <stdout) == *'"duplicates":{"types":2,"bytes":24,"type_id":4,"repeats":3}'* ]] || mistake "$(<stdout)"
blob once.btf "$int; add(STRUCT, 'bpf_ctx_convert', 0); add(FUNC_PROTO, '', 1); add(FUNC_PROTO, '', 1)"
checks 0 'once.btf: needs Linux 5.0, for FUNC_PROTO
once.btf: 1 type repeats another, such as [4] FUNC_PROTO the type [3]: without them, it has 12 bytes less' once.btf

# A module may have no strings, no types, or neither.
module without-strings "add(PTR, '', 2)"
module without-types "string('unused')"
module without-both ''
for name in without-strings without-types without-both; do
  types=$([[ $name == without-strings ]] && echo 1 || echo 0)
  for file in $name.btf $name.ko; do
    checks 0 "$file: needs Linux 4.18, for BTF" --base vmlinux.btf $file
    "$BTFDEDUP" --base vmlinux.btf $file -o out.btf --verify
    [[ $("$BTFDEDUP" --base vmlinux.btf out.btf --dump raw | wc -l) == "$types" ]] || mistake "$file"
    "$BTFDEDUP" --base vmlinux.btf $file --dump c >types.h
    compiles types.h
    "$BTFDEDUP" --base vmlinux.btf $file --print-sizes --size-map page.html --stats >/dev/null
    "$BTFDEDUP" --flatten --base vmlinux.btf $file -o flat.btf
    [[ $("$BTFDEDUP" flat.btf --dump raw | grep -c '^\[') == $((3 + types)) ]] || mistake "$file, flattened"
  done
  "$BTFDEDUP" --distill --base vmlinux.btf --update $name.ko
  checks 0 "$name.ko: needs Linux 4.18, for BTF" --base other.btf $name.ko
done

# A module with .BTF.base is moved to the base that is given, whatever its ids are.
module needs "add(STRUCT, 'own', 8, 'convert', 2, 0); add(PTR, '', 3); add(TYPEDEF, 'own_t', 4)"
"$BTFDEDUP" --base vmlinux.btf needs.btf -o want.btf
cp needs.ko distilled.ko
"$BTFDEDUP" --distill --base vmlinux.btf --update distilled.ko
"$BTFDEDUP" --base vmlinux.btf distilled.ko -o got.btf
cmp want.btf got.btf
"$BTFDEDUP" --flatten --base vmlinux.btf needs.ko -o want.btf
"$BTFDEDUP" --flatten --base vmlinux.btf distilled.ko -o got.btf
cmp want.btf got.btf
"$BTFDEDUP" --flatten --base vmlinux.btf usual.ko distilled.ko -o got.btf
expect $'1 bpf_ctx_convert\n2 own' structs got.btf
"$BTFDEDUP" --flatten --base other.btf distilled.ko -o got.btf
expect $'1 added_later\n1 bpf_ctx_convert\n1 own' structs got.btf
checks 0 'distilled.ko: needs Linux 4.18, for BTF' --base other.btf distilled.ko
blob third.btf "$int; add(STRUCT, 'bpf_ctx', 0)"
lack='distilled.ko: STRUCT bpf_ctx_convert of its .BTF.base is not in the kernel'
checks 1 "$lack (Linux: \"failed to validate module BTF\"); made for another kernel" --base third.btf distilled.ko
expect_message "btfdedup: error: $lack" "$BTFDEDUP" --base third.btf distilled.ko -o out.o
expect_message 'btfdedup: error: distilled.ko: is split from its section .BTF.base, not from the base given' \
  "$BTFDEDUP" --base vmlinux.btf --update distilled.ko

# Many modules in one run have the bytes that each has alone, in a directory and in place.
mkdir several again single split
for number in {1..9}; do
  module "mod-$number" "add(STRUCT, 'own$number', 8, 'member', 2, 0); add(INT, 'int', 4, 0x1000020); add(PTR, '', 5)"
  "$BTFDEDUP" --base vmlinux.btf "mod-$number.ko" -o "single/mod_$number.btf"
  cp "mod-$number.ko" several
  cp "mod-$number.ko" "single/mod-$number.ko"
  "$BTFDEDUP" --base vmlinux.btf --update "single/mod-$number.ko"
  [[ $(stat -c %s "single/mod_$number.btf") -lt $(stat -c %s "mod-$number.btf") ]] || mistake "nothing is merged"
done
xz -k mod-9.ko && mv mod-9.ko.xz several && rm several/mod-9.ko
"$BTFDEDUP" --base vmlinux.btf several -o split
for number in {1..9}; do cmp "single/mod_$number.btf" "split/mod_$number.btf"; done
[[ $(ls split | wc -l) == 9 ]] || mistake "$(ls split)"
expect_message "btfdedup: error: several/mod-9.ko.xz: is compressed, an archive or an image: --update writes only into ELF files" \
  "$BTFDEDUP" --base vmlinux.btf --threads 3 --update several/*
for number in {1..8}; do cmp "single/mod-$number.ko" "several/mod-$number.ko"; done
# A link in a directory leads to a file that whoever put it there has chosen; a name stays one file in the directory.
mkdir linked elsewhere && cp mod-1.ko elsewhere && cp mod-2.ko linked && cp mod-3.ko $'linked/a\nb.ko'
ln -s ../elsewhere/mod-1.ko linked
"$BTFDEDUP" --base vmlinux.btf --update linked 2>notes
expect 'btfdedup: linked/mod-1.ko: a link, so --update of its directory leaves it out' cat notes
cmp mod-1.ko elsewhere/mod-1.ko && cmp single/mod-2.ko linked/mod-2.ko
rm split/*
"$BTFDEDUP" --base vmlinux.btf linked -o split
expect 'a%0Ab.btf mod_1.btf mod_2.btf' echo "$(cd split && echo *)"
# One that fails keeps no other from its output.
cp mod-1.ko again
rm split/* && cp plain.o none.ko
expect_message "btfdedup: error: none.ko: has no section .BTF: compile with -g, with gcc -gbtf" \
  "$BTFDEDUP" --base vmlinux.btf none.ko mod-1.ko -o split
cmp single/mod_1.btf split/mod_1.btf
expect_message "btfdedup: error: split/mod_1.btf: would be written for both mod-1.ko and again/mod-1.ko" \
  "$BTFDEDUP" --base vmlinux.btf mod-1.ko again/mod-1.ko -o split
expect_message "btfdedup: error: --stats is for one output: several modules have one each (see btfdedup --help)" \
  "$BTFDEDUP" --base vmlinux.btf --stats several -o split
