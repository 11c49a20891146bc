#!/bin/bash
# A very long chain of pointers, to a type, to void or in a cycle, is one line of a size map, whose
# page does not grow. --stats counts the time to compare the chain under classification.
. "$(dirname "$0")/common.sh"

chain='words.extend(word for i in range(1, 400001) for word in (0, PTR << 24, i))'
blob int.btf "add(INT, 'int', 4, 32); $chain"
blob void.btf "add(PTR, '', 0); $chain"
blob circle.btf "add(PTR, '', 400001); $chain"
for blob in int void circle; do
  "$BTFDEDUP" $blob.btf -o out.btf --size-map page.html || mistake "$blob.btf has no size map"
  (($(stat -c %s page.html) < 100000)) || mistake "the size map of $blob.btf has $(stat -c %s page.html) bytes"
done
"$BTFDEDUP" int.btf --stats --json | "$python" -c '
import json, sys
seconds = json.load(sys.stdin)["seconds"]
assert seconds["classify"] > 2 * seconds["resolve"], seconds
assert abs(sum(seconds.values()) - 2 * seconds["total"]) < 1e-6, seconds' || mistake 'classifying is not counted as such'
