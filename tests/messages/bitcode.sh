#!/bin/bash
# Inputs that are LLVM bitcode: what the linker, bpflink-lto and LLVM say of them.
. "$(dirname "$0")/common.sh"

"$CC" -g -O2 --target=bpf -mcpu=v3 -flto -c -x c - -o main.bc <<'END'
char LICENSE[] __attribute__((section("license"))) = "GPL";
int scale(int x);
__attribute__((section("xdp"))) int prog(void *ctx) { return scale(20); }
END
"$CC" -g -O2 --target=bpf -mcpu=v3 -flto -c -x c - -o lib.bc <<<'int calls; int scale(int x) { ++calls; return 2 * x; }'
"$BPFLINK" main.bc lib.bc -o good.o 2>errors || skip "$(<errors)"
made_by=$("$BPFLINK" --lto-library ./none.so main.bc -o out.o 2>&1 | sed -nE 's/.*, of (LLVM[^:]*):.*/\1/p' || true)
find_llvm "${made_by#LLVM}"

# fails TEXT ARGUMENT...: the link fails with this error
fails() { expect_message "bpflink: error: $1" "$BPFLINK" "${@:2}" -o out.o; }

# ---- LLVM

fails "main.bc: is LLVM bitcode, of $made_by: cannot load LLVM: ./none.so: cannot open shared object file: No such file or directory" \
  --lto-library ./none.so main.bc
echo 'int f;' | cc -shared -x c - -o other.so
fails "main.bc: is LLVM bitcode, of $made_by: the library of LLVM has no LLVMContextCreate" --lto-library ./other.so main.bc

# Identification blocks (LLVM Bitcode File Format): of LLVM59.1.0, and with a record of 2^60 elements that take no bits,
# an array of the literal 1
for file in later:23505881156ca115ea200fdc200edc000e86100000000000 many:6214b0010404411004411004413000000000000000000000; do
  python3 -c 'import sys; sys.stdout.buffer.write(b"BC" + bytes.fromhex("c0de3514000000000000" + sys.argv[1]))' \
    "${file#*:}" >"${file%:*}.bc"
done
"$BPFLINK" main.bc later.bc -o out.o 2>errors && fail 'later.bc links'
sed -i -E 's/only of ([0-9]+, )*'"$version"'(, [0-9]+)*:/only of those here:/' errors
grep -qxF 'bpflink: error: later.bc: is LLVM bitcode, of LLVM59.1.0: there is no library of LLVM 59 or newer, only of those here: install libLLVM (Debian: libllvm59), or name one with --lto-library' \
  errors || mistake "$(<errors)"
fails "later.bc: is LLVM bitcode, of LLVM59.1.0: $library is of LLVM $version, and LLVM 59 made the bitcode" \
  --lto-library "$library" later.bc
timeout 20 "$BPFLINK" --lto-library ./none.so many.bc -o out.o 2>errors && fail 'many.bc links'
grep -q '^bpflink: error: many.bc: is LLVM bitcode, of an unknown compiler: ' errors || mistake "$(<errors)"

# ---- files

"$CC" -flto --target=x86_64-linux-gnu -c -x c - -o native.bc <<<'int x;'
native='bpflink: warning: native.bc: is LLVM bitcode for x86_64-unknown-linux-gnu, compiled for BPF all the same: compile with --target=bpf, or say --lto-target bpf'
for option in --verify --prefix-symbols=my_; do
  "$BPFLINK" $option native.bc -o out.o 2>errors || mistake "$(<errors)"
  [[ $(<errors) == "$native" ]] || mistake "$(<errors)"
  "$BPFLINK" --lto-target bpf $option native.bc -o out.o 2>errors || mistake "$(<errors)"
  [[ ! -s errors ]] || mistake "$(<errors)"
