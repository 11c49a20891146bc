#!/bin/bash
# The linker does not allocate a size that an input merely claims. 4 GB of zeros in .bss are free;
# they are an error where the output would have to contain them.
. "$(dirname "$0")/common.sh"

# object NAME TYPE DIRECTIVE: an object with a section .zeros
object() {
  assemble "$1" <<EOF
	.section .zeros,"aw",@$2
	global $1, object
	$3
	.size $1,. - $1
EOF
}
object zeros nobits '.zero 4000000000'
object contents progbits '.quad 1'

# limited ARGUMENT...: bpflink in 256 MB of address space, too little for sanitizers
limited() { (ulimit -v 262144 && "$BPFLINK" "$@"); }
if limited --version >/dev/null 2>&1; then
  limited --verify zeros.o -o out.o
  [[ $(stat -c %s out.o) -lt 4096 ]] || fail 'the zeros were written'
fi
refused "section '.zeros' would put 0xee6b2800 zeros into the output" zeros.o contents.o
