#!/bin/bash
# A very long chain of pointers, to a type, to void or in a cycle, is one line of a size map, whose
# page does not grow. --stats counts the time to compare the chain under classification.
. "$(dirname "$0")/common.sh"

"$python" - <<'END'
import struct
length = 400000
def chain(file, first, names=b"\0int\0"):
    types = first(1) + b"".join(struct.pack("<3I", 0, 2 << 24, i) for i in range(1, length + 1))
    header = struct.pack("<HBB5I", 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(names))
    open(file, "wb").write(header + types + names)
chain("int.btf", lambda id: struct.pack("<4I", 1, 1 << 24, 4, 32))
chain("void.btf", lambda id: struct.pack("<3I", 0, 2 << 24, 0))
chain("circle.btf", lambda id: struct.pack("<3I", 0, 2 << 24, length + 1))
END
for blob in int void circle; do
  "$BTFDEDUP" $blob.btf -o out.btf --size-map page.html || mistake "$blob.btf has no size map"
  (($(stat -c %s page.html) < 100000)) || mistake "the size map of $blob.btf has $(stat -c %s page.html) bytes"
done
"$BTFDEDUP" int.btf --stats --json | "$python" -c '
import json, sys
seconds = json.load(sys.stdin)["seconds"]
assert seconds["classify"] > 2 * seconds["resolve"], seconds
assert abs(sum(seconds.values()) - 2 * seconds["total"]) < 1e-6, seconds' || mistake 'classifying is not counted as such'
