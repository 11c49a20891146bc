#!/bin/bash
# An ld_imm64 takes the address of a static function (a callback) by section symbol and byte addend.
# The addend changes when another file's function comes before it in the section.
. "$(dirname "$0")/common.sh"

compile a <<<'static __noinline unsigned other(unsigned x) { return x / 3; }
SEC("socket") int first(struct __sk_buff *ctx) { return other(ctx->len); }'
compile b <<'EOF'
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 4); __type(key, int); __type(value, long); } m SEC(".maps");
static __noinline unsigned unused(unsigned x) { return x / 7; }
static long visit(void *map, int *key, long *value, long *sum) { *sum += *value; return 0; }
SEC("socket") int second(struct __sk_buff *ctx) {
  long sum = unused(ctx->len);
  bpf_for_each_map_elem(&m, visit, &sum, 0);
  return sum;
}
EOF
link a.o b.o

contains 'first+0x8 call other' references
contains 'second+0x8 call unused' references
contains 'second+0x30 address m' references
contains 'second+0x40 address visit' references
[[ $(symbol visit) == 'FUNC LOCAL DEFAULT .text '* ]]

# A callback that has func_info and no symbol is not one that libbpf's linker overrode: it is used.
python3 "$bpfobj" set b.o nameless.o symbol:visit:st_info=3
for flag in -r --gc-sections; do
  "$BPFLINK" --verify $flag a.o nameless.o -o out.o
  address=$(references | sed -n 's/^second+0x40 address \(.*\)/\1/p')
  size=$(llvm-readelf-19 -S out.o | awk '$2 == ".text" || $3 == ".text" { print "0x" $(NF > 10 ? 7 : 6) }')
  [[ $address == .text+0x* ]] && ((${address#.text+} < size)) || fail "$flag: $address of .text, $size"
done
