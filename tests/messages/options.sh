#!/bin/bash
# Errors in command lines and response files. The most common are in gallery.sh.
. "$(dirname "$0")/common.sh"

compile good <<<'SEC("socket") int prog(void *ctx) { return 1; }'

# wrong MESSAGE ARGUMENT...
wrong() { expect_message "bpflink: error: $1" "$BPFLINK" "${@:2}"; }
wrong 'no input files (see bpflink --help)' -o out.o
wrong 'no output is given with -o (see bpflink --help)' good.o
wrong 'no arguments, expected bpflink [OPTION]... FILE... -o OUTPUT (see bpflink --help)'
wrong '-m elf_x86_64: objects for BPF are elf64bpf (see bpflink --help)' good.o -o out.o -m elf_x86_64
compiler="is the compiler's: bpflink links what \`clang -target bpf -g -O2 -c\` makes (see bpflink --help)"
for option in -c -E -target=bpf --target=bpf -Idir -DX -std=c11 -flto -march=bpfel -mcpu=v3; do
  wrong "$option: $compiler" good.o -o out.o $option
done
wrong '-Wl,-x: linker options are written as they are, without -Wl, (see bpflink --help)' good.o -o out.o -Wl,-x
for option in -shared --shared -pie --pie; do
  wrong "$option: a BPF object is relocatable, there are no programs or shared libraries to make (see bpflink --help)" good.o -o out.o $option
done
wrong '-Tx: there are no linker scripts: sections merge by name (see bpflink --help)' good.o -o out.o -Tx
wrong '--script=x: there are no linker scripts: sections merge by name (see bpflink --help)' good.o -o out.o --script=x
expect_message '{"severity":"error","code":"general","message":"no input files (see bpflink --help)"}' \
  "$BPFLINK" -o out.o --json-diagnostics
"$BPFLINK" good.o -o out.o
cp out.o wanted.o
"$BPFLINK" -static -nostdlib -O2 -g -m elf64bpf --as-needed --start-group good.o --end-group '-(' '-)' -o out.o
cmp out.o wanted.o || mistake 'options without a meaning here change the output'
wrong '-o needs FILE (see bpflink --help)' good.o -o
wrong '--gc-sections=yes: takes no value (see bpflink --help)' good.o -o out.o --gc-sections=yes
wrong '-oother.o: was given before (see bpflink --help)' good.o -o out.o -oother.o
wrong '-o needs FILE, but the option --gc-sections follows (see bpflink --help)' good.o -o --gc-sections
# A following option is not taken as a value.
for option in --size-map --Map --json --dependency-file; do
  for next in -o -oout.o --output --output=out.o --; do
    wrong "$option needs FILE, but the option $next follows (see bpflink --help)" good.o $option $next out.o
  done
done
for option in --explain -y --undefined; do
  wrong "$option needs SYMBOL, but the option -o follows (see bpflink --help)" good.o $option -o out.o
done
expect_message 'bpfskel: error: --size-map needs FILE, but the option -o follows (see bpfskel --help)' "$BPFSKEL" good.o --size-map -o out.o
wrong 'unknown option: -O; did you mean -o? (see bpflink --help)' good.o -O out.o
wrong 'unknown option: -Oout.o; did you mean -o? (see bpflink --help)' good.o -Oout.o
wrong 'unknown option: --nothing (see bpflink --help)' good.o -o out.o --nothing
wrong 'unknown options: --one --two (see bpflink --help)' good.o -o out.o --one --two
wrong 'unknown option: -gc-sections; did you mean --gc-sections? (see bpflink --help)' good.o -o out.o -gc-sections
wrong 'unknown options: --gcsections --jsn=x; did you mean --gc-sections, --json? (see bpflink --help)' good.o -o out.o --gcsections --jsn=x
wrong '--keep-debug contradicts -s and -S (see bpflink --help)' good.o -o out.o --keep-debug -s
wrong '--keep-debug contradicts -s and -S (see bpflink --help)' good.o -o out.o --keep-debug -S
wrong '--color-diagnostics red: must be one of auto, always, never (see bpflink --help)' good.o -o out.o --color-diagnostics red
wrong '--error-limit many: must be a number from 0 to 4294967295 (see bpflink --help)' good.o -o out.o --error-limit many
wrong '-lmissing: no libmissing.a in the directory given with -L' good.o -o out.o -L. -lmissing
wrong '-lmissing: no libmissing.a in the directories given with -L' good.o -o out.o -L. -L.. -lmissing
wrong '-l:odd.a: no odd.a in the directory given with -L' good.o -o out.o -L. -l:odd.a
mkdir -p libraries
llvm-ar-19 rc libraries/libgood.a good.o
for directory in libraries libraries/ libraries/. ./libraries//; do
  "$BPFLINK" good.o -L$directory -lgood -o out.o --dependency-file out.d
  grep -qx 'libraries/libgood.a:' out.d || mistake "-L$directory: $(<out.d)"
done

# Response files
printf '%s' '"good.o' >open-quote
wrong 'open-quote: quote " is not closed' @open-quote -o out.o
printf '%s' @circle >circle
wrong 'circle: response files are nested too deeply' @circle -o out.o
mkdir directory
wrong 'directory: cannot read: Is a directory (as a response file)' @directory -o out.o
wrong '@missing: cannot open: No such file or directory' @missing -o out.o

# duped MESSAGE ARGUMENT...: the same for btfdedup
duped() { expect_message "btfdedup: error: $1" "$BTFDEDUP" "${@:2}"; }
duped 'no arguments, expected btfdedup [OPTION]... INPUT... -o FILE, or btfdedup [OPTION]... [INPUT...] --update FILE, or btfdedup --target TARGET INPUT -o FILE, or btfdedup --check INPUT... (see btfdedup --help)'
duped 'no input (see btfdedup --help)' -o out.o
duped 'unknown option: --nothing (see btfdedup --help)' good.o -o out.o --nothing
duped 'unknown option: --explian; did you mean --explain? (see btfdedup --help)' good.o --explian
duped '--size-map needs FILE, but the option -o follows (see btfdedup --help)' good.o --size-map -o out.o
duped '--explain needs TYPE, but the option -o follows (see btfdedup --help)' good.o --explain -o out.o
duped 'unknown option: -O; did you mean -o? (see btfdedup --help)' good.o -O out.o
duped '-o and --update exclude each other (see btfdedup --help)' good.o -o out.o --update good.o
duped '--elf needs -o (see btfdedup --help)' good.o --stats --elf
duped '--json needs --stats (see btfdedup --help)' good.o --json
wrong '--threads 0: must be a number from 1 to 1024 (see bpflink --help)' good.o -o out.o --threads 0
duped '--threads 0: must be a number from 1 to 1024 (see btfdedup --help)' good.o --stats --threads 0
wrong '--size-map map.svg: a size map is a page of HTML (see bpflink --help)' good.o -o out.o --size-map map.svg
duped '--size-map map.svg: a size map is a page of HTML (see btfdedup --help)' good.o --size-map map.svg
duped '--size-map: the name of the file is empty' good.o --size-map ''
duped '--dump x: must be one of c, rust, raw (see btfdedup --help)' good.o --dump x
duped 'circle: response files are nested too deeply' @circle -o out.o
