#!/bin/bash
# What cannot be read in a directory is not absent: a kernel or an object is an error, of another file
# a warning tells. What is not a regular file is not read.
. "$(dirname "$0")/common.sh"

compile trace <<<'struct task { int pid; } __attribute__((preserve_access_index));
SEC("raw_tp/x") int prog(struct task *t) { return t->pid; }'
compile other <<<'int other(int x) { return x; }'
kernel 6.1.0 <<<'struct task { long a; int pid; } task;'

# ends STATUS COMMAND...: the messages are in core.log
ends() {
  local want=$1 status=0
  shift
  timeout 20 "$@" >core.out 2>core.log || status=$?
  [[ $status == "$want" ]] || fail "$*: exit status $status: $(<core.log)"
}

# Special files; a memory limit stops a program that reads on.
mkdir special modules
cp 6.1.0.btf special
mkfifo special/fifo.btf
ln -s /proc/self/pagemap special/x.ko
ln -s /dev/zero special/zero.btf
ln -s nowhere special/gone.btf
ln -s circle special/circle
ln -s /proc/self/pagemap modules/x.ko
(
  ulimit -v 2000000
  ends 0 "$BPFCORE" check trace.o special
  ends 0 "$BPFCORE" check trace.o special --modules modules
  ends 1 "$BTFDEDUP" special -o out.btf
  says 'error: special/x.ko: 0 bytes are too few'
)

mkdir kernels objects
cp 6.1.0.btf kernels/5.10.0.btf
cp 6.1.0.btf kernels/6.1.0.btf
cp trace.o other.o objects
echo text >kernels/README
another_user "$BPFCORE" "$BTFDEDUP"
# as STATUS PROGRAM ARGUMENT...
as() {
  local status=$1 program=$2
  shift 2
  ends "$status" "${as_user[@]}" "$programs/$program" "$@"
}

mkdir -m 777 out
chmod 0 kernels/README
as 0 bpfcore check trace.o kernels
says 'warning: kernels/README: cannot open: Permission denied'
as 0 bpfcore minimize trace.o kernels -o out/minimized
says 'warning: kernels/README: cannot open: Permission denied'
chmod 0 kernels/5.10.0.btf
as 2 bpfcore check trace.o kernels
says 'error: kernels/5.10.0.btf: cannot open: Permission denied'
as 1 bpfcore minimize trace.o kernels -o out/minimized
as 1 btfdedup kernels -o out/btf
says 'error: kernels/5.10.0.btf: cannot open: Permission denied'
as 1 btfdedup --base kernels objects/trace.o -o out/btf
chmod 0 objects/other.o
as 1 btfdedup objects -o out/btf
says 'error: objects/other.o: cannot open: Permission denied'
as 1 btfdedup --check objects

# Modules are optional; which were not read is told.
cp 6.1.0.btf modules/module
cp 6.1.0.btf modules/named.ko
chmod 0 modules/module modules/named.ko
as 0 bpfcore check trace.o 6.1.0.btf --modules modules
says 'warning: modules/module: cannot open: Permission denied'
says 'warning: modules/named.ko: cannot open: Permission denied'

# Behind a directory that may not be searched.
mkdir hidden
cp 6.1.0.btf hidden/linked.btf
ln -s ../hidden/linked.btf kernels/linked.btf
chmod 644 kernels/5.10.0.btf
chmod 700 hidden
((EUID == 0)) || chmod 0 hidden
as 2 bpfcore check trace.o kernels
says 'error: kernels/linked.btf: cannot open: Permission denied'
rm kernels/linked.btf
chmod 744 kernels # names, but no files
((EUID == 0)) || chmod 444 kernels
as 2 bpfcore check trace.o kernels
says ': cannot open: Permission denied'
chmod 755 kernels hidden

# A configuration as well
mkdir beside
cp 6.1.0.btf beside
echo CONFIG_BPF=y >beside/config-6.1.0
chmod 0 beside/config-6.1.0
as 2 bpfcore check trace.o beside/6.1.0.btf
says 'error: beside/config-6.1.0: cannot open: Permission denied'
