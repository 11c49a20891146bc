#!/bin/bash
# A call of a static function by its section counts in instructions, whoever wrote the object. Only
# where a relocation is against a defined symbol does GNU as before 2.41 add the symbol's value to
# the field. It is known by its numbers for relocations of data, or by fields that lead nowhere
# otherwise; where both readings lead somewhere, the link fails.
. "$(dirname "$0")/common.sh"

# `second` is at 0x80, and `call 15` must not become `call 1`, into `first`.
compile calls <<'END_C'
asm(".ident \"GCC: (GNU) 16.2.0\"");
static __noinline __u64 first(__u64 a) { volatile __u64 v = a; v += 1; v += 2; v += 3; v += 4; return v; }
static __noinline __u64 second(__u64 a) { volatile __u64 v = a; v *= 7; return v; }
SEC("socket") int prog(void *ctx) { return first(3) + second(4); }
END_C
for options in '' '-r --gc-sections'; do
  link $options calls.o
  expect $'prog+0x0 call first\nprog+0x10 call second' eval 'references | grep " call "'
  run 'prog()=41'
done

# The same by the suite's own gcc, which puts other code before both, in either byte order.
if command -v bpf-gcc >/dev/null; then
  cat >statics.c <<'END_C'
typedef unsigned long long u64;
#define STATIC static __attribute__((noipa)) u64
u64 shared = 5, spare[8] = {1, 2, 3};
STATIC first(u64 a) { volatile u64 v = a; v += 1; v += 2; v += 3; v += 4; return v; }
STATIC second(u64 a) { volatile u64 v = a; v *= 7; return v; }
__attribute__((noipa)) u64 third(u64 a) { volatile u64 v = a; v -= 2; return v + second(a); }
STATIC fourth(u64 a) { return spare[a & 3] + third(a); }
__attribute__((section("socket"))) u64 prog(void *ctx) { return first(3) + second(4) + third(5) + fourth(2) + shared; }
END_C
  for order in little big; do
    bpf-gcc -m$order-endian -O2 -gbtf -c statics.c -o statics.o
    varies '- refused: *' 'the peer takes no objects of bpf-gcc before gcc 14'
    for options in '' --gc-sections; do
      link $options statics.o
      for called in first second third fourth; do
        contains "call $called" eval 'references | sed -n "s/^prog+.* call/call/p"'
      done
      contains 'call third' eval 'references | sed -n "s/^fourth+.* call/call/p"'
      contains 'call second' eval 'references | sed -n "s/^third+.* call/call/p"'
      if [[ $order == little ]]; then run 'prog()=101'; fi
    done
  done
fi

# Where both readings are possible, the version of gcc tells: `y` is at 4 and has 4 bytes.
if command -v bpf-gcc >/dev/null; then
  bpf-gcc -gbtf -O2 -c -x c - -o sum.o <<<'int x = 1, y = 2; int sum(void) { return x + y; }'
  link -r sum.o
  expect $'x\ny' eval 'references | sed "s/.* address //" | sort'
fi

# Fields against `numbers`, which is at 0x10: 0x20 may be an offset into it, or into its section.
command -v bpf-objcopy >/dev/null || skip 'binutils-bpf is not installed'
assemble() { # NAME FIELD [MORE]: an object without types, with a table of names as GNU as makes it
  clang-19 --target=bpf -c -x assembler - -o llvm.o <<END_S
        .section socket,"ax",@progbits
        .globl prog, after, numbers
        .type prog,@function
prog:   r1 = numbers + $2 ll
        r0 = *(u8 *)(r1 + 0)
        ${3:-}
        exit
        .size prog, .-prog
        .type after,@function
after:  r0 = 0
        exit
        .size after, .-after
        .data
        .zero 16
        .type numbers,@object
numbers: .zero 16
        .byte 1, 2, 3, 4
        .zero 44
        .size numbers, 64
END_S
  bpf-objcopy llvm.o "$1.o"
}
# LLVM itself puts all names into one table.
assemble either 0x20
link llvm.o
contains 'prog+0x0 address numbers+0x20' references
link_fails either.o
expect_error "either.o: relocation R_BPF_64_64 at socket+0x0 refers to 'numbers'+0x20 or, if GNU as before 2.41 wrote it, to +0x10: assemble with a newer version, or compile with -g"
# An offset below the value, and a call of a function that is not at the section's start: LLVM's.
assemble below 0x8
link below.o
contains 'prog+0x0 address numbers+0x8' references
assemble call 0x20 'call after'
link call.o
contains 'prog+0x0 address numbers+0x20' references
# An offset that LLVM would not write.
assemble beyond 0x44
link beyond.o
contains 'prog+0x0 address numbers+0x34' references
