#!/bin/bash
# A final link puts into .text what -ffunction-sections puts into sections of their own, which loaders
# take for programs. Data, constants and zeros stay, and so does everything in a partial link.
. "$(dirname "$0")/common.sh"

# both TARGET: a.o and b.o
both() {
  compile a --target="$1" -ffunction-sections -fdata-sections <<'EOS'
int zeros_a, ones_a = 1;
static long hidden_a;
int outer_b(int x);
__noinline static int inner_a(int x) { hidden_a += x; return hidden_a + 1; }
__noinline int outer_a(int x) { return inner_a(x) + zeros_a + ones_a; }
SEC("socket") int prog(struct __sk_buff *ctx) { return outer_a(1) * 10 + outer_b(2); }
EOS
  compile b --target="$1" -ffunction-sections -fdata-sections <<'EOS'
int zeros_b;
static long hidden_b;
__noinline static int inner_b(int x) { hidden_b += x; return hidden_b + 5; }
__noinline int outer_b(int x) { return inner_b(x) + zeros_b; }
EOS
}

for target in bpfeb bpf; do
  both $target
  "$BPFLINK" -r a.o b.o -o partial.o
  for section in .text.outer_a .text.inner_b .bss.zeros_a .bss.hidden_b .data.ones_a; do
    [[ $(object=partial.o sections) == *"$section "* ]] || fail "no $section: $(object=partial.o sections)"
  done
  for inputs in 'a.o b.o' partial.o; do
    # shellcheck disable=SC2086 # names
    "$BPFLINK" --verify $inputs -o out.o
    python3 "$bpfobj" check out.o || fail 'out.o breaks the rules above'
    changes_nothing
    lacks '^\.text\.' sections
    contains '.data.ones_a SHT_PROGBITS 4 AW 4' sections
    expect zeros_a variables .bss.zeros_a
    [[ $(func_info | sed 's/ .*//' | sort -u | xargs) == '.text socket' ]] || fail "$(func_info)"
  done
done
run 'prog()=37' 'prog()=49'
