#!/bin/bash
# What an input claims to have is not allocated before it is there: 4 GB of zeros cost nothing
# as such, and are refused where they would have to be written.
. "$(dirname "$0")/common.sh"

# object NAME TYPE DIRECTIVE: an object with a section .zeros
object() {
  "$CC" --target=bpf -c -x assembler - -o "$1.o" <<EOF
	.section .zeros,"aw",@$2
	.globl $1
	.type $1,@object
$1:
	$3
	.size $1,. - $1
EOF
}
object zeros nobits '.zero 4000000000'
object contents progbits '.quad 1'

# limited ARGUMENT...: bpflink in 256 MB of address space, which sanitizers do not fit into
limited() { (ulimit -v 262144 && "$BPFLINK" "$@"); }
if limited --version >/dev/null 2>&1; then
  limited --verify zeros.o -o out.o
  [[ $(stat -c %s out.o) -lt 4096 ]] || fail 'the zeros were written'
fi
link_fails zeros.o contents.o
expect_error "section '.zeros' would put 0xee6b2800 zeros into the output"
