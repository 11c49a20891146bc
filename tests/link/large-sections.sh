#!/bin/bash
# Gigabytes of .bss are free. Of a large arena section the link writes only the nonzero bytes,
# straight from the input, so that memory does not grow with the section.
. "$(dirname "$0")/common.sh"

# The limit on memory besides the mapped files, in kB; AddressSanitizer needs more.
limit=8192
if grep -qa __asan_init "$BPFLINK"; then limit=unlimited; fi
link_in_little() { (ulimit -d $limit && "$BPFLINK" --threads 1 "$@" -o out.o); }

compile few <<<'char few[1 << 20]; SEC("socket") int prog(struct __sk_buff *ctx) { return few[ctx->len & 0xffff]; }'
compile many <<<'char many[3000][1 << 20];'
link few.o many.o
contains '.bss SHT_NOBITS 3146776576 AW 1' sections
[[ $(stat -c %s out.o) -lt 8192 ]] || fail 'zeros were written'
link_in_little few.o many.o

# 100 MB with some values, and a pointer to the middle
compile arena <<'EOF'
#define __arena __attribute__((address_space(1)))
#define COUNT (25 << 20)
static int __arena table[COUNT] = { [0] = 1, [COUNT / 2] = 2, [COUNT - 1] = 3 };
int __arena *__arena middle = &table[COUNT / 2];
EOF
compile before <<'EOF'
#define __arena __attribute__((address_space(1)))
int __arena first[1024] = { 4 };
EOF
link_in_little before.o arena.o
"$BPFLINK" --verify before.o arena.o -o out.o
(($(stat -c %b out.o) < 8192)) || fail 'blocks of zeros were written'

at=$(llvm-readelf-19 -SW out.o | sed -n 's/.* \.addr_space\.1 *PROGBITS *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
word() { od -An -v -t d4 -j $((0x$at + $1)) -N 4 out.o | tr -d ' '; }
expect 4 word 0
expect 1 word 4096
expect 0 word 4100
expect 2 word $((4096 + 2 * (25 << 20)))
expect 3 word $((4096 + 4 * (25 << 20) - 4))
# The addend is the middle's offset in the output's section.
expect $((4096 + 2 * (25 << 20))) word $((4096 + 4 * (25 << 20)))
