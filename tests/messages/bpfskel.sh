#!/bin/bash
# What bpfskel says, and that nothing is written then.
. "$(dirname "$0")/common.sh"

compile main <<'END'
int helper(int x);
SEC("socket") int prog(void *ctx) { return helper(1); }
END
compile helper <<'END'
__weak int helper(int x) { return x; }
END

# wrong MESSAGE ARGUMENT...
wrong() {
  local message=$1
  shift
  expect_message "bpfskel: error: $message" "$BPFSKEL" "$@"
}
wrong 'no arguments (see bpfskel --help)
Usage: bpfskel [OPTION]... FILE... -o OUTPUT'
wrong 'no input files (see bpfskel --help)' -o out.h
wrong '--c excludes --cpp (see bpfskel --help)' --cpp --c main.o
wrong '--cpp excludes --rust (see bpfskel --help)' --rust --cpp main.o
wrong '-o: the name of the file is empty' main.o -o ''
wrong "no/such.h: cannot open output file: there is no directory 'no'" main.o helper.o -o no/such.h
wrong "-o './main.o' would replace the input 'main.o'" main.o helper.o -o ./main.o
wrong "undefined symbol: helper
>>> referenced by $tmp/main.bpf.c:2
>>>               main.o:(socket+0x8)" main.o -o out.h
[[ ! -e out.h ]] || mistake 'a header in spite of an error'

# What stood there stays, and warnings are no errors.
echo old >out.h
"$BPFSKEL" main.o -o out.h 2>errors && mistake 'an undefined symbol is no error'
expect old cat out.h
compile untyped -g0 <helper.bpf.c
"$BPFSKEL" untyped.o -o out.h 2>errors
expect 'bpfskel: warning: no input has BTF' head -n 1 errors
grep -q untyped__open out.h || mistake 'no skeleton'
if [[ -c /dev/full ]]; then wrong '/dev/full: cannot write: No space left on device' main.o helper.o -o /dev/full; fi
