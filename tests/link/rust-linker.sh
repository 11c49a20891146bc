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
printf 'prog\nLICENSE\ntotal\n' >symbols
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
cp symbols list
! rust/bpf-linker --export-symbols list symbols.o prog.o lib.rlib -o out.o &>text || fail 'an input is left out'
[[ $(<text) == *'undefined symbol: absent'* ]] || fail "$(<text)"

# All options of bpf-linker 0.10, as its parser takes them: "--cpu v3" and "--cpu=v3", "-O2", "-O 2" and "-O=2". Each does
# what it says, or is refused with a reason.
while IFS=' ' read -r option value reason; do
  case $option in
    --*) spellings=("$option${value:+=$value}" "$option${value:+ $value}") ;;
    *) spellings=("$option$value" "$option $value" "$option=$value") ;;
  esac
  for spelling in "${spellings[@]}"; do
    rm -f out.o
    # shellcheck disable=SC2086 # a space separates the value
    if rust/bpf-linker prog.o lib.rlib $spelling $([[ $option == -o ]] || echo -o out.o) &>text; then
      [[ -z $reason ]] || fail "accepted: $spelling"
      [[ -s out.o ]] || fail "nothing written: $spelling"
    elif [[ -z $reason || $(<text) != *"$reason"* ]]; then
      fail "$spelling: $(<text)"
    fi
  done
done <<'END'
--target bpf
--target bpfel-unknown-none
--target bpfeb is little-endian, but --target is big-endian: compile it for that
--target bpfx is not a BPF target
--cpu v2
--cpu v77 LLVM does not know the processor v77
--cpu-features +alu32
--cpu-features +none LLVM does not know all processor features
-o out.o
--emit llvm-bc
--emit asm
--emit llvm-ir
--emit obj
--emit llvm must be one of llvm-bc, asm, llvm-ir, obj
--btf
--debug
--allow-bpf-trap
-L raw-dylibs
-O 0
-O 1
-O 2
-O 3
-O s
-O z
-O 4 must be one of 0, 1, 2, 3, s, z
--export-symbols symbols
--export prog,other
--log-file log
--log-level error
--log-level trace
--log-level 3
--log-level loud must be one of error, warn
--unroll-loops
--ignore-inline-never
--dump-module dump/here
--llvm-args --inline-threshold=0,--unroll-threshold=4
--llvm-args --inline-threshold=0,--no-such-thing has no switch --no-such-thing (--llvm-args)
--disable-expand-memcpy-in-order
--disable-memory-builtins
--fatal-errors true
--fatal-errors false an error ends the link
--fatal-errors perhaps must be one of true, false
END
for name in pre-opt post-opt; do llvm-as-19 dump/here/$name.ll -o module.bc || fail "--dump-module writes no $name.ll"; done
for level in 3 error; do
  rm log
  rustc --log-level $level --log-file log
  grep -v -x -F -f text log && fail 'another text in the file'
  [[ $level == error || -s log ]] || fail 'no messages in the file'
done
# A log is no way into another file, and waits for nobody.
mkfifo pipe
refused_log() { ! rustc --log-file "$1" 2>text && grep -qF -e "--log-file $1: cannot open output file: $2" text || fail "$1: $(<text)"; }
refused_log pipe 'No such device or address'
if ((EUID == 0)); then
  mkdir -m 1777 shared && echo precious >precious && ln -s "$PWD/precious" shared/trap && chown -h 65534 shared/trap
  refused_log shared/trap "'shared/trap' is another user's link in a shared directory"
  [[ $(<precious) == precious ]] || fail 'a log follows a link of another user'
