#!/bin/bash
# --update merges an object's types in place and updates the ids that refer to them: .BTF.ext, its
# relocations, instructions that hold a type id.
. "$(dirname "$0")/common.sh"

compile good <<'END'
struct pair { int a, b; } __attribute__((preserve_access_index));
struct pair p;
SEC("socket") int prog(struct __sk_buff *ctx) {
  struct pair *q = (void *)(long)ctx->data;
  return q->b + p.a + __builtin_btf_type_id(*(struct pair *)0, 0);
}
END
view_of() {
  for what in references declarations func_info line_info core_relo; do python3 "$bpfobj" $what "$1"; done
}
view_of good.o >want

# Duplicate types, after the others
llvm-objcopy-19 --dump-section=.BTF=good.btf good.o
blob more.btf 'read("good.btf"); [add(INT, "int", 4, 0x1000020) for _ in range(3)]'
size=$(stat -c %s good.o)
cat more.btf >>good.o
doctored more.o header:.BTF:sh_offset=$size header:.BTF:sh_size=$(stat -c %s more.btf)
before=$(bpftool btf dump file more.o | grep -c '^\[')
cp more.o updated.o
"$BTFDEDUP" --update updated.o
after=$(bpftool btf dump file updated.o | grep -c '^\[')
expect 3 echo $((before - after))
view_of updated.o >got
diff want got
"$BPFLINK" --verify updated.o -o out.o
python3 "$bpfobj" check out.o

# A second run changes nothing. An object without .BTF.ext can take other files' types.
cp updated.o again.o
"$BTFDEDUP" --update again.o
cmp updated.o again.o
echo 'int number;' | "$CC" --target=x86_64 -x c -c - -o x86.o
llvm-objcopy-19 --add-section=.BTF=good.btf x86.o
"$BTFDEDUP" more.btf good.btf --update x86.o
"$BTFDEDUP" more.btf good.btf -o want.btf
"$BTFDEDUP" x86.o -o got.btf
cmp want.btf got.btf

# Entries have the format's size.
doctored odd.o header:.rel.BTF:sh_entsize=1
llvm-objcopy-19 --dump-section=.rel.BTF=entries good.o /dev/null
expect_message "btfdedup: error: odd.o: section .rel.BTF has $(printf %#x "$(stat -c %s entries)") bytes with entries of 1, expected entries of 16" \
  "$BTFDEDUP" --update odd.o

# Larger than the old section
blob wide.btf 'add(INT, "i" * 9000, 4, 32)'
"$BTFDEDUP" wide.btf --update x86.o
"$BTFDEDUP" x86.o -o got.btf
cmp wide.btf got.btf

# A file of debug information alone has the header of .BTF, but no contents.
echo 'int number;' | gcc -gbtf -shared -x c -o whole.so -
objcopy --set-section-flags .BTF=alloc,readonly whole.so 2>warnings
objcopy --only-keep-debug whole.so alone.debug
readelf -SW alone.debug | has '\.BTF *NOBITS' || fail "$(readelf -SW alone.debug)"
cp alone.debug before.debug
if "$BTFDEDUP" good.btf --update alone.debug 2>message; then fail 'writes into a section without contents'; fi
expect "btfdedup: error: alone.debug: section '.BTF' has no contents, as in files of objcopy --only-keep-debug" cat message
cmp before.debug alone.debug

# Holes of the file stay holes, also at its end.
truncate -s 64M zeros
cp x86.o sparse.o
llvm-objcopy-19 --add-section=.large=zeros sparse.o
truncate -s +64M sparse.o
cp --sparse=always sparse.o before.o
cp before.o sparse.o
"$BTFDEDUP" wide.btf --update sparse.o
expect "$(stat -c %s before.o)" stat -c %s sparse.o
"$BTFDEDUP" sparse.o -o got.btf
cmp wide.btf got.btf
(($(stat -c %b sparse.o) * 512 < 2000000)) || fail "has $(stat -c %b sparse.o) blocks, not $(stat -c %b before.o)"
