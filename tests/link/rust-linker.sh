#!/bin/bash
# bpflink as the linker of rustc, which calls it with the options of bpf-linker.
. "$(dirname "$0")/common.sh"
needs python3

compile prog -flto <<'END'
int helper(int x);
struct wrapping { int inner; } total;
char LICENSE[] SEC("license") = "GPL";
SEC("syscall") int prog(void *ctx) { return helper(20) + 2; }
END
compile lib -flto <<'END'
int helper(int x) { return 2 * x; }
SEC("tc") int other(void *ctx) { return 1; }
END
printf 'prog\nLICENSE\n' >symbols
compile undefined <<<'extern int absent; int use(void) { return absent; }'
mv undefined.o symbols.o # with the names for other linkers: it is no input
compile metadata <<<'int x SEC(".rmeta") = 7;'
cp metadata.o lib.rmeta
cp metadata.o lib.rmeta-link
llvm-ar-19 rc lib.rlib lib.rmeta lib.rmeta-link lib.o
mkdir rust
ln -s "$BPFLINK" rust/bpf-linker

# rustc ARGUMENT...: links as rustc does
rustc() {
  rm -f out.o
  "${linker:-rust/bpf-linker}" --export-symbols symbols symbols.o prog.o lib.rlib -L raw-dylibs --cpu generic -o out.o \
    -O3 --debug "$@" >text 2>&1
}

for linker in rust/bpf-linker "$BPFLINK"; do
  rustc || fail "$(<text)"
  [[ ! -s text ]] || fail "printed: $(<text)"
  python3 "$bpfobj" check out.o
  expect $'other\nprog' eval "symbols | awk '\$2 == \"FUNC\" { print \$1 }' | sort"
  # Members are linked whole, but for the metadata of Rust.
  ! grep -q rmeta <(sections) || fail 'metadata is linked'
done
unset linker

# What another linker does not know, this one takes, in any order and more than once.
rustc -O0 -Oz --cpu v3 --cpu=v2 --cpu-features=+alu32 --btf --export a,b --export c --target=bpfel --unroll-loops \
  --ignore-inline-never --llvm-args=--inline-threshold=0,--unknown --dump-module dump --disable-memory-builtins \
  --disable-expand-memcpy-in-order --allow-bpf-trap --fatal-errors true --log-level error --log-file log --emit=obj \
  --emit=asm || fail "$(<text)"
python3 "$bpfobj" check out.o
[[ -e out.o.lto.bc ]] || fail 'no bitcode of --dump-module'
rustc --emit asm --emit obj
grep -q '^prog:' out.o || fail 'no assembly'
rustc --gc-sections --license MIT
expect '4d 49 54 00' bytes license

# The names of types are those that kernels take.
llvm-dis-19 prog.o -o prog.ll
sed 's/name: "wrapping"/name: "Wrapping<i32>"/' prog.ll | llvm-as-19 - -o prog.o
rustc
types | grep -q 'Wrapping_3C_i32_3E_' || fail "$(types)"

# refused TEXT ARGUMENT...
refused() {
  if rustc "${@:2}"; then fail "accepted: ${*:2}"; fi
  grep -qF -- "$1" text || fail "no '$1': $(<text)"
}
refused 'unknown option: --btf-x' --btf-x
refused '--target=x86_64: is no target for BPF' --target=x86_64
refused '--emit llvm: must be one of llvm-bc, asm, llvm-ir, obj' --emit llvm
refused 'cannot open' --export-symbols none
"$BPFLINK" --btf prog.o -o out.o &>text && fail 'options of bpf-linker without its name'
