#!/bin/bash
# A strong function wins over weak ones in any order of the files, and the first weak one over others. The loser
# leaves no bytes, symbol, func_info or line_info.
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

compile other <<<'__weak int answer(void) { return 3; }'
link weak.o other.o strong.o
expect 'b4 00 00 00 2a 00 00 00 95 00 00 00 00 00 00 00' bytes .text
differs '- symbol answer FUNC GLOBAL *' 'the peer gives a weak definition the binding of the extern'
differs '+ symbol answer FUNC WEAK *' 'as said'
compile main <<<'int answer(void); SEC("xdp") int second(void *ctx) { return answer(); }'
link main.o other.o weak.o
expect 'FUNC WEAK DEFAULT .text 0 16' symbol answer
expect 'b4 00 00 00 03 00 00 00 95 00 00 00 00 00 00 00' bytes .text
