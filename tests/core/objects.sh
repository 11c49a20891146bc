#!/bin/bash
# Objects that no kernel can be asked about, or that are for another machine.
. "$(dirname "$0")/common.sh"

kernel plain <<<'void init(void) {}'
compile two <<<'SEC("xdp") int one(void *ctx) { return 1; } SEC("xdp") int two(void *ctx) { return 2; }'

# Objects that are no programs yet: what is not linked, and what has none.
compile unlinked <<<'extern int other(void); SEC("raw_tp") int calls(void *ctx) { return other(); }'
core 2 check unlinked.o plain.btf
says "bpfcore: error: unlinked.o: does not define 'other': link it with the object that does"
compile weak <<<'extern int other(void) __attribute__((weak)); SEC("tc") int prog(void *c) { return other ? other() : 0; }'
core 2 check weak.o plain.btf
says "bpfcore: error: weak.o: does not define 'other': link it with the object that does"
core 0 minimize unlinked.o plain.btf -o parts
head -c 200 two.o >short.o
core 1 check unlinked.o short.o two.o plain.btf none.o --release 6.6.0 --table
says "bpfcore: error: unlinked.o: does not define 'other': link it with the object that does"
says 'bpfcore: error: short.o: '
says 'bpfcore: error: none.o: '
[[ $(tail -n 1 core.out) == '2 of 2 programs fit plain.btf' ]] || fail "$(<core.out)"
core 2 check two.o none.btf
says 'bpfcore: error: none.btf: '
compile library <<<'int other(void) { return 1; }'
compile own <<<'SEC("own_way") int own(void *ctx) { return 2; }'
core 0 check own.o library.o plain.btf
says 'bpfcore: library.o has no program'
says '>>> the program that loads them must set one'

# A kernel loads no code of the other byte order.
"$CC" -g -O2 --target=bpfeb -x c -c - -o other.o <<<'__attribute__((section("socket"))) int prog(void *ctx) { return 1; }'
fits 'progX' other.o plain.btf
says 'error: the object is big-endian, and the kernel is little-endian in plain.btf'
core 1 minimize other.o plain.btf -o minimized
says 'other.o: plain.btf: the object is big-endian, and the kernel is little-endian'
[[ ! -e minimized ]] || fail 'minimized BTF for another machine'
"$CC" -g -O2 --target=bpfeb -I"/usr/include/$(uname -m)-linux-gnu" -c plain.kernel.c -o big.kernel.o
llvm-objcopy-19 --dump-section .BTF=big.btf big.kernel.o
core 1 check two.o big.btf
says 'error: the object is little-endian, and the kernel is big-endian in big.btf'
says "compile it for the kernel's machine, with --target=bpfel or bpfeb"