done
"$CC" -flto --target=i386-linux-gnu -c -x c - -o small.bc <<<'int x;'
fails 'small.bc: is LLVM bitcode for i386-unknown-linux-gnu: compile with --target=bpf' --lto-target bpf small.bc
fails '--lto-target x86: is not bpf, the only target (see bpflink --help)' --lto-target x86 native.bc
llvm-as-19 -o nowhere.bc <<<'define void @f() { ret void }'
fails 'nowhere.bc: is LLVM bitcode for no target: compile with --target=bpf' nowhere.bc
# Cut off anywhere, also between blocks: an identification, the module, its symbols, their names
for size in $(python3 -c '
file = open("main.bc", "rb").read()
at = 4
while at < len(file):  # Blocks are aligned to four bytes, and the second word is their size.
    print(at, at + 3, at + 4, at + 8, at + 12)
    at += 8 + 4 * int.from_bytes(file[at + 4:at + 8], "little")
print(len(file) - 1)'); do
  head -c "$size" main.bc >short.bc
  fails 'short.bc: is LLVM bitcode that is cut off' main.bc short.bc
done
for header in '\xde\xc0\x17\x0b' '\xde\xc0\x17\x0b\0\0\0\0\xff\0\0\0\xff\0\0\0\0\0\0\0'; do
  # shellcheck disable=SC2059
  printf "$header" >wrapped.bc
  fails 'wrapped.bc: is LLVM bitcode that is cut off' wrapped.bc
done
"$CC" -g -O2 --target=bpf -mcpu=v1 -flto -c -x c - -o v1.bc <<<'int scale(int x) { return 2 * x; }'
fails 'v1.bc: is compiled for -mcpu=v1, but main.bc for -mcpu=v3: compile both for one, or choose with --lto-cpu' main.bc v1.bc
"$CC" -g -O2 --target=bpf -Xclang -target-feature -Xclang +alu32 -flto -c -x c - -o alu.bc <<<'int other(int x) { return 2 * x; }'
if ! "$BPFLINK" v1.bc alu.bc -o out.o 2>errors; then
  grep -qF 'alu.bc: is compiled for -mcpu=' errors || mistake "$(<errors)"
  grep -qF ' with +alu32, but v1.bc for -mcpu=v1: ' errors || mistake "$(<errors)"
fi
# No processor is the one that LLVM takes then.
"$CC" -g -O2 --target=bpf -mcpu=generic -flto -c -x c - -o generic.bc <<<'int two(int x) { return 2 * x; }'
llvm-as-19 -o none.bc <<'END'
target datalayout = "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128"
target triple = "bpfel"
define i32 @one() { ret i32 1 }
END
if ! "$BPFLINK" -q generic.bc none.bc -o out.o 2>errors; then
  [[ $(<errors) == *'none.bc: is compiled for -mcpu=v3, but generic.bc for -mcpu=generic: '* ]] || mistake "$(<errors)"
fi
fails 'main.bc: LLVM does not know the processor V3 (--lto-cpu)' --lto-cpu V3 main.bc
"$CC" -g -O0 --target=bpf -mcpu=v3 -flto -c -x c - -o slow.bc <<<'int calls; int scale(int x) { ++calls; return 2 * x; }'
"$BPFLINK" main.bc slow.bc -o out.o 2>errors || mistake "$(<errors)"
[[ $(head -1 errors) == 'bpflink: warning: slow.bc: was compiled without optimization, and verifiers refuse most such code: compile with -O2' ]] ||
  mistake "$(<errors)"
# LLVM has no names of parameters then. --verify is not needed to say so.
[[ $(<errors) == *'kernels reject this: '*' int scale(int): parameter 1: the parameters of a FUNC have names '* ]] || mistake "$(<errors)"
# What clang 19 writes and LLVM 19 refuses
cat >arena.c <<'END'
struct counter { int x, value; } __attribute__((preserve_access_index));
_Bool *flag;
__attribute__((section("syscall"))) int prog(struct counter __attribute__((address_space(1))) *c)
{
  if (__builtin_expect(c->value, 1)) return *flag;
  return c->x;
}
END
"$CC" -g -O2 --target=bpf -mcpu=v3 -flto -c arena.c -o arena.bc
sed 's/prog/other/' arena.c | "$CC" -g -O2 --target=bpf -mcpu=v3 -flto -c -x c - -o arena2.bc
words='LLVM cannot read what the compiler made: .*; compile without -flto, or with a newer clang'
if ! "$BPFLINK" --threads 1 main.bc lib.bc arena.bc arena2.bc -o out.o 2>errors; then
  [[ $(grep -c 'error: ' errors) == 1 ]] || mistake "not once: $(<errors)"
  grep -qx "arena.c:5:[0-9]*: error: arena.bc: in function prog: $words" errors || mistake "$(<errors)"
  "$BPFLINK" --prefix-symbols my_ arena2.bc -o out.o 2>errors && mistake 'arena2.bc links'
  grep -qx "<stdin>:5:[0-9]*: error: arena2.bc: in function other: $words" errors || mistake "$(<errors)"
fi
# The joined object has no DWARF; variables have their places all the same.
"$CC" -g -O2 --target=bpf -mcpu=v3 -flto -c -x c - -o pointer.bc <<'END'
int target = 3;
static int *volatile pointer = &target;
__attribute__((section("tc"), used)) int reads(void *ctx) { return *pointer; }
END
"$BPFLINK" main.bc lib.bc pointer.bc -o out.o 2>errors && mistake 'pointer.bc links'
[[ $(<errors) == "<stdin>:2: error: a program reads a pointer in 'pointer'"* ]] || mistake "$(<errors)"
for keep in --keep-debug --no-warn-odr; do
  "$BPFLINK" -r main.bc lib.bc pointer.bc $keep -o out.o
  [[ $(llvm-readelf-19 -S out.o) == *.debug_info* ]] && kept=--keep-debug || kept=--no-warn-odr
  [[ $kept == "$keep" ]] || mistake "$keep: DWARF"
done
# Assembly that LLVM refuses: with the call, in the file that has it
cat >asm.c <<'END'
static inline int inner(int x) { asm volatile("bogus %0 , 5" : "+r"(x)); return x; }
int by_assembly(int *ctx)
{
  asm volatile("r1 = 1\n\t"
               "r77 = 2;r2 = $2" ::: "r1");
  asm volatile("r1 = %w0" ::"r"(*ctx)); // invalid for some versions of LLVM
  return inner(*ctx);
}
END
for debug in -g -g0; do
  "$CC" $debug -O2 --target=bpf -mcpu=v3 -flto -c asm.c -o asm.bc
  "$BPFLINK" main.bc lib.bc asm.bc -u by_assembly -o out.o 2>errors && mistake 'asm.bc links'
  grep -qE "error: asm.bc: in function by_assembly, 'r77 = 2; ?r2 = \\\$2': [^<]*$" errors || mistake "$(<errors)"
  grep -qE "error: asm.bc: in function (inner|by_assembly), 'bogus r[0-9] , 5': [^<]*$" errors || mistake "$(<errors)"
  [[ $debug == -g0 ]] || [[ $(grep -cE '^asm.c:(4:3|6:3|1:34): error' errors) == $(grep -c error: errors) ]] || mistake "$(<errors)"
done
# Inline assembly names a static function, and another file has one of the name.
for i in 1 2; do
  "$CC" -g -O2 --target=bpf -mcpu=v3 -flto -c -x c - -o asm$i.bc <<END
static __attribute__((used, naked)) int helper(void) { asm volatile("r0 = $i; exit;"); }
__attribute__((section("syscall"))) int prog$i(void *ctx)
{
  int r;
  asm volatile("call helper; %0 = r0" : "=r"(r)::"r0", "r1", "r2", "r3", "r4", "r5");
  return r;
}
END
done
fails 'asm2.bc: has a symbol helper, as asm1.bc does, and inline assembly uses that, a static one, by its name: rename one of them' \
  asm1.bc asm2.bc
"$CC" -g -O2 --target=bpfeb -mcpu=v3 -flto -c -x c /dev/null -o big.bc
fails 'big.bc: is big-endian, but main.bc is little-endian (compile all for one --target)' main.bc big.bc

# Nothing needs what a file defines: its source has no #if that a hint could blame.
"$CC" -g -O2 --target=bpf -flto -c -x c - -o unused.bc <<<'void takes(struct { int a; } *x) {}'
"$BPFLINK" unused.bc -o out.o 2>errors
[[ $(<errors) == 'bpflink: warning: unused.bc: has nothing to link
>>> LLVM dropped takes, which nothing needs: -u takes keeps it' ]] || mistake "$(<errors)"
"$BPFLINK" unused.bc -u takes --fatal-warnings -q -o out.o || mistake '-u does not keep a function'

# What code generation calls and no file defines
"$CC" -g -O2 --target=bpf -mcpu=v3 -flto -c -x c - -o large.bc <<'END'
char buffer[4096];
__attribute__((section("tc"))) int prog(void *ctx) { __builtin_memset(buffer, 3, sizeof buffer); return buffer[9]; }
END
"$BPFLINK" -q large.bc -o out.o 2>errors && mistake 'large.bc links'
grep -qF "A call to built-in function 'memset' is not supported" errors || mistake "$(<errors)"

# What the backend refuses, with its place
cat >many.c <<'END'
__attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f) { return a * b + c * d * e * f; }
__attribute__((section("tc"))) int go(long *ctx)
{
  return many(ctx[0], ctx[1], ctx[2], ctx[3], ctx[4], ctx[5]) + many(ctx[5], ctx[4], ctx[3], ctx[1], ctx[6], ctx[7]);
}
END
"$CC" -g -O2 --target=bpf -mcpu=v3 -flto -c many.c -o many.bc
# Its words depend on the version.
if ! "$BPFLINK" -q main.bc lib.bc many.bc -o out.o 2>errors; then
  grep -qE '^many.c:1: error: many.bc: in function many ' errors || mistake "no place: $(<errors)"
  grep -qE '^many.c:4:10: error: many.bc: in function go i32 \(ptr\): too many arg' errors || mistake "no place: $(<errors)"
fi


# ---- options

fails '--lto-emit-asm makes no object, for reports or a skeleton' --lto-emit-asm --json report main.bc lib.bc
fails '--lto-emit-asm: no input is LLVM bitcode' --lto-emit-asm good.o
fails '--lto-emit-asm: no input is LLVM bitcode' --lto-emit-asm --prefix-symbols my_ main.bc lib.bc

touch file
fails '--lto-cache file/cache: Not a directory' --lto-cache file/cache main.bc lib.bc

# ---- bpflink-lto

lto=$(dirname "$BPFLINK")/bpflink-lto
status=0
"$lto" file 2>errors || status=$?
[[ $status == 2 && $(<errors) == 'bpflink-lto: compiles LLVM bitcode for bpflink, which runs it itself' ]] || mistake "$(<errors)"

# What the joined object defines is of one file.
for i in 1 2 3 4; do bitcode "some_$i" <<<"int some_$i;"; done
bitcode keyed <<<'struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4); __uint(key_size, 8); __type(value, int); } keyed SEC(".maps");'
"$BPFLINK" some_?.bc keyed.bc -o out.o 2>errors
grep -qE "^>>> +defined in .*keyed.bpf.c:1 \(keyed.bc\)$" errors || mistake "$(<errors)"

mkdir bin
cp "$BPFLINK" bin
if ! bin/bpflink main.bc lib.bc -o out.o 2>errors; then
  directory=$(sed -n 's/.* which is not in //p' errors | head -n 1)
  expect_message "bpflink: error: main.bc: LLVM bitcode needs the program bpflink-lto, which is not in $directory" \
    bin/bpflink main.bc lib.bc -o out.o
fi
BPFLINK_LTO=/no/such/program fails 'main.bc: LLVM bitcode needs the program that BPFLINK_LTO names, /no/such/program: No such file or directory' main.bc lib.bc
for other in /bin/false /bin/true; do
  BPFLINK_LTO=$other fails \
    "main.bc: $other is no bpflink-lto: it gives no answer; BPFLINK_LTO names another one" --threads 2 main.bc lib.bc
done
printf '\177ELF' >no-program
chmod +x no-program
BPFLINK_LTO=./no-program fails 'main.bc: cannot run ./no-program: Exec format error; BPFLINK_LTO names another one' \
  main.bc lib.bc

# program NAME <<SCRIPT
program() {
  { echo '#!/bin/bash' && cat; } >"$1"
  chmod +x "$1"
}
program aborts <<'END'
echo 'LLVM ERROR: cannot do this' >&2
kill -ABRT $$
END
BPFLINK_LTO=./aborts fails 'main.bc: LLVM gave up: cannot do this' main.bc
program crashes <<<'kill -SEGV $$'
BPFLINK_LTO=./crashes fails 'main.bc: LLVM crashed: Segmentation fault; --lto-library chooses another one' main.bc
# It has said which release it is: kind 6, of module 0, 7 bytes.
program crashes <<<"printf '\6%015d\7%07dLLVM 99' 0 0 | tr 0 '\0' >&3; kill -SEGV \$\$"
BPFLINK_LTO=./crashes fails 'main.bc: LLVM 99 crashed: Segmentation fault; --lto-library chooses another one' main.bc
sed -i 's/kill .*/exit $STATUS/' crashes
STATUS=3 BPFLINK_LTO=./crashes fails 'main.bc: bpflink-lto ended with status 3' main.bc
STATUS=0 BPFLINK_LTO=./crashes fails 'main.bc: LLVM made no object' main.bc
program crashes-then <<END
[[ ! -e ran ]] || kill -SEGV \$\$
touch ran
exec $lto
END
BPFLINK_LTO=./crashes-then fails 'main.bc and 1 more file of bitcode: LLVM crashed: Segmentation fault; --lto-library chooses another one' --threads 1 main.bc lib.bc

# What LLVM says of one line many times is said once.
"$CC" -g -O2 --target=bpf -mcpu=v3 -flto -c -x c - -o repeated.bc <<'END'
extern int six(int, int, int, int, int, int) __attribute__((section(".ksyms")));
__attribute__((section("tc"))) int prog(int *ctx) {
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += six(1, 2, 3, 4, 5, i);
  return sum;
}
END
"$BPFLINK" repeated.bc -o out.o 2>errors && fail 'repeated.bc links'
[[ $(grep -c 'error: ' errors) == 1 ]] || mistake "$(<errors)"
