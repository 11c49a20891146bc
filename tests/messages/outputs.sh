#!/bin/bash
# What is said of unwritable outputs; every_output.py has all options.
. "$(dirname "$0")/common.sh"

compile good <<<'SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len; }'
mkdir directory
for program in bpflink btfdedup; do
  declare -n path=${program^^}
  expect_message "$program: error: directory: cannot open output file: is a directory" "$path" good.o -o directory
  expect_message "$program: error: none/out.o: cannot open output file: there is no directory 'none'" "$path" good.o -o none/out.o
  expect_message "$program: error: good.o/out.o: cannot open output file: Not a directory" "$path" good.o -o good.o/out.o
done
expect_message 'bpflink: error: /dev/full: cannot write: No space left on device' "$BPFLINK" good.o -o /dev/full
# A limit on file size is an error of the write, and no signal.
limited() { (ulimit -f 1 && exec "$@"); }
compile large <<<'const char data[2000] = {1};
SEC("socket") int prog(struct __sk_buff *ctx) { return data[ctx->len & 1023]; }'
expect_message 'bpflink: error: out.o: cannot write: File too large' limited "$BPFLINK" large.o -o out.o
expect_message 'btfdedup: error: out.o: cannot write: File too large' limited "$BTFDEDUP" large.o -o out.o
expect_message 'btfdedup: error: out.o: cannot write: File too large' limited "$BTFDEDUP" large.o --elf -o out.o

# No file is lost: an output must not be an input or another output, under any name.
cp good.o other.o
ln -s good.o soft.o
ln good.o hard.o
ln -s out.o dangling
cp good.o lib.o
llvm-ar-19 cr lib.a lib.o
kept() { # TEXT COMMAND...: fails with TEXT and changes no input
  expect_message "$@"
  cmp -s good.o lib.o && cmp -s other.o lib.o || mistake "${*:2}: an input was changed"
}
for name in good.o ./good.o soft.o hard.o; do
  kept "bpflink: error: -o '$name' would replace the input 'good.o': name another file" "$BPFLINK" good.o -o $name
  kept "btfdedup: error: -o '$name' would replace the input 'good.o': name another file, or use --update" \
    "$BTFDEDUP" good.o -o $name
done
for option in Map json dependency-file size-map; do
  shown=--$option
  kept "bpflink: error: $shown 'soft.o' would replace the input 'good.o': name another file" "$BPFLINK" good.o -o out.o --$option soft.o
  for name in out.o ./out.o dangling; do
    kept "bpflink: error: $shown '$name' and -o 'out.o' are the same file" "$BPFLINK" good.o -o out.o --$option $name
  done
  for report in other.o lib.a; do
    kept "bpflink: error: $shown '$report' would replace an object file or archive: delete it first" \
      "$BPFLINK" good.o -o out.o --$option $report
  done
done
kept "bpflink: error: -o 'lib.a' would replace the input 'lib.a': name another file" "$BPFLINK" good.o --whole-archive lib.a -o lib.a
kept "btfdedup: error: --size-map 'out.o' and -o 'out.o' are the same file" "$BTFDEDUP" good.o -o out.o --size-map out.o
kept "btfdedup: error: --size-map 'soft.o' would replace the input 'good.o': name another file" \
  "$BTFDEDUP" good.o -o out.o --size-map soft.o
kept "bpflink: error: --json 'report' and --Map 'report' are the same file" \
  "$BPFLINK" good.o -o out.o --json report --Map report
kept "bpflink: error: --Map '/dev/stdout' and -o '/dev/stdout' are the same file" \
  bash -c "'$BPFLINK' good.o -o - --Map - | cat; exit \${PIPESTATUS[0]}"
for program in bpflink btfdedup; do
  declare -n path=${program^^}
  kept "$program: error: -o: the name of the file is empty" "$path" good.o -o ''
done
kept 'bpflink: error: --json: the name of the file is empty' "$BPFLINK" good.o -o out.o --json ''

# Standard output
"$BPFLINK" good.o -o out.o --Map out.map
cp out.o wanted.o
"$BPFLINK" good.o -o - >piped.o
cmp wanted.o piped.o || mistake '-o -: another object'
"$BPFLINK" good.o -o out.o --Map - >piped.map
cmp out.map piped.map || mistake '--Map -: another map'
if command -v script >/dev/null; then
  for program in bpflink btfdedup; do
    declare -n path=${program^^}
    script -qec "$path good.o -o -" /dev/null </dev/null >terminal || true
    sed 's/\x1b\[[0-9;]*m//g' terminal | has "error: -o -: standard output is a terminal, and this is not text" ||
      mistake "$program -o -: to a terminal: $(head -c 200 terminal)"
  done
fi

# The new file keeps owner, group and mode of the old one, if the user may change owners.
if ((EUID == 0)); then
  chown 65534:65533 out.o
  chmod 640 out.o
  "$BPFLINK" good.o -o out.o
  [[ $(stat -c '%u:%g %a' out.o) == '65534:65533 640' ]] || mistake "out.o is $(stat -c '%u:%g %a' out.o)"
fi
