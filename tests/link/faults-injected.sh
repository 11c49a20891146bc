#!/bin/bash
# Each system call of the programs fails once: faults.inc says what then holds.
. "$(dirname "$0")/common.sh"

. "$here/faults.inc"

compile a <<<'int shared = 1; SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len + shared; }'
compile b <<<'extern int shared; SEC("xdp") int other(struct xdp_md *ctx) { return ctx->data + shared; }'
compile c <<<'struct task { int pid; } __attribute__((preserve_access_index));
SEC("socket") int prog(void *ctx) { return __builtin_preserve_field_info(((struct task *)0)->pid, 0); }'
compile kernel <<'END'
struct task { long a; int pid; } task;
enum bpf_prog_type programs;
enum bpf_attach_type attach_types;
enum bpf_map_type maps;
enum bpf_func_id helpers;
END
mkdir kernels objects
llvm-objcopy-19 --dump-section .BTF=kernels/6.1.0.btf kernel.o
ln -s 6.1.0.btf kernels/same.btf
cp a.o c.o objects
llvm-ar-19 rcT thin.a c.o
calls='openat newfstatat getdents64 read pread64 lseek readlink access faccessat2 mkdir fchown
  fchmod getxattr fremovexattr flock fcntl memfd_create ftruncate fallocate write pwrite64 writev fsync
  linkat rename renameat close mmap'
again=' openat getdents64 read pread64 write pwrite64 '

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
