#!/bin/bash
# The first weak function wins over other weak ones; a strong one wins even if it comes last of four.
. "$(dirname "$0")/common.sh"

for n in 1 2 3; do
  compile weak$n <<<"__weak int answer(void) { return $n; }"
done
compile strong <<<'int answer(void) { return 42; }'
compile main <<<'int answer(void); SEC("socket") int prog(void *ctx) { return answer(); }'

differs '- symbol answer FUNC GLOBAL *' 'the peer gives a weak definition the binding of the extern'
differs '- refused: conflicting*' 'to the peer such a definition is strong'
differs '+ symbol answer FUNC WEAK *' 'as said'
link main.o weak2.o weak1.o
expect 'FUNC WEAK DEFAULT .text 0 16' symbol answer
expect 'b4 00 00 00 02 00 00 00 95 00 00 00 00 00 00 00' bytes .text

link main.o weak1.o weak2.o weak3.o strong.o
expect 'FUNC GLOBAL DEFAULT .text 0 16' symbol answer
expect 'b4 00 00 00 2a 00 00 00 95 00 00 00 00 00 00 00' bytes .text
expect 'prog+0x0 call answer' references
