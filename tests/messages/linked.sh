#!/bin/bash
# Messages of btfdedup --linked: about the image, the inputs, and omitted functions and variables
. "$(dirname "$0")/common.sh"

# fails MESSAGE ARGUMENT...
fails() { expect_message "btfdedup: error: $1" "$BTFDEDUP" "${@:2}" -o out.o; }
blob types.btf 'add(INT, "int", 4, 0x1000020); add(FUNC_PROTO, "", 0); add(FUNC, "f", 2)'
cat >symbols.s <<'END'
	.globl f
	.type f, %function
f:	.long 0
	.section .data..percpu, "aw", %progbits
	.globl v
	.type v, %object
	.size v, 4
v:	.long 0
	.section .BTF_ids, "a", %progbits
__BTF_ID__set8__kfuncs:
	.long 0, 1
__BTF_ID__func__f__1:
	.long 0, 0
	.size __BTF_ID__set8__kfuncs, . - __BTF_ID__set8__kfuncs
END
as symbols.s -o good.o

# The image
echo 'int number;' >number.c
fails 'absent: cannot open: No such file or directory' --linked absent types.btf
fails 'number.c: is not an ELF file' --linked number.c types.btf
head -c 100 good.o >cut.o
"$BTFDEDUP" --linked cut.o types.btf -o out.o 2>errors && mistake 'a file that is cut off is read'
grep -q '^btfdedup: error: cut.o: section headers at offset .* are outside the file of 0x64 bytes$' errors ||
  mistake "$(<errors)"
objcopy --strip-all good.o stripped.o
fails 'stripped.o: has no symbol table, which --linked needs: link without -s, do not strip' --linked stripped.o types.btf
fails 'good.o: has no section .BTF: compile with -g, with gcc -gbtf' --linked good.o

