#!/bin/bash
# Programs of newer compilers than these tests use: functions of more than five arguments, which
# pass the sixth and later ones through register 11, and traps.
. "$(dirname "$0")/common.sh"

# typed NAME STATEMENTS: NAME.o gets types; see Blob in bpfobj.py
typed() {
  python3 "$bpfobj" blob "$1.btf" "$2"
  llvm-objcopy-19 --remove-section=.BTF --add-section=.BTF="$1.btf" "$1.o"
}
prototype='add(INT, "long", 8, 0x1000040); add(FUNC_PROTO, "", 1, "a", 1, "b", 1, "c", 1, "d", 1, "e", 1, "f", 1, "g", 1)'
assemble main -mcpu=v4 <<'EOF2'
	.section socket,"ax",@progbits
	global prog, function
	r1 = 1
	.byte 0x7b, 0x1b, 0xf8, 0xff, 0, 0, 0, 0 # *(u64 *)(r11 - 8) = r1
	.byte 0x7a, 0x0b, 0xf0, 0xff, 7, 0, 0, 0 # *(u64 *)(r11 - 16) = 7
	call seven
	exit
	end prog
EOF2
assemble lib -mcpu=v4 <<'EOF2'
	.text
	global other, function
	r0 = 0
	exit
	end other
	global seven, function
	.byte 0x79, 0xb0, 0x08, 0, 0, 0, 0, 0    # r0 = *(u64 *)(r11 + 8)
	.byte 0x79, 0xb1, 0x10, 0, 0, 0, 0, 0    # r1 = *(u64 *)(r11 + 16)
	r0 += r1
	exit
	end seven
EOF2
typed main "$prototype; add(FUNC, 'seven', 2, vlen=2); add(FUNC_PROTO, '', 1); add(FUNC, 'prog', 4, vlen=1)"
typed lib "$prototype; add(FUNC, 'seven', 2, vlen=1); add(FUNC_PROTO, '', 1); add(FUNC, 'other', 4, vlen=1)"
for inputs in 'main.o lib.o' 'lib.o main.o'; do
  "$BPFLINK" --verify $inputs -o out.o
  python3 "$bpfobj" check out.o
  for section in socket .text; do
    for object in main.o lib.o out.o; do
      llvm-objcopy-19 -O binary --only-section=$section $object $object.$section 2>/dev/null || :
    done
  done
  cmp main.o.socket out.o.socket
  cmp lib.o..text out.o..text
  expect "FUNC 'seven' linkage=global" echo $(bpftool btf dump file out.o | sed -n "s/.*\(FUNC 'seven'\) type_id=[0-9]*\( linkage=.*\)/\1\2/p")
  expect 7 grep -c "^	'[a-g]' type_id" <(bpftool btf dump file out.o)
done

# Prototypes that differ in the seventh argument only
typed lib "$prototype; words[-1] = 5; add(FUNC, 'seven', 2, vlen=1); add(FUNC_PROTO, '', 1); add(INT, 'int', 4, 0x1000020)"
"$BPFLINK" main.o lib.o -o out.o 2>errors || :
expect_error "conflicting types of 'seven'"

# A trap is a call to a kernel function that no header declares.
for name in a b; do
  compile $name <<EOF2
extern void __bpf_trap(void) __ksym;
int $name(int x) { if (x > 7) __bpf_trap(); return x; }
EOF2
done
compile prog <<'EOF2'
int a(int x);
int b(int x);
extern void __bpf_trap(void) __ksym;
SEC("socket") int prog(struct __sk_buff *ctx) {
  if (ctx->len > 100) __bpf_trap();
  return a(ctx->len) + b(ctx->len);
}
EOF2
differs '- refused: *' 'the peer asks for the size of what is declared twice in .ksyms' 1.6
for inputs in 'prog.o a.o b.o' 'b.o a.o prog.o'; do
  link $inputs
  expect 'NOTYPE GLOBAL DEFAULT UND 0 0' symbol __bpf_trap
  expect 1 grep -c "^\[.*FUNC '__bpf_trap'" <(bpftool btf dump file out.o)
  expect 3 grep -c ' __bpf_trap$' <(llvm-readelf-19 -rW out.o)
  "$BPFLINK" out.o -o again.o
  cmp out.o again.o
done
