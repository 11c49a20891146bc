#!/bin/bash
# From the first call that names an input or output on, each system call fails once, with an error
# or interrupted by a signal. The target is the old one or the whole new one, the exit status is 0,
# or 1 with one message, and no temporary file stays. An interrupted call is repeated.
BTFDEDUP=$(realpath "${BTFDEDUP:?the program to test}")
. "$(dirname "$0")/common.sh"

strace -qq -e trace=none true 2>/dev/null || skip 'strace may not trace a program here'

compile a <<'END'
int shared = 1;
SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len + shared; }
END
compile b <<'END'
extern int shared;
SEC("xdp") int other(struct xdp_md *ctx) { return ctx->data + shared; }
END
calls='openat newfstatat read pread64 lseek readlink access faccessat2 fchmod fcntl memfd_create
  ftruncate fallocate write pwrite64 writev fsync linkat rename renameat close mmap'
again=' openat read pread64 write pwrite64 '

# count CALL: how often the program makes the call before it opens the first input or output
count() { sed -E '/execve/!{/"(a\.o|(here\/)?out\/out|inputs)"/Q}' all | grep -c "^[0-9]* *$1(" || true; }

# inject COMMAND...: COMMAND makes out/out of a.o, and no other file; `want` is the right output
inject() {
  local call error n status
  for call in $calls; do
    [[ $(count "$call") == "$(grep -c "^[0-9]* *$call(" all)" ]] && continue
    for error in EIO EINTR; do
      for ((n = $(count "$call") + 1; ; n++)); do
        cp old out/out
        status=0
        strace -f -qq -o trace -e trace="$call" -e "inject=$call:error=$error:when=$n" "$@" 2>errors >stdout || status=$?
        grep -q INJECTED trace || break
        check "$status" "$call number $n, $error: $(grep INJECTED trace)"
        faults=$((faults + 1))
        if [[ $error == EINTR && $again == *" $call "* && $status != 0 ]]; then
          fail "$call number $n is not made again: $(<errors)"
        fi
      done
    done
  done
}

# check STATUS WHAT
check() {
  local message=$program': error: '
  [[ $1 == 0 || $1 == 1 ]] || fail "$2: exit status $1: $(<errors)"
  expect out ls -A out
  cmp -s out/out want || { [[ $1 == 1 ]] && cmp -s out/out old; } || fail "$2: the target is neither the old nor the new one"
  if [[ $1 == 0 ]]; then
    [[ ! -s errors ]] || fail "$2: says $(<errors)"
  elif [[ $2 != *write\(2,* ]]; then
    [[ $(wc -l <errors) == 1 && $(<errors) == "$message"?* ]] || fail "$2: says $(<errors)"
  fi
}

# faulty COMMAND...: runs COMMAND with all the faults
faulty() {
  program=$(basename "$1")
  cp old out/out
  "$@" >/dev/null
  mv out/out want
  cp old out/out
  strace -f -qq -o all "$@" >/dev/null
  inject "$@"
}

mkdir out
faults=0
echo 'what was there' >old
faulty "$BPFLINK" a.o b.o -o out/out
faulty "$BPFLINK" a.o b.o --verify -o out/out
echo a.o b.o >inputs
faulty "$BPFLINK" @inputs -o out/out
ln -s . here
faulty "$BPFLINK" a.o b.o -o here/out/out
faulty "$BTFDEDUP" a.o b.o -o out/out
cp a.o old
faulty "$BTFDEDUP" --update out/out
echo "$faults faults"
