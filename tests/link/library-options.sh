#!/bin/bash
# -l and -L find libNAME.a, in the order of the directories. --whole-archive takes all members of
# the archives after it. A missing library is an error.
. "$(dirname "$0")/common.sh"

compile main <<<'int helper(int x); SEC("socket") int prog(struct __sk_buff *ctx) { return helper(ctx->len); }'
compile helper <<<'int helper(int x) { return x + 1; }'
compile extra <<<'int extra(int x) { return x + 2; }'
compile other <<<'int helper(int x) { return x + 3; }'
mkdir near far
llvm-ar-19 rc near/libfoo.a helper.o extra.o
llvm-ar-19 rc far/libfoo.a other.o
names() { symbols | cut -d' ' -f1 | sort | tr '\n' ' '; }

"$BPFLINK" main.o -L near -L far -lfoo -o out.o
expect 'helper prog ' names
expect '04 00 00 00 01 00 00 00' bytes .text 8 8
"$BPFLINK" -lfoo -Lfar -Lnear main.o -o out.o
expect '04 00 00 00 03 00 00 00' bytes .text 8 8
"$BPFLINK" main.o -L near --library foo -o out.o

"$BPFLINK" main.o --whole-archive near/libfoo.a -o out.o
expect 'extra helper prog ' names
"$BPFLINK" main.o --whole-archive -Lnear -lfoo --no-whole-archive -o out.o
expect 'extra helper prog ' names
"$BPFLINK" main.o --whole-archive --no-whole-archive near/libfoo.a -o out.o
expect 'helper prog ' names
"$BPFLINK" main.o near/libfoo.a -u extra -o out.o
expect 'extra helper prog ' names

refused 'libbar.a' main.o -L near -lbar
