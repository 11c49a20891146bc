#!/bin/bash
# Objects like those of Rust compilers (rust.s). They link, alone and with objects of C. The link
# warns about BTF that no kernel accepts, and --dump c turns Rust names into C names.
. "$(dirname "$0")/common.sh"
(cd "$here" && "$CC" --target=bpf -mcpu=v3 -c rust.s -o "$tmp/main.o")
compile user <<'END'
struct words { long length, data[2]; };
extern struct words ARGS;
void *memset(void *at, int with, unsigned long size);
SEC("tc") int clear(struct __sk_buff *skb) {
  char bytes[8];
  memset(bytes, skb->len, sizeof bytes);
  return bytes[3];
}
END

# shellcheck disable=SC2016 # names have dollars
unwrap='_ZN4core6option15Option$LT$T$GT$6unwrap17h0123456789abcdefE'
panic=_ZN4core9panicking5panic17hfedcba9876543210E
for inputs in main.o 'user.o main.o'; do
  # shellcheck disable=SC2086 # several words
  expect $'warning not-openable main.o\nwarning general' facts --verify $inputs
  for phrase in 'libbpf 1.0 and later refuse maps' "PTR '*const u8'" "STRUCT 'Option<u32>'" 'and 5 more'; do
    expect_error "$phrase"
  done
  changes_nothing 2>/dev/null
  # shellcheck disable=SC2086
  no_new_lint $inputs
  contains 'count+0x20 call memset' references
  contains "count+0x50 call $unwrap" references
  contains "$unwrap+0x18 call $panic" references
  contains 'count+0x58 address .rodata..L__unnamed_1+0x0' references
  contains 'ARGS 0 24' datasec .data
  expect 'FUNC GLOBAL HIDDEN .text' cut -d ' ' -f 1-4 <(symbol memset)
  # Functions without types get some: the kernel wants func_info for all functions or none.
  contains '4 functions' printf '%s functions\n' "$(func_info | grep -vc clear)"
done

# With --kernel-names, kernels accept the types, under names that do not depend on the order of inputs.
for inputs in main.o 'user.o main.o' 'main.o user.o'; do
  # shellcheck disable=SC2086
  "$BPFLINK" --kernel-names --verify $inputs -o out.o 2>log
  lacks 'reject' cat log
  expect 1 grep -c "STRUCT 'Option_3C_u32_3E_'" <(bpftool btf dump file out.o)
  "$BTFDEDUP" --check out.o >log 2>&1 || fail "$(<log)"
  cp out.o renamed.o
  "$BPFLINK" --kernel-names renamed.o -o out.o 2>log
  cmp out.o renamed.o || fail 'a second link renames again'
done
compile taken <<<'struct Option_3C_u32_3E_ { char c; } taken; SEC("tc") int two(void *ctx) { return taken.c; }'
"$BPFLINK" --kernel-names main.o taken.o -o out.o 2>log
expect 1 grep -c "STRUCT 'Option_3C_u32_3E_' size=1" <(bpftool btf dump file out.o)
expect 1 grep -c "STRUCT 'Option_3C_u32_3E__'" <(bpftool btf dump file out.o)
"$BPFLINK" main.o -o out.o 2>log

# As C: each struct once, and the text compiles.
"$BTFDEDUP" out.o --dump c >types.h
expect 1 grep -c '^struct Option_u32_ {' types.h
expect 1 grep -c '^struct core__fmt__Arguments {' types.h
"$CC" -Wall -Werror -fsyntax-only -x c types.h

# Errors show Rust's names, and conflicting types as C.
sed "s/call memset/call _ZN3app4fill17h0123456789abcdefE/" "$here/rust.s" >calls.s
"$CC" --target=bpf -mcpu=v3 -I"$here" -c calls.s -o calls.o
refused 'undefined symbol: _ZN3app4fill17h0123456789abcdefE' -q calls.o
expect_error '>>> in Rust: app::fill'
compile other <<<'extern struct words { long length; } ARGS; SEC("tc") int get(void *ctx) { return ARGS.length; }'
refused "conflicting types of 'ARGS'" -q main.o other.o
expect_error 'struct core__fmt__Arguments'

# Two functions of one name, in two modules of a crate: the one that a symbol has is not the other, which LLVM
# has made local, whichever comes first.
for order in 'area other_area' 'other_area area'; do
  for function in $order; do
    case $function in
      area) echo 'SEC("syscall") int area(void *context) { return other_area(5); }' ;;
      other_area) echo '__attribute__((noinline)) int other_area(int x) { return x * x; }' ;;
    esac
  done >functions
  { echo 'int other_area(int x);' && cat functions; } | compile namesakes -S -emit-llvm
  sed -e 's/name: "other_area"/name: "area"/' -e 's/^define dso_local i32 @other_area/define internal i32 @other_area/' \
    namesakes.o | llc-19 -march=bpf -mcpu=v3 -filetype=obj -o namesakes.o
  "$BPFLINK" --verify namesakes.o -o out.o
  python3 "$bpfobj" check out.o
  expect $'syscall 0 area\n.text 0 area' eval 'func_info | sort -r'
  [[ $(declarations | grep -c 'area') == 2 ]] || fail "$(declarations)"
  [[ $(declarations) == *'static'* ]] || fail "$(declarations)"
done
