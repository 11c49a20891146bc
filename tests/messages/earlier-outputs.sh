#!/bin/bash
# A file at the output's place, or among the inputs, by mistake: a compiler's object that is unrelated
# to the inputs, or an output of an earlier link. Building again is no mistake, even after files were
# renamed, added or deleted.
. "$(dirname "$0")/common.sh"

license='char LICENSE[] SEC("license") = "GPL";'
compile a <<END
$license
SEC("socket") int prog(void *ctx) { return 1; }
END
compile b <<END
$license
extern int count;
SEC("xdp") int other(void *ctx) { return count; }
END
compile c <<<'int count = 1; int more(void) { return count; }'
cp a.o kept.o

# -o *.o
nothing="is unrelated to the inputs: name another file, or delete it first"
refused() { # TEXT COMMAND...: an error with TEXT; a.o stays
  expect_message "$@"
  cmp a.o kept.o || mistake "${*:2}: a.o was changed"
}
refused "bpflink: error: -o 'a.o' would replace the compiled object of 'a.bpf.c', which $nothing" "$BPFLINK" -o ?.o
refused "bpflink: error: -o 'a.o' would replace the compiled object of 'a.bpf.c', which $nothing" "$BPFLINK" -o ?.o --verify --gc-sections
refused "btfdedup: error: -o 'a.o' would replace the compiled object of 'a.bpf.c', which $nothing" "$BTFDEDUP" -o ?.o
if command -v bpf-gcc >/dev/null; then
  echo 'int of_gcc(void) { return 1; }' >gcc.c
  for flags in -g -gbtf; do # -g alone is DWARF before GCC 14
    bpf-gcc $flags -O2 -c -o a.o gcc.c
    expect_message "bpflink: error: -o 'a.o' would replace the compiled object of 'gcc.c', which $nothing" "$BPFLINK" -o a.o b.o c.o
  done
  cp kept.o a.o
fi
# libbpf's linker replaces any file, and so does a partial link.
"$BPFLINK" -r -o ?.o 2>errors
expect "bpflink: warning: -o 'a.o' would replace the compiled object of 'a.bpf.c', which $nothing" cat errors
cp kept.o a.o

# A source file
echo 'int source;' >source.c
expect_message "bpflink: error: -o 'source.c' would replace a source file: name another file" "$BPFLINK" b.o c.o -o source.c
[[ $(<source.c) == 'int source;' ]] || mistake 'the source was changed'
: >empty.c
"$BPFLINK" b.o c.o -o empty.c || mistake 'an empty file'

expect_message "bpflink: error: --json 'source.c' would replace a source file: name another file" "$BPFLINK" b.o c.o -o out.o --json source.c
BPFSKEL=$(dirname "$BPFLINK")/bpfskel
expect_message "bpfskel: error: -o 'source.c' would replace a source file: name another file" "$BPFSKEL" b.o c.o -o source.c
[[ $(<source.c) == 'int source;' ]] || mistake 'the source was changed'
for language in --c --cpp --subskeleton; do
  rm -f skeleton.c
  "$BPFSKEL" -q $language c.o -o skeleton.c && "$BPFSKEL" -q $language c.o -o skeleton.c || mistake "a skeleton in $language"
  grep -qF '/* Made by bpfskel' skeleton.c || mistake "no skeleton in $language"
done

# An object of the same source, or with the same definitions, may be replaced.
same() {
  "$BPFLINK" "$@" 2>errors || mistake "$*: $(<errors)"
  [[ ! -s errors ]] || mistake "$*: $(<errors)"
}
cp b.o out.o
same b.o c.o -o out.o
compile renamed <<<'int more(void) { return 2; }'
same b.o c.o -o renamed.o
cp b.o out.o
"$BTFDEDUP" b.o c.o --elf -o out.o
"$BTFDEDUP" a.o --elf -o out.o
# So may the output of a link of one or several objects, even if all sources have new names.
objects=(a.o 'b.o c.o' 'a.o b.o c.o')
for ((i = 0; i < 3; i++)); do
  for flags in '' --keep-debug -s -r; do
    # shellcheck disable=SC2086 # several words
    "$BPFLINK" ${objects[i]} $flags -o out.o
    compile new <<<'SEC("tc") int entirely_new(void *ctx) { return 3; }'
    same new.o -o out.o
    same c.o -o out.o
  done
  # shellcheck disable=SC2086
  bpftool gen object out.o ${objects[i]} 2>/dev/null
  same new.o -o out.o
done
llvm-objcopy-19 --strip-debug a.o stripped.o
echo text >out.o
same new.o -o out.o
head -c 100 a.o >out.o
same new.o -o out.o

# An earlier output among the inputs
"$BPFLINK" a.o b.o c.o -o prog.o
expect_message "bpflink: error: -o 'prog.o' would replace the input 'prog.o': name another file" \
  "$BPFLINK" a.o b.o c.o prog.o -o prog.o
"$BPFLINK" c.o prog.o -o out.o 2>errors && mistake 'two definitions are linked'
grep -A 7 'duplicate symbol: more' errors >shown
expect "c.bpf.c:1:20: error: duplicate symbol: more
    1 | int count = 1; int more(void) { return count; }
      |                    ^
>>> defined at c.bpf.c:1
>>>            c.o:(.text+0x0)
>>> defined at c.bpf.c:1
>>>            prog.o:(.text+0x0)
>>> both objects have c.bpf.c: omit one of them" cat shown

# An output pipe is not an earlier output.
timeout 20 "$BPFSKEL" a.o | has 'Made by bpfskel' || mistake 'bpfskel waits for its own output'
timeout 20 "$BTFDEDUP" a.o b.o -o - | cat >piped.btf || mistake 'btfdedup waits for its own output'
timeout 20 "$BPFLINK" a.o -o - | cat >piped.o || mistake 'bpflink waits for its own output'
