#!/bin/bash
# A section that is NOBITS in one file and PROGBITS in another becomes PROGBITS, with zeros for the
# first file.
. "$(dirname "$0")/common.sh"

compile a <<<'int zero[2] SEC(".bss.mixed"); SEC("socket") int prog(void *ctx) { return zero[0]; }'
compile b -S <<<'int one SEC(".bss.mixed");'
# C cannot say this: clang makes the section NOBITS because of its name.
sed 's/@nobits/@progbits/; /^one:/{n;s/\.long\s*0.*/.long 1/}' b.o >b.s
"$CC" --target=bpf -c b.s -o b.o
object=b.o expect '01 00 00 00' bytes .bss.mixed
differs '- refused: *' 'the peer takes no PROGBITS section with the name of a NOBITS one'
link a.o b.o

contains '.bss.mixed SHT_PROGBITS 12 AW 4' sections
expect '00 00 00 00 00 00 00 00 01 00 00 00' bytes .bss.mixed
expect $'zero 0 8\none 8 4' datasec .bss.mixed