fi
for option in -V --version; do rust/bpf-linker $option | has '[0-9]' || fail "no version: $option"; done
rust/bpf-linker --help >text
[[ -z $(grep -oE '^  (-.,)?-[-a-zA-Z]+' text | grep -oE -- '-[-a-zA-Z]+$' | sort | uniq -d) ]] || fail "twice in --help: $(<text)"
# Options may come more than once.
rustc -O0 -Oz --cpu v3 --cpu=v2 --export a,b --export c --emit=obj --emit=asm || fail "$(<text)"
python3 "$bpfobj" check out.o
rustc --emit asm --emit obj
grep -q '^prog:' out.o || fail 'no assembly'
# rustc names its outputs, and may do so again.
mv out.o again.s
rust/bpf-linker --cpu generic prog.o lib.rlib --emit asm -o again.s &>text || fail "$(<text)"
rustc --gc-sections --license MIT
expect '4d 49 54 00' bytes license

# rustc exports what code generation calls, which is for no one else.
compile built_in -fno-builtin <<<'void *memset(void *to, int value, __SIZE_TYPE__ size) { return to; } int wanted(void) { return 1; }'
rustc --gc-sections --export memset,wanted built_in.o
expect $'other\nprog\nwanted' eval "symbols | awk '\$2 == \"FUNC\" { print \$1 }' | sort"

# Crates declare it in their own ways.
compile own -w <<<'__weak int memset(int to, int value) { return to; }'
rustc built_in.o own.o || fail "$(<text)"
[[ ! -s text ]] || fail "printed: $(<text)"

# What libbpf refuses and aya takes: maps of the old kind, helpers of the GPL without a license.
compile aya <<'END'
struct { int type, key, value, entries, flags; } map SEC("maps") = { 2, 4, 4, 1, 0 };
SEC("tc") int time(void *ctx) { return ((int (*)(const char *, int, ...))6)("", 1); }
END
"$BPFLINK" aya.o -o out.o 2>text
[[ $(<text) == *'refuse maps'*'without a GPL license'* ]] || fail "$(<text)"
rust/bpf-linker --cpu generic aya.o -o out.o &>text || fail "$(<text)"
[[ ! -s text ]] || fail "printed: $(<text)"

# The names of types are those that kernels take: "Wrapping<é\>".
llvm-dis-19 prog.o -o prog.ll
sed 's/name: "wrapping"/name: "Wrapping<\\C3\\A9\\\\>"/; s/(name: "total"/(name: "to<tal>"/; /^\^/d' prog.ll | llvm-as-19 -o prog.o
rustc
types | has 'Wrapping_3C__C3__A9__5C__3E_' || fail "$(types)"
# So are they where another program makes the object.
rustc --emit llvm-ir
grep -q 'name: "Wrapping_3C__C3__A9__5C__3E_"' out.o || fail "$(grep '^!.*name' out.o)"
grep -q 'name: "to<tal>"' out.o || fail 'a variable is renamed'

# refused TEXT ARGUMENT...
refused() {
  if rustc "${@:2}"; then fail "accepted: ${*:2}"; fi
  grep -qF -- "$1" text || fail "no '$1': $(<text)"
}
refused 'unknown option: --btf-x' --btf-x
refused '--target=x86_64: is not a BPF target' --target=x86_64
refused 'prog.o: is little-endian, but --target is big-endian: compile it for that' --target=bpfeb
rustc --llvm-args=--no-such-thing && fail 'accepted: a switch that LLVM does not have'
grep -q 'LLVM .* has no switch --no-such-thing (--llvm-args)' text || fail "$(<text)"
refused '--emit llvm: must be one of llvm-bc, asm, llvm-ir, obj' --emit llvm
refused '--emit makes no object, for reports or a skeleton' --emit llvm-ir -Map map
refused 'cannot open' --export-symbols none
printf 'prog\n\1\n' >list
refused 'line 2 is not the name of a symbol' --export-symbols list
refused 'LLVM does not know all processor features in +alu32,+none (--cpu-features)' --cpu-features +alu32,+none
compile bare -flto -g0 <<<'SEC("tc") int bare(void *ctx) { return 1; }'
rust/bpf-linker --cpu generic bare.o -o out.o &>text || fail "$(<text)"
grep -q '>>> compile with -C debuginfo=2: debug = 2 in the profile of Cargo.toml' text || fail "no hint: $(<text)"
"$BPFLINK" --btf prog.o -o out.o &>text && fail 'options of bpf-linker without its name'

