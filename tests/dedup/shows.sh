#!/bin/bash
# --dump, --stats, --json and --base.
. "$(dirname "$0")/common.sh"

two_objects
"$BTFDEDUP" a.o b.o --dump raw -o out.btf >raw
diff raw <(bpftool btf dump file out.btf)
"$BTFDEDUP" a.o b.o --dump c >types.h
grep -qx 'struct other {' types.h
echo '#include "types.h"' | "$CC" --target=bpf -x c -fsyntax-only -Werror -

blob one.btf 'add(INT, "int", 4, 32); add(INT, "int", 4, 32)'
blob two.btf 'add(INT, "int", 4, 32)'
"$BTFDEDUP" one.btf two.btf --stats | sed -E '/seconds|^$/,$s/[0-9]+\.[0-9]+/N/' >stats
expect '                          in           out
blobs                      2             1
types                      3             1
string bytes              10             5
bytes                    106            45

                     seconds
classify N
resolve N
write N
total N' sed -E 's/ +N$/ N/' stats
"$BTFDEDUP" one.btf two.btf --stats --json | python3 -c '
import json, sys
figures = json.load(sys.stdin)
del figures["seconds"]
print(json.dumps(figures))' >json
expect '{"in": {"blobs": 2, "types": 3, "string_bytes": 10, "bytes": 106}, "out": {"blobs": 1, "types": 1, "string_bytes": 5, "bytes": 45}}' \
  cat json

# Split BTF: the output has only types that the base lacks.
blob base.btf 'add(INT, "int", 4, 32); add(STRUCT, "s", 4, "a", 1, 0)'
blob split.btf 'add(INT, 1, 4, 32); add(PTR, "", 2); add(PTR, "", 4); strings = b""'
"$BTFDEDUP" --base base.btf split.btf --dump raw -o out.btf >raw
expect "[3] PTR '(anon)' type_id=2
[4] PTR '(anon)' type_id=3" cat raw
diff raw <(bpftool -B base.btf btf dump file out.btf)
