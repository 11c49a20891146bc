#!/bin/bash
# --keep-debug merges DWARF: llvm-dwarfdump verifies it, and llvm-objdump shows the source of
# functions of both files. Without the option the link drops DWARF.
. "$(dirname "$0")/common.sh"

compile a <<<'int scale = 3; __noinline unsigned first(unsigned x) { return x * scale; }'
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

# Compressed DWARF becomes plain, and the same.
cp out.o plain.o
for n in a b; do
  cp $n.o $n.plain
  llvm-objcopy-19 --compress-debug-sections=zlib $n.o
  [[ $(llvm-readelf-19 -SW $n.o) == *'.debug_info '*' C '* ]] || fail 'nothing is compressed'
done
"$BPFLINK" --keep-debug a.o b.o -o out.o
cmp out.o plain.o || fail 'compressed DWARF links to something else'
python3 "$bpfobj" set a.o bad.o header:.debug_info:sh_size=20
! "$BPFLINK" --keep-debug bad.o -o no.o 2>errors || fail 'links a section that is cut off'
grep -q "bad.o: section '.debug_info' is compressed in a way that cannot be read" errors || fail "$(<errors)"
for n in a b; do mv $n.plain $n.o; done

# Strings that both files have are there once.
expect 1 eval 'llvm-dwarfdump-19 --debug-str out.o | grep -c "\"unsigned int\""'
link a.o b.o
lacks '^\.debug' sections

# Lines and functions stay those of the inputs after an overridden function and with --gc-sections, also
# after two partial links; DWARF 4 and 5.
judge=${bpfobj%/*}/same_debug.py
cat >c.c <<'EOF'
int scale = 3, other = 5;
__attribute__((noinline)) int first(int x) { return x * scale; }
static inline __attribute__((always_inline)) int inlined(int x)
{
  x += scale;
  return x ^ 3;
}
__attribute__((weak, noinline)) int lost(int x)
{
  x = inlined(x);
  if (x > 3)
    return first(x);
  return 2;
}
__attribute__((noinline)) int after(int x)
{
  int y = lost(x);
  y = inlined(y + 1);
  return y * 3;
}
__attribute__((noinline)) int dead(int x) { return x + other; }
__attribute__((section("socket"))) int prog(void *ctx) { return after(5); }
EOF
echo '__attribute__((noinline)) int lost(int x) { return x - 1; }' >d.c
cat >e.c <<'EOF'
int unused = 4;
__attribute__((noinline)) int gone(int x)
{
  for (int i = 0; i < x; i++) {
    int z = x + i;
    x ^= z + unused;
  }
  return x;
}
EOF
for version in 4 5; do
  for name in c d e; do "$CC" -O2 -gdwarf-$version --target=bpf -c $name.c -o $name.o; done
  "$BPFLINK" --keep-debug -r c.o -o once.o
  "$BPFLINK" --keep-debug -r once.o -o twice.o
  for way in 'c.o d.o' 'd.o c.o' 'twice.o d.o' '--gc-sections c.o d.o e.o' '-r c.o d.o e.o'; do
    # shellcheck disable=SC2086 # several words
    "$BPFLINK" --verify --keep-debug $way -o out.o
    python3 "$judge" out.o c.o d.o e.o >judgement || fail "DWARF $version, $way: $(<judgement)"
    # Two units have a function `lost`.
    llvm-dwarfdump-19 --verify --error-display=details out.o >verified || fail "$way: $(<verified)"
  done
  "$BPFLINK" --verify --keep-debug --gc-sections c.o d.o e.o -o out.o
  run 'prog()=33'
  # What --gc-sections dropped has an address that nothing has.
  llvm-dwarfdump-19 --debug-info --name=gone out.o | has 'DW_AT_low_pc.*(0xffffffffffffffff\|dead code' ||
    fail "$(llvm-dwarfdump-19 --debug-info --name=gone out.o)"
  llvm-dwarfdump-19 --debug-info --debug-addr out.o >dwarf
  grep -qiE '(DW_OP_addr |^)0xffffffffffffffff' dwarf || fail "$(<dwarf)"
done
