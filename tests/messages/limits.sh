#!/bin/bash
# The kernel's limits: types, strings, members.
. "$(dirname "$0")/common.sh"

compile good <<<'SEC("socket") int prog(void *ctx) { return 1; }'
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

# Definitions that contradict each other in more ways than the deduplicator follows: n units in one
# blob, each with a T0 and a struct that points to what the next unit defines
blob steps.btf '
n = 2800
add(INT, "i", 4, 32); add(INT, "i", 4, 32); add(STRUCT, "T0", 8)
last = 3
for k in range(1, n):
    add(PTR, "", last); add(STRUCT, "T%d" % k, 8, string("m"), last + 1, 0); last += 2
for k in range(1, n):
    add(STRUCT, "T0", 9 + k % 2); add(FWD, "T%d" % (k - 1)); add(PTR, "", last + 2)
    add(STRUCT, "T%d" % k, 8, string("m"), last + 3, 0); last += 4'
expect_message "btfdedup: error: 2799 forward declarations depend on each other's definitions in more than 1199 steps" \
  "$BTFDEDUP" steps.btf -o out.btf

# A unit that defines an X and a chain of n structs that reach it, and n units that each define another X,
# and declare the struct at the end of the chain
blob chain.btf '
n = 4200
add(INT, "i", 4, 32); add(INT, "i", 4, 32); add(STRUCT, "X", 8)
last = 3
for k in range(n):
    add(PTR, "", last); add(STRUCT, "s%d" % k, 8, string("m"), last + 1, 0); last += 2'
blob bindings.btf '
n = 4200
add(INT, "i", 4, 32); add(INT, "i", 4, 32)
last = 2
for k in range(n):
    add(STRUCT, "X", 16 + k); add(FWD, "s%d" % (n - 1)); add(PTR, "", last + 2)
    add(STRUCT, "u", 32 + k, string("a"), last + 1, 0, string("b"), last + 3, 128); last += 4'
expect_message "btfdedup: error: bindings.btf: type [7988] FWD 's4199': the types that it refers to have too many definitions" \
  "$BTFDEDUP" chain.btf bindings.btf -o out.btf

# Assemblers let one name be the end of another: 6000 such names would take 18 MB in the output.
awk 'BEGIN { for (n = 1; n <= 6000; ++n) { name = name "x"; print ".globl " name "\n" name ":" }; print " exit" }' >names.s
clang-19 --target=bpf -c names.s -o names.o
expect_message 'bpflink: error: names.o: names that begin within others take more than 16 MiB' "$BPFLINK" names.o -o out.o
