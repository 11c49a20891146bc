#!/bin/bash
# bpfskel's messages; on errors it writes no file.
. "$(dirname "$0")/common.sh"

compile main <<<'int helper(int x);
SEC("socket") int prog(void *ctx) { return helper(1); }'
compile helper <<<'__weak int helper(int x) { return x; }'

# wrong MESSAGE ARGUMENT...
wrong() { expect_message "bpfskel: error: $1" "$BPFSKEL" "${@:2}"; }
wrong 'no arguments, expected bpfskel [OPTION]... FILE... [-o OUTPUT] (see bpfskel --help)'
wrong 'no input files (see bpfskel --help)' -o out.h
wrong '--c and --cpp exclude each other (see bpfskel --help)' --cpp --c main.o
wrong '--cpp and --rust exclude each other (see bpfskel --help)' --rust --cpp main.o
wrong '--subskeleton and --cpp exclude each other (see bpfskel --help)' --cpp --subskeleton main.o
wrong '--subskeleton and --rust exclude each other (see bpfskel --help)' --subskeleton --rust main.o
wrong "what bpftool takes as 'gen skeleton FILE name NAME' is 'bpfskel FILE --name NAME' (see bpfskel --help)" \
  main.o name mine
wrong '-o: the name of the file is empty' main.o -o ''
wrong "no/such.h: cannot open output file: there is no directory 'no'" main.o helper.o -o no/such.h
wrong "-o './main.o' would replace the input 'main.o': name another file" main.o helper.o -o ./main.o
expect_message "main.bpf.c:2:44: error: undefined symbol: helper
    2 | SEC(\"socket\") int prog(void *ctx) { return helper(1); }
      |                                            ^
>>> referenced by main.bpf.c:2
>>>               main.o:(socket+0x8)" "$BPFSKEL" main.o -o out.h
[[ ! -e out.h ]] || mistake 'a header in spite of an error'

# Padding is bytes of the object, but hardly any text.
for n in {1..300}; do echo ".section .data.$n,\"aw\"; .balign 65536; .byte 1"; done >aligned.s
clang-19 --target=bpf -c aligned.s -o aligned.o
for language in --c --cpp --rust; do
  "$BPFSKEL" -q "$language" aligned.o -o out.h || mistake 'no skeleton of an object of 19 MB'
  (($(stat -c %s out.h) < 200000)) || mistake "zeros take $(stat -c %s out.h) bytes of text"
done
rm out.h

# Declarations are as long as they are, with a second form for hosts of 32 bits, which a pointer causes.
skeleton_of() {  # skeleton_of VARIABLES TEXT: of so many that take 13 KB each, and TEXT
  { printf '%s struct { ' "$2"; printf 'int m%d; ' {0..999}; printf '} first'; seq -f ', v%g' "$1"; echo ';'; } >wide.c
  clang-19 -g -O2 --target=bpf -c wide.c -o wide.o
  "$BPFSKEL" -q wide.o -o wide.h 2>errors
}
skeleton_of 1600 'void *any;' || mistake "the text has 20 MB for each kind of hosts: $(<errors)"
[[ $(stat -c %s wide.h) -gt $((32 << 20)) ]] || mistake 'the second form is not in the skeleton'
skeleton_of 5600 '' || mistake "no skeleton of 73 MB: $(<errors)"
rm -f wide.*

# On an error, the old file stays; warnings are not errors.
echo old >out.h
"$BPFSKEL" main.o -o out.h 2>errors && mistake 'an undefined symbol is not an error'
expect old cat out.h
compile untyped -g0 <helper.bpf.c
"$BPFSKEL" untyped.o -o out.h 2>errors
expect 'bpfskel: warning: no input has BTF' head -n 1 errors
grep -q untyped__open out.h || mistake 'no skeleton'
wrong 'new.h: a subskeleton needs BTF: compile the library with -g' --subskeleton -q untyped.o -o new.h
if [[ -c /dev/full ]]; then wrong '/dev/full: cannot write: No space left on device' main.o helper.o -o /dev/full; fi

# bpfskel has bpflink's options. Their output names the skeleton and is written together with it.
"$BPFSKEL" main.o helper.o --gc-sections --license GPL --dependency-file out.d -Map out.map -o out.h
grep -q '^out.h: ' out.d || mistake 'the rule is not for the skeleton'
grep -q helper.o out.map || mistake 'no map'
"$BPFSKEL" main.o --dependency-file new.d -o new.h 2>errors && mistake 'an undefined symbol is not an error'
[[ ! -e new.h && ! -e new.d ]] || mistake 'a report in spite of an error'
"$BPFSKEL" -q untyped.o -o out.h 2>errors
[[ ! -s errors ]] || mistake '-q: a warning'
ar rc libhelper.a helper.o
"$BPFSKEL" -q main.o -L. -lhelper -o out.h
wrong '--cref prints to standard output, where the skeleton goes: give -o FILE (see bpfskel --help)' main.o helper.o --cref
