#!/bin/bash
# The kernel's limits: types, strings, members.
. "$(dirname "$0")/common.sh"

compile good <<'END'
SEC("socket") int prog(void *ctx) { return 1; }
END
# too_large MESSAGE STATEMENTS: both programs refuse to write such types
too_large() {
  blob large.btf "$2"
  expect_message "btfdedup: error: out.o: $1" "$BTFDEDUP" large.btf -o out.o
  llvm-objcopy-19 --remove-section=.BTF --remove-section=.BTF.ext --add-section=.BTF=large.btf good.o large.o
  expect_message "bpflink: error: .BTF of the output: $1" "$BPFLINK" large.o -o out.o
}
# Pointers to arrays, each with a different length
too_large "1048577 types are more than the kernel's limit of 1048575; 1048576 of them are of kind ARRAY" '
add(INT, "int", 4, 32)
all = array("I", [0, ARRAY << 24, 0, 1, 1, 0]) * (1 << 20)
all[5::6] = array("I", range(1 << 20))
words.extend(all)'
too_large "16777217 bytes of strings are more than the kernel's limit of 16777216; the longest, of 16777206 bytes, begins 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'" \
  'add(INT, "x" * 16777206, 4, 32); add(INT, "unsigned", 4, 32)'

# More variables than a DATASEC can have, from objects that do not need the wide form
for name in a b; do
  seq -f "char $name%.0f;" 40000 | compile $name -g
done
expect_message "bpflink: error: .BTF of the output: type [80002] DATASEC '.bss' has 80000 elements, more than the kernel's limit of 65535" \
  "$BPFLINK" a.o b.o -o out.o

# If an input has the wide form, the output may have it.
blob large.btf 'add(ENUM, "e", 4, vlen=0); words[1] += 65536; words.extend(w for i in range(65536) for w in (string("A%d" % i), i))'
"$BTFDEDUP" large.btf -o out.btf
cmp large.btf out.btf
llvm-objcopy-19 --remove-section=.BTF --remove-section=.BTF.ext --add-section=.BTF=large.btf good.o large.o
"$BPFLINK" --verify large.o -o linked.o
"$BTFDEDUP" linked.o -o out.btf
cmp large.btf out.btf
