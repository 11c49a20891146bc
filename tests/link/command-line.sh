#!/bin/bash
# The options -o and -v, and @response-file.
. "$(dirname "$0")/common.sh"

compile a <<<'SEC("socket") int a(void *ctx) { return 1; }'
compile 'b c' <<<'SEC("socket") int b(void *ctx) { return 2; }'

# -o may stand anywhere, as one argument or two.
"$BPFLINK" -o out.o a.o
"$BPFLINK" -oone.o a.o
"$BPFLINK" a.o --output=two.o
cmp out.o one.o
cmp out.o two.o

# A response file holds arguments, one with a space in quotes.
printf '%s\n' 'a.o' '"b c.o"' '-o from-response.o' >arguments
"$BPFLINK" @arguments
"$BPFLINK" a.o 'b c.o' -o out.o
cmp out.o from-response.o

# --verbose writes to standard error and does not change the output.
"$BPFLINK" -v a.o 'b c.o' -o out.o 2>log
[[ -s log ]]
cmp out.o from-response.o
"$BPFLINK" --verbose a.o 'b c.o' -o out.o 2>/dev/null

# Without --verbose a good link is silent.
"$BPFLINK" a.o -o out.o >log 2>&1
[[ ! -s log ]]
