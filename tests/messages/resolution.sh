#!/bin/bash
# Undefined and duplicate symbols, and licenses that differ
. "$(dirname "$0")/common.sh"

compile_plain() { compile "$1" -g0; }
compile_plain main <<'END'
int helper(int x);
extern int missing;
SEC("socket") int prog(struct __sk_buff *ctx) { return helper(ctx->len) + missing; }
END
compile lib <<<'int helper(int x) { return x; } int missing;'

# Undefined
helper='error undefined-symbol helper main.o:(socket+0x8)'
missing='error undefined-symbol missing main.o:(socket+0x10)'
expect "$helper"$'\n'"$missing" facts main.o
expect_message 'bpflink: error: undefined symbol: wanted
>>> required by -u' "$BPFLINK" lib.o -u wanted -o out.o

# C++ mangles names, so C does not find its definitions.
cat >lib.cpp <<'END'
struct key { int a; };
int helper(key *k, int x) { return k->a + x; }
namespace other { int missing; }
END
clang++-19 --target=bpf -O2 -c lib.cpp -o cpp.o
llvm-ar-19 rc cpp.a cpp.o
expect "$helper"$'\n'"$missing" facts main.o cpp.a
expect_error "cpp.a(cpp.o) defines it as C++: helper(key*, int)"

compile_plain often <<'END'
int f(int x);
SEC("socket") int prog(struct __sk_buff *ctx) {
  return f(1) + f(2) + f(3) + f(4) + f(5) + f(6) + f(7);
}
END
expect_message 'bpflink: error: undefined symbol: f
>>> referenced by often.o:(socket+0x8)
>>> referenced by often.o:(socket+0x20)
>>> referenced by often.o:(socket+0x40)
>>> referenced by often.o:(socket+0x58)
>>> referenced by often.o:(socket+0x70)
>>> referenced 2 more times
>>> -r leaves it to a later link' "$BPFLINK" often.o -o out.o
sed -i 's/ + f(7)//' often.bpf.c
compile_plain often <<<"$(<often.bpf.c)"
refused '>>> referenced 1 more time' often.o

# Duplicate definitions
compile_plain twice <lib.bpf.c
expect 'error duplicate-symbol helper lib.o:(.text+0x0) twice.o:(.text+0x0)
error duplicate-symbol missing lib.o:(.bss+0x0) twice.o:(.bss+0x0)' facts lib.o twice.o
# A definition in a section that the link drops is a duplicate as well.
for name in note other_note; do
  compile_plain $name <<<'int noted __attribute__((section(".note.here"))) = 1;'
  llvm-objcopy-19 --set-section-flags .note.here=readonly $name.o
done
expect 'error duplicate-symbol noted note.o:(.note.here+0x0) other_note.o:(.note.here+0x0)' facts note.o other_note.o

# Licenses
compile_plain gpl <<<'char _license[] SEC("license") = "GPL"; int _version SEC("version") = 1;'
compile_plain mit <<<'char _license[] SEC("license") = "MIT"; int _version SEC("version") = 2;'
expect_message "bpflink: error: 'license' sections differ
>>> GPL in gpl.o
>>> MIT in mit.o
>>> --license TEXT replaces both
bpflink: error: 'version' sections differ
>>> 01 in gpl.o
>>> 02 in mit.o" "$BPFLINK" gpl.o mit.o -o out.o

# What comes after the end of the text differs, and is shown.
compile_plain tail <<<'char _license[] SEC("license") = "GPL\0v2"; int _version SEC("version") = 1;'
expect_message "bpflink: error: 'license' sections differ
>>> GPL in gpl.o
>>> GPL\\0v2 in tail.o
>>> --license TEXT replaces both" "$BPFLINK" gpl.o tail.o -o out.o

# Too many errors in text; JSON has all.
for i in {1..23}; do echo "extern int missing$i;"; done >many.c
echo 'SEC("socket") int prog(void *ctx) { return 0' >>many.c
for i in {1..23}; do echo "+ missing$i"; done >>many.c
echo ';}' >>many.c
compile_plain many <many.c
expect_message 'bpflink: error: undefined symbol: missing1
>>> referenced by many.o:(socket+0x0)
>>> -r leaves it to a later link
bpflink: error: too many errors, the rest is not shown (--error-limit 0 shows all)' \
  "$BPFLINK" many.o --error-limit 1 -o out.o
for limit in '' '--error-limit 0'; do
  "$BPFLINK" many.o $limit -o out.o 2>errors && fail 'the link succeeds'
  grep -c 'undefined symbol' errors
done >counts
expect $'20\n23' cat counts

# A failing link takes hardly longer than a good one, although it searches the kernel's BTF, which is
# a thousand times as large as the object. Best of many, in microseconds.
best_of() {
  local best=1000000000 start n
  for n in {1..20}; do
    start=${EPOCHREALTIME/./}
    "$@" >stdout 2>&1 || true
    n=$((${EPOCHREALTIME/./} - start))
    if ((n < best)); then best=$n; fi
  done
  echo "$best"
}
compile calls_nothing <<<'SEC("socket") int prog(void *ctx) { return 1; }'
compile calls_missing <<<'extern int missing(int code); SEC("socket") int prog(void *ctx) { return missing(1); }'
good=$(best_of "$BPFLINK" calls_nothing.o -o out.o)
failed=$(best_of "$BPFLINK" calls_missing.o -o out.o)
((failed < 3 * good)) || mistake "a failed link takes $failed us, a good one $good"
