#!/bin/bash
# What libbpf refuses of an object, whatever the kernel: link and check say it alike.
. "$(dirname "$0")/common.sh"

kernel plain <<<'void init(void) {}'

# map DEFINITION BEFORE: odd.o has one map
map() {
  compile odd <<EOS
$2
struct { $1 } map SEC(".maps");
SEC("xdp") int prog(struct xdp_md *ctx) { return (long)&map == 5; }
EOS
}

# refuses TEXT OBJECT: libbpf and bpfskel do not open it; the link warns with TEXT
refuses() {
  "$BPFLINK" "$2" -o linked.o 2>log
  [[ $(<log) == *": warning: $1"$'\n'* ]] || fail "no '$1': $(<log)"
  ! bpftool gen skeleton "$2" &>/dev/null || fail "libbpf opens it: $1"
}
inner='struct inner { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int)'
outer='__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS); __uint(max_entries, 1); __type(key, int); __array(values, struct inner);'
hash='__uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1); __type(key, int);'
while IFS='|' read -r text before definition; do
  map "$definition" "$before"
  refuses "map 'map' $text" odd.o
  core 1 check odd.o plain.btf
  says "error: map map $text in plain.btf"
done <<END_OF_MAPS
has no type||__uint(max_entries, 1); __type(key, int); __type(value, int);
has an unknown attribute 'more'||$hash __type(value, int); __uint(more, 1);
has a type without __uint()||int type; __type(key, int); __type(value, int);
has a key without __type()||__uint(type, BPF_MAP_TYPE_HASH); int key; __type(value, int);
has a value without a size|struct unknown;|$hash struct unknown *value;
of type hash has values: maps of maps and prog_array do|$inner; };|$hash __array(values, struct inner);
has values that are not functions||__uint(type, BPF_MAP_TYPE_PROG_ARRAY); __uint(max_entries, 1); __type(key, int); __array(values, int);
has values that are not maps|struct inner; typedef int number;|${outer/struct inner/number}
has an inner map that is pinned|$inner; __uint(pinning, 1); };|$outer
has an inner map that has values of its own|struct leaf { int a; }; $inner; __array(values, struct leaf); };|$outer
END_OF_MAPS

llvm-objcopy-19 --remove-section=.BTF --remove-section=.BTF.ext --remove-section=.rel.BTF odd.o bare.o
core 1 check bare.o plain.btf
says 'error: map map has no BTF that describes it in plain.btf'

# Other loaders take some of it.
unknown() {
  core 0 check "$1.o" plain.btf --table
  [[ $(tail -n 1 core.out) == *'0 of '*' unknown' ]] || fail "$(<core.out)"
  core 0 check "$1.o" plain.btf
  says "not known of plain.btf: whether a loader takes $2"
  says '>>> libbpf does not open '
}
for text in 'has a pinning of 77, and libbpf takes 0 and 1|__type(value, int); __uint(pinning, 77);' \
  'has a value of 4 bytes and a value_size of 0|__type(value, int); __uint(value_size, 0);'; do
  map "$hash ${text#*|}" ""
  refuses "libbpf refuses map 'map', which ${text%|*}" odd.o
  unknown odd 'map'
  says "whether a loader takes map map, which ${text%|*}"
  says '>>> libbpf does not open an object that has one'
done
map "$hash __uint(value_size, 0); __type(value, int);" ""
core 0 check odd.o plain.btf
says_not whether
compile static <<'END'
SEC("socket") int prog(void *ctx) { return 1; }
SEC("socket") static int pass(void *ctx) { return 2; }
int (*kept)(void *) = pass;
END
refuses 'libbpf refuses static programs: pass' static.o
unknown static 'static programs: pass'
compile called <<'END'
SEC("tc") __attribute__((noinline)) int part(struct __sk_buff *ctx) { return ctx->len; }
SEC("tc") __attribute__((noinline)) int other(struct __sk_buff *ctx) { return ctx->mark; }
SEC("tc") int prog(struct __sk_buff *ctx) { return part(ctx) + 1; }
SEC("tc") int user(struct __sk_buff *ctx) { return other(ctx) + 1; }
END
refuses 'libbpf refuses programs that code refers to: other, part' called.o
[[ $(<log) == *$'\n>>> move the shared code into a function without SEC()' ]] || fail "$(<log)"
unknown called 'programs that code refers to: other, part'
compile legacy <<'END'
struct bpf_map_def { unsigned type, key_size, value_size, max_entries, flags; };
struct bpf_map_def SEC("maps") old = {BPF_MAP_TYPE_HASH, 4, 4, 1};
SEC("socket") int prog(void *ctx) { int key = 0; return bpf_map_lookup_elem(&old, &key) != 0; }
END
refuses 'legacy.o: libbpf 1.0 and later refuse maps in SEC("maps")' legacy.o
unknown legacy 'maps in SEC("maps"): old'
compile far <<'END'
int number SEC("far") = 3;
SEC("socket") int prog(void *ctx) { return *(volatile int *)&number; }
END
refuses 'libbpf refuses sections that code refers to: far' far.o
[[ $(<log) == *$'\n>>> variables of programs are in .data, .rodata, .bss, or in SEC(".data.NAME")' ]] || fail "$(<log)"
unknown far 'sections that code refers to: far'
compile member <<'END'
struct ops { int (*run)(void *); };
int run(void *ctx) { return 1; }
SEC("struct_ops/other") int other(void *ctx) { return 1; }
SEC(".struct_ops") struct ops ops = {.run = run};
END
refuses 'libbpf refuses struct_ops members that are not struct_ops programs: run' member.o
[[ $(<log) == *$'\n>>> give each SEC("struct_ops")\n'* ]] || fail "$(<log)"
core 1 check member.o plain.btf
says 'whether a loader takes struct_ops members that are not struct_ops programs: run'

compile arenas <<'END'
struct { __uint(type, 33 /* arena */); __uint(map_flags, BPF_F_MMAPABLE); } first SEC(".maps"), other SEC(".maps");
SEC("socket") int prog(void *ctx) { return (long)&first == (long)&other; }
END
core 1 check arenas.o plain.btf
says 'not known of plain.btf: whether a loader takes 2 arenas'

# A function without code has no record in func_info.
compile empty <<'END'
SEC("socket") int prog(void *ctx) { return 1; }
asm(".section xdp, \"ax\"\n.globl empty\n.type empty, @function\nempty:\n.size empty, 0\n.text");
END
"$BPFLINK" empty.o -o linked.o && "$BPFLINK" linked.o -o again.o && cmp linked.o again.o || fail 'cannot be linked again'
