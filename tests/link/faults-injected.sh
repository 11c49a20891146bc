#!/bin/bash
# From the first call that names an input or output on, each system call fails once, with an error
# or interrupted by a signal. What is in out/ is the old or the whole new state, the exit status is 0,
# or that of an error with one message, and no temporary file stays. An interrupted call is repeated.
for program in BTFDEDUP BPFCORE BPFSKEL; do declare "$program=$(realpath "${!program:?the program to test}")"; done
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
compile c <<'END'
struct task { int pid; } __attribute__((preserve_access_index));
SEC("socket") int prog(void *ctx) { return __builtin_preserve_field_info(((struct task *)0)->pid, 0); }
END
compile kernel <<'END'
struct task { long a; int pid; } task;
enum bpf_prog_type programs;
enum bpf_attach_type attach_types;
enum bpf_map_type maps;
enum bpf_func_id helpers;
END
mkdir kernels objects old
llvm-objcopy-19 --dump-section .BTF=kernels/6.1.0.btf kernel.o
ln -s 6.1.0.btf kernels/same.btf
cp a.o c.o objects
llvm-ar-19 rcT thin.a c.o
calls='openat newfstatat getdents64 read pread64 lseek readlink access faccessat2 mkdir fchown
  fchmod getxattr fremovexattr flock fcntl memfd_create ftruncate fallocate write pwrite64 writev fsync
  linkat rename renameat close mmap'
again=' openat getdents64 read pread64 write pwrite64 '

# count CALL: how often the program makes the call before it opens the first input or output
count() { sed -E '/execve/!{/"([abc]\.o|thin\.a|objects|kernels.*|(here\/)?out\/out|inputs)"/Q}' all | grep -c "^[0-9]* *$1(" || true; }

# inject COMMAND...: want/ and want.stdout are what COMMAND makes of old/
inject() {
  local call error n status
  for call in $calls; do
    [[ $(count "$call") == "$(grep -c "^[0-9]* *$call(" all)" ]] && continue
    for error in EIO EINTR; do
      for ((n = $(count "$call") + 1; ; n++)); do
        rm -rf out
        cp -r old out
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

# is_in STATE: whether out/ is as in STATE/
is_in() { diff -r out "$1" >/dev/null; }

# check STATUS WHAT
check() {
  local message=$program': error: '
  [[ $1 == 0 || $1 == "$failure" ]] || fail "$2: exit status $1: $(<errors)"
  is_in want || { [[ $1 != 0 ]] && is_in old; } || fail "$2: neither the old nor the new state: $(ls -A out)"
  if [[ $1 == 0 ]]; then
    [[ ! -s errors ]] || fail "$2: says $(<errors)"
    cmp -s stdout want.stdout || fail "$2: prints $(<stdout)"
  elif [[ $2 != *write\(2,* ]]; then
    [[ $(wc -l <errors) == 1 && $(<errors) == "$message"?* ]] || fail "$2: says $(<errors)"
  fi
}

# faulty COMMAND...: runs COMMAND with all the faults
faulty() {
  local before=$faults start=$SECONDS
  program=$(basename "$1")
  failure=1
  if [[ $program == bpfcore && $2 == check ]]; then failure=2; fi
  rm -rf out want
  cp -r old out
  "$@" >want.stdout
  mv out want
  cp -r old out
  strace -f -qq -o all "$@" >/dev/null
  inject "$@"
  echo "$((faults - before)) faults in $((SECONDS - start)) s: $program ${*:2}"
}

faults=0
echo 'what was there' >old/out
faulty "$BPFLINK" a.o b.o -o out/out
echo a.o b.o >inputs
ln -s . here
faulty "$BPFLINK" @inputs --verify -o here/out/out
faulty "$BPFLINK" --whole-archive thin.a -o out/out
faulty "$BPFSKEL" c.o -o out/out
faulty "$BTFDEDUP" a.o b.o -o out/out
faulty "$BTFDEDUP" objects thin.a -o out/out
faulty "$BTFDEDUP" --check objects
faulty "$BTFDEDUP" --target linux-5.4 kernels/6.1.0.btf -o out/out
echo '[{"file": "kernels/6.1.0.btf", "build_id": "d34db33f", "config": "config"}]' >manifest
echo CONFIG_BPF=y >config
faulty "$BPFCORE" check c.o kernels --manifest manifest --json out/out
faulty "$BPFCORE" minimize c.o kernels --archive out/out
cp a.o old/out
faulty "$BTFDEDUP" --update out/out
rm old/out
mkdir old/out
faulty "$BPFCORE" minimize c.o kernels -o out/out
echo "$faults faults"