# ---- What LLVM is asked for

compile generic -flto -mcpu=generic <<'END'
int helper(int x);
SEC("syscall") int prog(void *ctx) { return helper(20) + 2; }
END
compile v3 -flto <<'END'
volatile int calls;
__attribute__((noinline)) int helper(int x) { return 2 * x + calls; }
END
cp generic.o prog.o
llvm-ar-19 rc lib.rlib lib.rmeta v3.o
llvm-ar-19 d lib.rlib lib.o
calls() { [[ $(llvm-objdump-19 -d -j syscall out.o) == *'call -'* ]]; }
# What is generic, as rustc says, becomes what files in C are compiled for.
rustc || fail "$(<text)"
calls || fail 'noinline is inlined'
[[ $(llvm-objdump-19 -d out.o) == *"w0 "* ]] || fail 'not for v3'
rustc --cpu v2
[[ $(llvm-objdump-19 -d out.o) != *"w0 "* ]] || fail 'not for v2'
rustc --cpu v2 --cpu-features +alu32
[[ $(llvm-objdump-19 -d out.o) == *"w0 "* ]] || fail 'without alu32'
rustc --ignore-inline-never
! calls || fail 'not inlined'
rustc --llvm-args --inline-threshold=0,--force-remove-attribute=noinline
! calls || fail 'the second switch is without effect'
rustc --emit llvm-ir
grep -q '^define.* @prog' out.o || fail 'no IR'
rustc --emit llvm-bc
[[ $(head -c 2 out.o) == BC ]] || fail 'no bitcode'

# ---- The library of LLVM is that of the rustc that calls, if nobody else can change it.

mkdir -m 755 -p sysroot/lib
echo '#include <fcntl.h>
__attribute__((constructor)) static void note(void) { open("'"$PWD"'/loaded", O_CREAT | O_WRONLY, 0600); }' >llvm.c
clang-19 -shared -fPIC llvm.c -o sysroot/lib/libLLVM.so.99.1-rust-2.0.0
echo 'INPUT(libLLVM.so.99.1-rust-2.0.0)' >sysroot/lib/libLLVM-99-rust-2.0.0.so
: >sysroot/lib/librustc_driver-1.so
cat >rustc.py <<'END'
import ctypes, mmap, os, subprocess, sys
keep = []
for name in sys.argv[1].split(","):
    with open("sysroot/lib/" + name, "ab+") as file:
        file.seek(0, 2) or file.write(b"-")
        file.flush()
        keep.append(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
linker = subprocess.Popen(sys.argv[3:], stdin=subprocess.PIPE)
os.setresuid(*[int(sys.argv[2])] * 3)
ctypes.CDLL(None).prctl(4, 1)  # PR_SET_DUMPABLE: /proc shows it as any other process
linker.communicate(b"\n")
sys.exit(linker.returncode)
END
# loads yes|no MAPPED [USER]: whether a rustc that has these files mapped, and runs as USER, has its library loaded
loads() {
  local status=no
  rm -f loaded
  python3 rustc.py "$2" "${3:-$EUID}" sh -c 'read -r go && rust/bpf-linker --cpu generic prog.o lib.rlib -o out.o' || fail "$2: the link fails"
  if [[ -e loaded ]]; then status=yes; fi
  [[ $status == "$1" ]] || fail "$2: loads its library: $status"
}
driver=librustc_driver-1.so
loads yes $driver,libLLVM.so.99.1-rust-2.0.0
loads yes $driver
if ((EUID == 0)); then loads no $driver 65534; fi
loads no libLLVM.so.99.1-rust-2.0.0
rm sysroot/lib/libLLVM-99*
loads yes $driver
chmod o+w sysroot
loads no $driver
chmod o-w sysroot
mv sysroot/lib/libLLVM.so.99.1-rust-2.0.0 libLLVM.so
loads no $driver
