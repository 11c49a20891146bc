#!/bin/bash
# A file that is no BPF object is an error of one line, which names the file and its format. The
# link creates nothing, keeps an existing target, and leaves no temporary file.
. "$(dirname "$0")/common.sh"

compile good <<<'SEC("socket") int prog(void *ctx) { return 1; }'
compile big --target=bpfeb <<<'SEC("socket") int other(void *ctx) { return 1; }'
echo 'int number;' >number.c
"$CC" --target=x86_64 -c number.c -o x86.o
"$CC" --target=i386 -c number.c -o i386.o
"$CC" --target=bpf -S number.c -o text.o
llvm-ar-19 rc empty.a
llvm-ar-19 rc x86.a x86.o
mkdir directory.o
: >empty.o
head -c 4096 /dev/urandom >random.o
printf '\177ELF' >magic-only.o

echo 'what was there' >target.o
touch -d '2001-01-01' target.o

# refused TEXT ARGUMENT...: the link fails with TEXT
refused() {
  local text=$1
  shift
  link_fails "$@"
  expect_error "$text"
  [[ $(grep -c '^bpflink: error: ' errors) == 1 && $(wc -l <errors) == 1 ]] ||
    fail "not one line:"$'\n'"$(<errors)"
  "$BPFLINK" "$@" -o target.o 2>/dev/null && fail 'the second link succeeds'
  [[ $(<target.o) == 'what was there' && $(stat -c %y target.o) == 2001-01-01* ]] ||
    fail 'the existing target was touched'
}

touch errors stdout before
ls -A >before
refused x86.o good.o x86.o
refused x86 x86.o
refused i386.o good.o i386.o
refused 32-bit i386.o
refused text.o text.o
refused directory directory.o
refused empty empty.o
refused random.o random.o
refused magic-only.o magic-only.o
refused empty.a good.o empty.a
refused 'x86.a' good.o x86.a
refused /dev/null /dev/null
refused missing.o good.o missing.o
refused 'No such file' missing.o
refused big.o good.o big.o
refused endian good.o big.o
ls -A | diff before - || fail 'files were left behind'

# One run names all bad inputs.
link_fails x86.o missing.o good.o empty.o
expect_error x86.o
expect_error missing.o
expect_error empty.o
