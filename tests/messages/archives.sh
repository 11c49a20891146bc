#!/bin/bash
# Archives and their members.
. "$(dirname "$0")/common.sh"

compile good <<<'SEC("socket") int prog(void *ctx) { return 1; }'
cp good.o a-name-of-more-than-fifteen-characters.o
llvm-ar-19 rcS --format=gnu good.a good.o a-name-of-more-than-fifteen-characters.o
llvm-ar-19 rcS --format=bsd bsd.a a-name-of-more-than-fifteen-characters.o
llvm-ar-19 rcST thin.a good.o

# bad_archive MESSAGE ARCHIVE OFFSET TEXT: the archive with TEXT written at OFFSET is an error
bad_archive() {
  cp "$2" bad.a
  printf "$4" | dd of=bad.a bs=1 seek="$3" conv=notrunc status=none
  expect_message "bpflink: error: bad.a: $1" "$BPFLINK" bad.a -o out.o
}
at() { grep -abo -F "$2" "$1" | head -n 1 | cut -d : -f 1; }
good=$(at good.a 'good.o/ ')
long=$(at good.a '/0 ')
bsd=$(at bsd.a '#1/')

head -c 40 good.a >cut.a
expect_message 'bpflink: error: cut.a: archive member at offset 0x8: header is cut off' "$BPFLINK" cut.a -o out.o
bad_archive "archive member at offset $(printf %#x "$good"): header does not end as it should" good.a $((good + 58)) 'xx'
bad_archive "archive member at offset $(printf %#x "$good"): size is not a number" good.a $((good + 48)) 'x'
bad_archive "archive member at offset $(printf %#x "$good"): claims 9999999999 bytes, $(($(stat -c %s good.a) - good - 60)) are left" \
  good.a $((good + 48)) '9999999999'
bad_archive "archive member at offset $(printf %#x "$good"): has no name" good.a "$good" '                '
bad_archive "archive member at offset $(printf %#x "$long"): long name is not in the name table" good.a "$long" '/9999'
bad_archive "archive member at offset $(printf %#x "$long"): long name is not in the name table" good.a "$long" '/x '
bad_archive "archive member at offset $(printf %#x "$bsd"): long name is cut off" bsd.a "$bsd" '#1/99999999'


# Archives in thin archives, by GNU ar: "/N:M" is the member at offset M of the archive with name N.
ar rcS inner.a good.o
ar rcST outer.a inner.a
nested=$(at outer.a '/0:8 ')
# bad_nested MESSAGE TEXT: with TEXT as its name, the only member cannot be found
bad_nested() {
  cp outer.a bad.a
  printf '%s' "$2" | dd of=bad.a bs=1 seek="$nested" conv=notrunc status=none
  expect_message "bpflink: error: bad.a(inner.a): $1" "$BPFLINK" bad.a -o out.o
  expect_message "btfdedup: error: bad.a(inner.a): $1" "$BTFDEDUP" bad.a -o out.o
}
"$BPFLINK" --whole-archive outer.a -o out.o
bad_nested "archive member at offset 0x270f: is outside the archive of $(printf %#x "$(stat -c %s inner.a)") bytes" '/0:9999 '
bad_nested 'archive member at offset 0xa: header does not end as it should' '/0:10 '
bad_archive "archive member at offset $(printf %#x "$nested"): long name is not in the name table" outer.a "$nested" '/0:0 '
bad_archive "archive member at offset $(printf %#x "$nested"): long name is not in the name table" outer.a "$nested" '/0:x '
long_inner=$(at good.a '// ')
cp good.a inner.a
bad_nested "archive member at offset $(printf %#x "$long_inner"): is a table" "/0:$long_inner "
echo text >inner.a
bad_nested 'is not an archive' '/0:8 '
rm inner.a
bad_nested 'cannot open: No such file or directory (a thin archive has only the names of its members: rebuild it)' '/0:8 '
cp outer.a inner.a # inner.a now contains itself
printf '%s' "/0:$nested " | dd of=inner.a bs=1 seek="$nested" conv=notrunc status=none
expect_message "bpflink: error: inner.a(inner.a(inner.a)): the thin archive inner.a names itself" "$BPFLINK" inner.a -o out.o

# A file that a thin archive names twice is read once; a name is a path at most.
cp thin.a twice.a
tail -c 60 thin.a >>twice.a
"$BPFLINK" --whole-archive twice.a -o out.o
printf '!<thin>\n%-48s%-10s`\n%s/\n\n%-58s`\n' // 5004 "$(printf 'x%.0s' {1..5001})" "$(printf '%-48s%-10s' /0 0)" >long.a
expect_message 'bpflink: error: long.a: archive member at offset 0x13d0: has a name of more than 4096 bytes' "$BPFLINK" long.a -o out.o

