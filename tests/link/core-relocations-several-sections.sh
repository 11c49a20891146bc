#!/bin/bash
# CO-RE relocations of sections that two files share become one block per section, sorted by
# instruction, even if a static function precedes the programs.
. "$(dirname "$0")/common.sh"

for n in 1 2; do
  compile f$n <<EOF
struct data { int pad$n, x, y; } __attribute__((preserve_access_index));
static __noinline int read_x(struct data *d) { return d->x; }
SEC("tp_btf/a") int a$n(struct data **ctx) { return read_x(*ctx) + (*ctx)->y; }
SEC("tp_btf/b") int b$n(struct data **ctx) { return (*ctx)->y - (*ctx)->x; }
EOF
done
link f1.o f2.o

expect 'read_x@0x0+0x0 byte_off struct data 0:1
read_x@0x10+0x0 byte_off struct data 0:1' grep read_x <(core_relo)
[[ $(core_relo | grep -c '^[ab][12]+') == 6 ]]
# The two structs have one name and different members, so both stay.
[[ $(types | grep -c '^struct data') == 2 ]]