# Its symbols
doctored bad.o header:.symtab:sh_entsize=17
fails "bad.o: symbol table '.symtab' is malformed" --linked bad.o types.btf
doctored bad.o symbol:v:st_name=0x7fffff
number=$(readelf -sW good.o | awk '$8 == "v" { sub(":", "", $1); print $1 }')
fails "bad.o: name of symbol $number is outside its string table" --linked bad.o types.btf
for change in st_value=0x1000 st_value=1 st_size=5 st_value=0xffffffffffffffff; do
  doctored bad.o symbol:v:$change
  value=0x0 size=0x4
  [[ $change == st_value=* ]] && value=${change#*=}
  [[ $change == st_size=* ]] && size=${change#*=}
  [[ $value == 1 ]] && value=0x1
  [[ $size == 5 ]] && size=0x5
  fails "bad.o: symbol 'v' with $size bytes at .data..percpu+$value is outside the section of 0x4 bytes" \
    --linked bad.o types.btf
done
doctored bad.o symbol:__BTF_ID__set8__kfuncs:st_value=13
fails "bad.o: section .BTF_ids: symbol '__BTF_ID__set8__kfuncs' is outside of it" --linked bad.o types.btf
doctored bad.o symbol:__BTF_ID__set8__kfuncs:st_size=17
fails "bad.o: section .BTF_ids: symbol '__BTF_ID__set8__kfuncs' is outside of it" --linked bad.o types.btf
doctored bad.o symbol:__BTF_ID__set8__kfuncs:st_size=0xffffffffffffffff
fails "bad.o: section .BTF_ids: symbol '__BTF_ID__set8__kfuncs' is outside of it" --linked bad.o types.btf
# An element outside its set or the section is ignored.
for change in st_value=12 st_value=0xfffffffffffffffc st_value=0x1000; do
  doctored bad.o symbol:__BTF_ID__func__f__1:$change
  "$BTFDEDUP" --linked bad.o types.btf -o out.btf 2>errors || mistake "$change: $(<errors)"
  [[ ! -s errors ]] || mistake "$change: $(<errors)"
done

# The inputs
blob base.btf 'add(INT, "int", 4, 0x1000020); string("second")'
blob split.btf 'add(PTR, 0, 1); strings = b"more\0"'
fails 'split.btf: string section does not begin with NUL (is it split BTF, which --linked does not accept?)' \
  --linked good.o --base base.btf split.btf
blob odd.btf 'add(20, "odd", 0); layout = [(0, 0, 0)] * 21'
fails "odd.btf: type [1] UNKNOWN 'odd' has unknown kind 20, which may refer to any type or string, so it cannot be split from a base" \
  --linked good.o --base base.btf odd.btf
objcopy --add-section=.BTF=split.btf --add-section=.BTF.base=base.btf good.o module.ko
fails 'module.ko: has a section .BTF.base, and --linked does not accept split BTF' --linked module.ko

# The file to update
objcopy --add-section=.BTF=types.btf --add-section=.BTF.ext=types.btf good.o ext.o
expect_message 'btfdedup: error: ext.o: has a section .BTF.ext, which would not fit types of what was linked' \
  "$BTFDEDUP" --linked ext.o --update ext.o
sed '/func__f__1:/{n;s/0,/1,/}' symbols.s >filled.s
as filled.s -o filled.o
objcopy --add-section=.BTF=types.btf filled.o
expect_message 'btfdedup: error: filled.o: has a section .BTF_ids, which would not fit types of what was linked' \
  "$BTFDEDUP" --linked filled.o --update filled.o
objcopy --add-section=.BTF=types.btf good.o update.o
"$BTFDEDUP" --linked update.o --update update.o 2>errors || mistake "ids that are not filled: $(<errors)"

# Omitted functions and variables
cat >all.s <<'END'
	.irp name, a, b, c, d, e, f, g, h, clone.isra.0
	.globl \name
	.type \name, %function
\name:	.long 0
	.endr
	.section .data..percpu, "aw", %progbits
	.irp name, one, two, three, four
	.type \name, %object
	.size \name, 4
	.endr
one:	.long 0
two:	.long 0
three:
four:	.long 0
END
as all.s -o all.o
blob all.btf '
add(INT, "int", 4, 0x1000020)
add(INT, "unsigned", 4, 32)
add(INT, "char", 1, 8)
add(FUNC_PROTO, "", 0)
add(FUNC_PROTO, "", 1)
for name in "abcdefgh":
  add(FUNC, name, 4)
  add(FUNC, name, 5)
add(FUNC, "clone", 4)
add(VAR, "one", 1, 1)
add(VAR, "one", 2, 1)
add(VAR, "two", 3, 1)
add(VAR, "three", 1, 1)
add(VAR, "four", 1, 1)'
"$BTFDEDUP" --linked all.o all.btf -o all.out --stats >stats 2>errors || mistake "$(<errors)"
[[ $(<errors) == "btfdedup: all.o: omitted functions with several prototypes: a, b, c, d, e and 3 more
btfdedup: all.o: omitted functions of which only clones remain: clone.isra.0
btfdedup: all.o: omitted variables with several types: one
btfdedup: all.o: omitted variables whose size is not their type's: two
btfdedup: all.o: omitted variables that overlap another: three" ]] || mistake "$(<errors)"
[[ $(sed -n '/^variables/,/^$/p; /^omitted/,/^$/p' stats) == "variables                                1

omitted
         8  functions with several prototypes
         1  functions of which only clones remain
         1  variables with several types
         1  variables whose size is not their type's
         1  variables that overlap another" ]] || mistake "$(<stats)"
"$BTFDEDUP" --linked all.o all.btf --stats --json >stats 2>/dev/null || mistake 'no JSON'
[[ $(python3 -c 'import json, sys; print(json.load(sys.stdin)["linked"])' <stats) == \
"{'functions': 0, 'variables': 1, 'omitted': {'several_prototypes': ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], 'clone': ['clone.isra.0'], 'several_types': ['one'], 'other_size': ['two'], 'overlap': ['three']}}" ]] ||
  mistake "$(<stats)"
sed -i '/__BTF_ID__func__f__1/s/f__1/missing__1/' symbols.s
as symbols.s -o kfunc.o
"$BTFDEDUP" --linked kfunc.o types.btf -o all.out 2>errors || mistake "$(<errors)"
[[ $(<errors) == "btfdedup: kfunc.o: omitted tags of kfuncs without a FUNC: missing" ]] || mistake "$(<errors)"
