#!/bin/bash
# An input that is truncated while it is mapped is one error that names it, with the exit status of
# other errors. The old output stays, and no temporary file does. The programs have the input mapped
# for a second before they go on.
. "$(dirname "$0")/common.sh"

strace -D -qq -e trace=none true 2>/dev/null || skip 'strace may not trace a program here'
export ASAN_OPTIONS=detect_leaks=0 # LeakSanitizer fails under strace

compile cut <<<'struct pair { int a, b; };
SEC("socket") int prog(struct __sk_buff *ctx) { struct pair p = {ctx->len}; return p.a; }'
compile next <<<'int other(int x) { return x; }'
cp cut.o whole.o
llvm-ar-19 rcT thin.a cut.o
llvm-objcopy-19 --dump-section .BTF=kernel.btf cut.o
cp cut.o program.o
mkdir out

# Where a file system has no files without a name, as here without /proc, a temporary file must go.
without_names=()
if ((EUID == 0)) && unshare -m mount -t tmpfs none /proc 2>/dev/null; then
  without_names=(unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' sh)
  # In a root of its own, strace sees other paths of such a process than the process itself.
  "${without_names[@]}" sh -c 'exec sleep 9 <cut.o' &
  until [[ $(readlink "/proc/$!/exe") == */sleep ]]; do sleep 0.01; done
  if [[ $(readlink "/proc/$!/fd/0") != "$PWD/cut.o" ]]; then without_names=(); fi
  kill $!
fi

# has_mapped PID FILE: waits until the process has mapped the file; fails if it ends before
has_mapped() {
  while kill -0 "$1"; do
    if grep -q "/$2\$" "/proc/$1/maps"; then return; fi
    sleep 0.01
  done
  fail "the process ends without $2: $(<errors)"
}

# cut_off STATUS FILE NAME COMMAND...: COMMAND reads the file that is cut off; its error calls it NAME
cut_off() {
  local want=$1 file=$2 name=$3 status=0 process
  shift 3
  cp "$file" saved
  echo 'what was there' >out/file
  strace -D -f -qq -o /dev/null -P "$PWD/$file" -e trace=mmap -e inject=mmap:delay_exit=1000000 \
    "${without_names[@]}" "$@" 2>errors >stdout &
  process=$!
  has_mapped $process "$file"
  truncate -s 0 "$file"
  wait $process || status=$?
  cp saved "$file"
  [[ $status == "$want" ]] || fail "$*: exit status $status: $(<errors)"
  expect "$(basename "$1"): error: $name: was cut off while it was read" cat errors
  [[ ! -s stdout ]] || fail "$*: on standard output: $(<stdout)"
  expect file ls -A out
  expect 'what was there' cat out/file
}
for threads in 1 2; do
  cut_off 1 cut.o cut.o "$BPFLINK" --threads $threads cut.o next.o -o out/file
done
cut_off 1 cut.o 'thin.a(cut.o)' "$BPFLINK" --whole-archive thin.a next.o -o out/file
cut_off 1 cut.o 'thin.a(cut.o)' "$BTFDEDUP" thin.a -o out/file
cut_off 1 cut.o cut.o "$BTFDEDUP" --check cut.o
cut_off 1 cut.o cut.o "$BPFSKEL" cut.o -o out/file
cut_off 2 kernel.btf kernel.btf "$BPFCORE" check program.o kernel.btf --json out/file
cut_off 1 kernel.btf kernel.btf "$BPFCORE" minimize program.o kernel.btf --release 6.1 --archive out/file

# Two workers may read an input that is cut off: the second SIGBUS comes while the first one is reported.
cat >cut_off.py <<'END'
import os, random, struct, subprocess, sys, time
random.seed(1)
count = 60000
names = b'\0' + b''.join(b'name_%05d\0' % i for i in range(count))
types = struct.pack('<IIII', 1, 1 << 24, 4, 32)
types += b''.join(struct.pack('<6I', 1 + 11 * i, 4 << 24 | 1, 8, 1 + 11 * i, max(1, i - 5), 0) for i in range(1, count))
blob = struct.pack('<HBBIIIII', 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(names)) + types + names
for attempt in range(int(sys.argv[2])):
    for file in ('first.btf', 'second.btf'): open(file, 'wb').write(blob)
    process = subprocess.Popen([sys.argv[1], 'first.btf', 'second.btf', '--threads', '2', '-o', 'out.btf'], stderr=subprocess.PIPE)
    time.sleep(random.random() * 0.04)
    for file in ('first.btf', 'second.btf'): os.truncate(file, 4096)
    text = process.communicate()[1]
    if process.returncode not in (0, 1): sys.exit('attempt %d: status %d: %r' % (attempt, process.returncode, text))
    if process.returncode == 1 and text.count(b'\n') != 1: sys.exit('attempt %d says %r' % (attempt, text))
END
python3 cut_off.py "$BTFDEDUP" 200 || fail 'a process that two workers end has no message'
