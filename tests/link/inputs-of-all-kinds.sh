#!/bin/bash
# The output is the same whether an object comes as a file, from a pipe, from a descriptor, or as
# a member of an archive, thin or not.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
extern int shared;
const char large[100000] = {1};
SEC("socket") int prog(struct __sk_buff *ctx) { return large[ctx->len & 0xffff] + shared; }
EOF
compile b <<<'int shared = 1;'
link a.o b.o
mv out.o want.o
mkdir libraries
llvm-ar-19 rc libraries/fat.a b.o
(cd libraries && llvm-ar-19 rcT thin.a ../b.o)
llvm-ar-19 rcT absolute.a "$PWD/b.o"

# same ARGUMENT...: links these forms of a.o and b.o to the same output
same() {
  "$BPFLINK" "$@" -o out.o || fail "bpflink $* fails"
  cmp out.o want.o
}
same <(cat a.o) b.o
same a.o <(sleep 0.1; cat b.o)
same <(cat a.o) <(cat b.o)
same a.o /dev/stdin <b.o
same a.o - <b.o
cat b.o | same a.o /dev/stdin
for archive in libraries/fat.a libraries/thin.a "$PWD/libraries/thin.a" absolute.a; do
  same a.o $archive
  same a.o --whole-archive $archive
done
same a.o <(cat libraries/fat.a)
