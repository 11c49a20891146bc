#!/bin/bash
# Command lines and response files.
. "$(dirname "$0")/common.sh"

compile good <<'END'
SEC("socket") int prog(void *ctx) { return 1; }
END

# wrong MESSAGE ARGUMENT...
wrong() {
  local message=$1
  shift
  expect_message "bpflink: error: $message" "$BPFLINK" "$@"
}
wrong 'no input files (see bpflink --help)' -o out.o
wrong '--output is required (see bpflink --help)' good.o
wrong '--output: 1 required TEXT missing (see bpflink --help)' good.o -o
wrong 'The following argument was not expected: --nothing (see bpflink --help)' good.o -o out.o --nothing
wrong 'The following arguments were not expected: --two --one (see bpflink --help)' good.o -o out.o --one --two
wrong 'The following argument was not expected: --gc-section; did you mean --gc-sections? (see bpflink --help)' good.o -o out.o --gc-section
wrong 'The following argument was not expected: -gc-sections; did you mean --gc-sections? (see bpflink --help)' good.o -o out.o -gc-sections
wrong 'The following arguments were not expected: --jsn=x --gcsections; did you mean --gc-sections, --json? (see bpflink --help)' good.o -o out.o --gcsections --jsn=x
wrong '--keep-debug contradicts -s and -S (see bpflink --help)' good.o -o out.o --keep-debug -s
wrong '--keep-debug contradicts -s and -S (see bpflink --help)' good.o -o out.o --keep-debug -S
wrong '--color-diagnostics: red not in {auto,always,never} (see bpflink --help)' good.o -o out.o --color-diagnostics red
wrong 'Could not convert: --error-limit = many (see bpflink --help)' good.o -o out.o --error-limit many
wrong '-lmissing: no libmissing.a in the directory given with -L' good.o -o out.o -L. -lmissing
wrong '-lmissing: no libmissing.a in the directories given with -L' good.o -o out.o -L. -L.. -lmissing
wrong '-l:odd.a: no odd.a in the directory given with -L' good.o -o out.o -L. -l:odd.a
wrong '-lmissing: no directory to look in is given with -L' good.o -o out.o -lmissing

# Response files
printf '%s' '"good.o' >open-quote
wrong 'open-quote: quote " is not closed' @open-quote -o out.o
printf '%s' @circle >circle
wrong 'circle: response files are nested too deeply' @circle -o out.o
mkdir directory
wrong 'directory: cannot read: Is a directory (as a response file)' @directory -o out.o
wrong '@missing: cannot open: No such file or directory' @missing -o out.o

# duped MESSAGE ARGUMENT...: the same of btfdedup
duped() {
  local message=$1
  shift
  expect_message "btfdedup: error: $message" "$BTFDEDUP" "$@"
}
duped 'no input (see btfdedup --help)' -o out.o
duped 'The following argument was not expected: --nothing (see btfdedup --help)' good.o -o out.o --nothing
duped 'The following argument was not expected: --explian; did you mean --explain? (see btfdedup --help)' good.o --explian
duped '-o and --update exclude each other (see btfdedup --help)' good.o -o out.o --update good.o
duped '--elf needs -o (see btfdedup --help)' good.o --stats --elf
duped 'nothing to do: give -o OUT, --update FILE, --dump, --explain or --stats (see btfdedup --help)' good.o
duped '--json requires --stats (see btfdedup --help)' good.o --json
wrong '--threads: Value 0 not in range 1 to 1024 (see bpflink --help)' good.o -o out.o --threads 0
duped '--threads: Value 0 not in range 1 to 1024 (see btfdedup --help)' good.o --stats --threads 0
duped '--dump: x not in {c,raw} (see btfdedup --help)' good.o --dump x
duped 'circle: response files are nested too deeply' @circle -o out.o
