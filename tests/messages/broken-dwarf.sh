#!/bin/bash
# With damaged DWARF, a message lacks only the source lines.
. "$(dirname "$0")/common.sh"

compile a <<<'extern int v; SEC("socket") int prog(void *ctx) { return v; }'
for flags in '-gdwarf-4' '-gdwarf-5' '-gdwarf-5 -gdwarf64'; do
  # shellcheck disable=SC2086 # several words
  compile b $flags <<<'long v = 1; char w = 1;'
  "$python" -S "$here/break_dwarf.py" "$BPFLINK" a.o b.o
done
