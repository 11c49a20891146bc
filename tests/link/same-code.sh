#!/bin/bash
# same_code.py, which holds outputs against their inputs, accepts right links and finds each kind of
# wrong one. The random programs of kernel/same-as-native.sh rely on it.
. "$(dirname "$0")/common.sh"

judge() { python3 "${bpfobj%/*}/same_code.py" "$@"; }

# finds TEXT SETTING...: with these numbers of out.o changed, it says TEXT
finds() {
  local text=$1
  shift
  python3 "$bpfobj" set out.o wrong.o "$@"
  if judge wrong.o "${inputs[@]}" >found; then fail "$* is not found"; fi
  grep -qF -- "$text" found || fail "$*: no '$text' in"$'\n'"$(<found)"
}

cat >a.c <<'END'
static volatile int table[4] = {1, 2, 3, 4};
static __attribute__((noinline)) int inner(int x) { return table[x & 3]; }
int helper(int x);
__attribute__((section("socket"))) int prog(void *ctx) { return inner(1) + helper(2) + inner(3); }
END
cat >b.c <<'END'
static volatile int table[4] = {5, 6, 7, 8};
static __attribute__((noinline)) int inner(int x) { return table[x & 3]; }
static __attribute__((noinline)) int other(int x) { return inner(x) + "string"[x & 3]; }
__attribute__((noinline)) int helper(int x) { return other(x) + inner(x + 1); }
END

# faults: makes out.o wrong in several ways
faults() {
  local inner other_inner call
  call=$(references | sed -n 's/^\(prog+.*\) call inner@\(0x[0-9a-f]*\)$/\1 \2/p' | head -n 1)
  inner=${call#* } call=${call% *} call=${call#prog+}
  other_inner=$(symbol inner | awk '{ print $5 }' | grep -vx "$((inner))")
  # This call goes into the middle of a function, to another function, to another file's.
  local field="bytes:socket:$((call + 4)):4"
  finds "(inner@$inner+0x8)" "$field=old+1&0xffffffff"
  finds "leads to ['helper'], not ['inner']" "$field=$(symbol helper | awk '{ print $5 }')//8-1&0xffffffff"
  finds "is already that of another file" "$field=$other_inner//8-1&0xffffffff"
  # Another constant, instruction, variable
  finds "became" 'bytes:.data:4=9'
  finds "became" "bytes:.text:$((inner)):1=0xb7"
  finds "became" "bytes:socket:$((call + 1)):1=0"
  # One of two definitions is missing.
  inputs=("${inputs[0]}")
  finds 'no input defines helper' 'elf:e_flags=0'
}

for flag in --target=bpf --target=bpfeb; do
  for name in a b; do "$CC" -g -O2 $flag -mcpu=v3 -c $name.c -o $name.o; done
  "$BPFLINK" a.o b.o -o out.o
  inputs=(llvm:a.o llvm:b.o)
  expect '42 instructions, 9 references, 7 functions and variables' judge out.o "${inputs[@]}"
  faults
done

command -v bpf-gcc >/dev/null || skip 'bpf-gcc is not installed'
[[ $(bpf-as --version | sed -n '1s/.* //p') == 2.40 ]] && dialect=old-gas wrong=gas || dialect=gas wrong=old-gas
for flag in -mlittle-endian -mbig-endian; do
  for name in a b; do bpf-gcc -gbtf -O2 $flag -c $name.c -o $name.o; done
  "$BPFLINK" -q a.o b.o -o out.o
  inputs=($dialect:a.o $dialect:b.o)
  judge out.o "${inputs[@]}"
  faults
  # A variable that is not the first of its section has a value, which one dialect adds. The pointer
  # tells the linker which one it is.
  echo 'int x = 1, y = 2, *volatile p = &y; int get(void) { return x + y; }' | bpf-gcc -gbtf -O2 $flag -xc -c - -o c.o
  "$BPFLINK" -q c.o -o out.o
  judge out.o $dialect:c.o
  if judge out.o $wrong:c.o >found; then fail 'the dialect makes no difference'; fi
  grep -qE 'leads to|became' found || fail "$(<found)"
done