python3 - <<'END' # thin archives: ten, one in the other; and 3000 members that share a name
def header(name, size): return f"{name:48}{size:<10}`\n"
for n in range(10):
    begin = "!<thin>\n" + header("//", 8) + f"n{n + 1}.a/\n\n\n"
    open(f"n{n}.a", "w").write(begin + header(f"/0:{len(begin)}", 0))
open("names.a", "w").write("!<thin>\n" + header("//", 4000) + "x" * 3998 + "/\n" + 3000 * header("/0", 0))
END
"$BPFLINK" n0.a -o out.o 2>errors && mistake 'links archives in archives in archives'
grep -qF 'archives are nested more than 8 deep' errors || mistake "$(<errors)"
expect_message 'bpflink: error: names.a: the names of its members have more than 18 MiB' "$BPFLINK" names.a -o out.o

rm good.o
expect_message 'bpflink: error: thin.a(good.o): cannot open: No such file or directory (a thin archive has only the names of its members: rebuild it)' "$BPFLINK" thin.a -o out.o
expect_message 'btfdedup: error: thin.a(good.o): cannot open: No such file or directory (a thin archive has only the names of its members: rebuild it)' "$BTFDEDUP" thin.a -o out.o

# Archives older than their members
compile caller <<<'int fresh(int x);
SEC("socket") int prog(struct __sk_buff *ctx) { return fresh(ctx->len); }'
mkdir lib
cd lib
compile member <<<'int stale(int x) { return x; }'
llvm-ar-19 rc copied.a member.o
compile member <<<'int fresh(int x) { return x; }'
llvm-ar-19 rcT thin.a member.o
cd ..
place='caller.bpf.c:2:56: error: undefined symbol: fresh
    2 | SEC("socket") int prog(struct __sk_buff *ctx) { return fresh(ctx->len); }
      |                                                        ^
>>> referenced by caller.bpf.c:2
>>>               caller.o:(socket+0x8)'
undefined() { # HINT ARGUMENT...
  expect_message "$place
$1>>> -r leaves it to a later link" "$BPFLINK" "${@:2}" -o out.o
}
undefined '>>> lib/member.o defines it, but lib/copied.a(member.o) is another version: rebuild the archive
' caller.o lib/copied.a
# What --prefix-symbols-of renamed is not missing.
llvm-ar-19 rc lib/fresh.a lib/member.o
undefined '>>> --prefix-symbols-of lib/fresh.a=x_ makes it x_fresh: refer to that, or omit the option
' caller.o lib/fresh.a --prefix-symbols-of lib/fresh.a=x_
undefined '>>> --prefix-symbols-of lib/member.o=x_ makes it x_fresh: refer to that, or omit the option
' caller.o lib/member.o --prefix-symbols-of lib/member.o=x_
"$BPFLINK" caller.o lib/thin.a -o out.o
llvm-ar-19 rc lib/copied.a lib/member.o
"$BPFLINK" caller.o lib/copied.a -o out.o
(cd lib && compile member <<<'int stale(int x) { return x; }')
undefined '>>> the index of lib/thin.a lists it, but no member defines it: rebuild the archive
' caller.o lib/thin.a
# No index, a 64-bit index, and errors in an index
llvm-ar-19 rcST unlisted.a lib/member.o
undefined '' caller.o unlisted.a
"$python" - <<'END'
import struct
def archive(index, name=b"/"):
    return b"!<thin>\n" + name.ljust(48) + b"%-10d`\n" % len(index) + index + b"\n" * (len(index) % 2)
names = b"other\0fresh\0"
member = open("lib/member.o", "rb").read()
for file, name, index in (
        ("wide", b"/SYM64/", struct.pack(">3Q", 2, 8, 8) + names),
        ("huge", b"/", struct.pack(">3I", 0xffffffff, 8, 8) + names),
        ("empty", b"/", b""),
        ("unnamed", b"/", struct.pack(">3I", 2, 8, 8)),
        ("cut", b"/", struct.pack(">3I", 2, 8, 8) + b"oth")):
    long_names = b"lib/member.o/\n"
    open(file + ".a", "wb").write(archive(index, name) + b"//".ljust(48) + b"%-10d`\n" % len(long_names) + long_names
                                  + b"/0".ljust(48) + b"%-10d`\n" % len(member))
END
undefined '>>> the index of wide.a lists it, but no member defines it: rebuild the archive
' caller.o wide.a
for archive in huge empty unnamed cut; do undefined '' caller.o $archive.a; done
