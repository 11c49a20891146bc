#!/bin/bash
# The reports: --Map with the place of each input section and the dropped ones, --cref, -y,
# --dependency-file, --emit-stats and --json.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
__weak unsigned pick(unsigned x) { return x / 3; }
int shared = 1;
SEC("socket") int prog(struct __sk_buff *ctx) { return pick(ctx->len) + shared; }
EOF
compile b <<<'extern int shared; unsigned pick(unsigned x) { return x + shared; }'

"$BPFLINK" a.o b.o -o out.o --Map map
grep -E '\.text' map >/dev/null
# Input and output bytes per section and in total; one line of DWARF per file.
totals=$(sed -n '/^Totals/,$p' map)
grep -xE ' +0x[0-9a-f]+ +0x[0-9a-f]+ +[0-9]+ %  \.text' <<<"$totals" >/dev/null || fail "$totals"
grep -xE ' +0x4 +0x4 100 %  \.data' <<<"$totals" >/dev/null || fail "$totals"
grep -xE ' +0x[0-9a-f]+ +0x[0-9a-f]+ +[0-9]+ %  all' <<<"$totals" >/dev/null || fail "$totals"
expect 'Totals
          in        out' head -n 2 <<<"$totals"
expect 2 grep -cE '^ +0x[0-9a-f]+  [ab]\.o: DWARF$' map
grep -E '0x0 +0x20 +pick|pick' map >/dev/null
grep -F 'a.o:(.text+0x0) pick' map | grep -F 'b.o' >/dev/null || fail "the map does not tell what pick lost to: $(<map)"

"$BPFLINK" a.o b.o -o out.o --cref >cref
grep -E '^shared +a\.o' cref >/dev/null
grep -xE 'shared +a\.o \(defined\)' cref >/dev/null || fail "$(<cref)"
grep -A1 -E '^shared' cref | grep -F b.o >/dev/null

"$BPFLINK" a.o b.o -o out.o -y pick 2>trace >&2
grep -F 'a.o' trace | grep pick >/dev/null
grep -F 'b.o' trace | grep pick >/dev/null

"$BPFLINK" a.o b.o -o out.o --dependency-file out.d
expect 'a.o b.o out.o' echo $(make -s -f - <<'EOF'
include out.d
out.o: ; @echo $(sort $^) $@
.PHONY: out.o
EOF
)
mv b.o moved.o
make -n -f out.d b.o >/dev/null || fail 'make stops at an input that is gone'
