#!/bin/bash
# A strong function wins over a weak one in any order of the files. The weak one leaves no bytes,
# symbol, func_info or line_info.
. "$(dirname "$0")/common.sh"

compile weak <<<'__weak int answer(void) { return 1; } SEC("socket") int prog(void *ctx) { return answer(); }'
compile strong <<<'int answer(void) { return 42; }'

for order in "weak.o strong.o" "strong.o weak.o"; do
  link $order
  expect 'FUNC GLOBAL DEFAULT .text 0 16' symbol answer
  contains '.text SHT_PROGBITS 16 AX 8' sections
  expect 'b4 00 00 00 2a 00 00 00 95 00 00 00 00 00 00 00' bytes .text
  expect 'prog+0x0 call answer' references
  expect $'.text 0 answer\nsocket 0 prog' func_info
  contains 'answer+0x0 strong.bpf.c:1' line_info
  lacks 'answer.* weak' line_info
done
