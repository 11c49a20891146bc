#!/bin/bash
# The options -o, -r, -v, --version, --help and @response-file, and wrong uses of them.
. "$(dirname "$0")/common.sh"

compile a <<<'SEC("socket") int a(void *ctx) { return 1; }'
compile 'b c' <<<'SEC("socket") int b(void *ctx) { return 2; }'

"$BPFLINK" --version | grep -Ex 'bpflink [0-9]+\.[0-9]+\.[0-9]+' >/dev/null
"$BPFLINK" --help >help
for option in -o -r --verbose --version --help '@'; do
  grep -qF -- "$option" help || fail "--help does not tell of $option"
done

# No -o, no inputs, an unknown option: exit status 1 and a message.
for arguments in 'a.o' '-o out.o' 'a.o -o out.o --no-such-option' 'a.o -o' ''; do
  status=0
  "$BPFLINK" $arguments 2>errors >stdout || status=$?
  [[ $status == 1 ]] || fail "bpflink $arguments: exit status $status"
  [[ $(head -n 1 errors) == 'bpflink: error: '?* ]] || fail "bpflink $arguments: $(<errors)"
  [[ ! -e out.o && ! -e a.out.o ]]
done

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
rm out.o
refused 'no-such-file' @no-such-file

# --verbose writes to standard error and does not change the output.
"$BPFLINK" -v a.o 'b c.o' -o out.o 2>log
[[ -s log ]]
cmp out.o from-response.o
"$BPFLINK" --verbose a.o 'b c.o' -o out.o 2>/dev/null

# Without --verbose a good link is silent.
"$BPFLINK" a.o -o out.o >log 2>&1
[[ ! -s log ]]
