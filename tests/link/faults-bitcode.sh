#!/bin/bash
# Each system call of a link of bitcode fails once, in bpflink or in bpflink-lto, from where that is started.
# faults.inc says what then holds: bpflink has a message, however bpflink-lto ends.
. "$(dirname "$0")/common.sh"
. "$here/faults.inc"

bitcode a <<<'int shared = 1; SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len + shared; }'
find_llvm
[[ $library ]] || skip "no library of LLVM $version"
calls='pipe2 memfd_create fcntl lseek newfstatat openat read mmap munmap mprotect write ftruncate prctl
  prlimit64 clone3 close'
# The loader of LLVM does not read again.
again=' write '
faulty "$BPFLINK" --lto-library "$library" a.bc -o out/out
echo "$faults faults"
