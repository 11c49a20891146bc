#!/bin/bash
# A variable is extern in one file and defined in another, in both orders. The DATASEC holds the
# definition once, with its offset and size.
. "$(dirname "$0")/common.sh"

compile use <<<'extern long total; SEC("socket") int prog(void *ctx) { return total; }'
compile def <<<'int first = 1; long total = 7;'

for order in "use.o def.o" "def.o use.o"; do
  link $order
  expect 'OBJECT GLOBAL DEFAULT .data 8 8' symbol total
  expect $'first 0 4\ntotal 8 8' datasec .data
  expect '07 00 00 00 00 00 00 00' bytes .data 8 8
  expect 'prog+0x0 address total' references
  contains 'var .data global long total;' declarations
  lacks '^var .* extern' declarations
done
