#!/bin/bash
# --strip-line-info drops source lines and their strings, and keeps func_info and core_relo. line_info
# has one record for each function, without a line: cilium/ebpf and libbpf take no empty one.
. "$(dirname "$0")/common.sh"

# without_lines ARGUMENT...: links with the option; linking again, with or without it, changes nothing
without_lines() {
  "$BPFLINK" --verify --strip-line-info "$@" -o out.o
  python3 "$bpfobj" check out.o || fail 'out.o breaks the rules above'
  changes_nothing
  "$BPFLINK" -r --strip-line-info out.o -o again.o
  cmp out.o again.o || fail 'linked again with the option, out.o changes'
}
strings() { llvm-readelf-19 -p .BTF "${object:-out.o}"; }

for target in bpf bpfeb; do
  compile a --target=$target <<'END'
#include <bpf/bpf_core_read.h>
struct data { int a, b; } __attribute__((preserve_access_index));
int helper(struct data *d);
SEC("socket") int prog(struct __sk_buff *ctx) { return helper((void *)(long)ctx->mark); }
END
  compile b --target=$target <<<'struct data { int a, b; } __attribute__((preserve_access_index));
__noinline int helper(struct data *d) { return d ? d->b : 0; }'
  for options in '' -r; do
    "$BPFLINK" $options a.o b.o -o with.o
    without_lines $options a.o b.o
    expect $'helper+0x0 :0\nprog+0x0 :0' line_info
    expect "$(object=with.o func_info)" func_info
    expect "$(object=with.o core_relo)" core_relo
    object=with.o contains 'prog+0x0 a.bpf.c:4' line_info
    lacks 'a\.bpf\.c|b\.bpf\.c|return' strings
    (($(stat -c %s out.o) < $(stat -c %s with.o))) || fail 'out.o is not smaller'
  done
  without_lines b.o
  expect 'helper+0x0 :0' line_info

  # A function without func_info gets a record.
  cat >c.s <<'END'
	.section socket,"ax",@progbits
	.globl second
	.type second,@function
second:	r0 = 0
	exit
	.size second, .-second
END
  llvm-mc-19 -triple $target -filetype=obj c.s -o c.o
  without_lines a.o b.o c.o
  contains 'socket 24 second' func_info
  contains 'second+0x0 :0' line_info
done

# Records of functions that had none
python3 "$bpfobj" set b.o lines.o ext:func_info_len=0 ext:core_relo_len=0
"$BPFLINK" lines.o -o out.o
contains 'helper+0x0 b.bpf.c:2' line_info
"$BPFLINK" --verify --strip-line-info lines.o -o out.o
expect 'helper+0x0 :0' line_info
changes_nothing
