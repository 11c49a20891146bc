#!/bin/bash
# Clang before 16 lists static constants of .rodata.cst16 and the like in the DATASEC .rodata.
. "$(dirname "$0")/common.sh"
CC=$(command -v clang-14 || command -v clang-15) || skip 'no clang 14 or 15'

for name in one two; do
  compile $name <<END
static const unsigned table[4] = {1, 8, 3, 9}, other[4] = {7, 2, ${#name}, 1};
const volatile unsigned limit_$name = 7;
SEC("xdp") int prog_$name(struct xdp_md *ctx)
{
  return table[ctx->rx_queue_index & 3] + other[ctx->ingress_ifindex & 3] + limit_$name;
}
END
done
links() {
  "$BPFLINK" --verify "$@" -o out.o || fail "bpflink $* exits with $?"
  python3 "$bpfobj" check out.o
  bpftool btf dump file out.o >types
}
links one.o
! grep -q "'table'\|'other'" types || fail "$(<types)"
grep -q "DATASEC '.rodata' size=4 vlen=1" types || fail "$(<types)"
links one.o two.o
grep -q "DATASEC '.rodata' size=8 vlen=2" types || fail "$(<types)"
links --gc-sections one.o
