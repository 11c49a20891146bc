#!/bin/bash
# Archives as GNU ar writes them: long names in each form, archives in thin archives. btfdedup skips
# members without BTF.
. "$(dirname "$0")/common.sh"

two_objects
"$BTFDEDUP" a.btf b.btf -o want.btf
mkdir lib
cp a.o exactly15char.o # GNU ar fills the name field of 16 characters, up to the '/'
cp b.o a-name-of-more-than-15-characters.o
ar rcT thin.a exactly15char.o

# same ARGUMENT...: btfdedup ARGUMENT... gives the output of a.btf and b.btf
same() {
  "$BTFDEDUP" "$@" -o got.btf 2>errors || fail "btfdedup $* fails: $(<errors)"
  cmp want.btf got.btf
}
same thin.a b.o

# Names of all lengths
for length in {1..40}; do
  name=$(printf "%0${length}d.o" 0)
  cp b.o "$name"
  ar rcT names-thin.a "$name"
  ar rc names.a "$name"
done
grep -aq '^/[0-9]*  */[0-9]' names-thin.a || fail 'ar ends no field with a slash'
"$BTFDEDUP" 0*.o -o of-files.btf
for archive in names.a names-thin.a; do
  "$BTFDEDUP" $archive -o got.btf
  cmp of-files.btf got.btf
done

# Archives in thin archives: btfdedup finds members by offset.
ar rc lib/inner.a exactly15char.o a-name-of-more-than-15-characters.o
ar rcT outer.a lib/inner.a
grep -aq '/[0-9]*:[0-9]' outer.a || fail 'ar writes no places in other archives'
same outer.a
mkdir elsewhere
(cd elsewhere && "$BTFDEDUP" ../outer.a -o ../got.btf)
cmp want.btf got.btf
cp exactly15char.o a-name-of-more-than-15-characters.o lib/
(cd lib && ar rcT inner-thin.a exactly15char.o a-name-of-more-than-15-characters.o)
ar rcT outer-thin.a lib/inner-thin.a
same outer-thin.a
cp outer.a lib/inner.a elsewhere
mkdir elsewhere/lib
mv elsewhere/inner.a elsewhere/lib
same elsewhere/outer.a
"$BTFDEDUP" outer.a --explain 'struct node' >explained
for name in exactly15char.o a-name-of-more-than-15-characters.o; do
  grep -F "outer.a(lib/inner.a($name))" explained >/dev/null || fail "$(<explained)"
done

# The linker reads them as well.
compile main <<<'int helper(int x); SEC("socket") int prog(struct __sk_buff *ctx) { return helper(ctx->len); }'
compile fifteen-chars <<<'int helper(int x) { return x + 1; }'
ar rc helpers.a fifteen-chars.o
ar rcT helpers-thin.a fifteen-chars.o
ar rcT helpers-nested.a helpers.a
link main.o fifteen-chars.o
mv out.o want.o
for archive in helpers.a helpers-thin.a helpers-nested.a; do
  "$BPFLINK" main.o $archive -o out.o
  cmp want.o out.o
done

# Assembly objects have no BTF.
echo 'nop' | as -o asm.o -
ar rc asm.a asm.o
same a.o asm.o b.o asm.a
expect 'btfdedup: asm.o: has no section .BTF
btfdedup: asm.a: is an archive without BTF' cat errors
