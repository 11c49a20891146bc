#!/bin/bash
# --keep-debug merges DWARF: llvm-dwarfdump verifies it, and llvm-objdump shows the source of
# functions of both files. Without the option the link drops DWARF.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
int scale = 3;
__noinline unsigned first(unsigned x) { return x * scale; }
EOF
compile b <<'EOF'
extern int scale;
static struct { int a, b; } pair;
__noinline unsigned second(unsigned x) { pair.b = x; return x + scale; }
EOF
"$BPFLINK" --keep-debug a.o b.o -o out.o
contains '.debug_info' eval 'sections | cut -d" " -f1'
llvm-dwarfdump-19 --verify out.o >verified || fail "$(<verified)"
units=$(llvm-dwarfdump-19 --debug-info out.o | grep -c DW_TAG_compile_unit)
expect 2 echo "$units"
llvm-dwarfdump-19 --debug-info --name=second out.o | grep 'DW_AT_low_pc' >/dev/null
for name in first second; do
  llvm-objdump-19 -S --disassemble-symbols=$name out.o | grep "__noinline unsigned $name" >/dev/null
done

# Strings that both files have are there once.
expect 1 eval 'llvm-dwarfdump-19 --debug-str out.o | grep -c "\"unsigned int\""'
link a.o b.o
lacks '^\.debug' sections
