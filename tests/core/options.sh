#!/bin/bash
# Errors in the command line.
. "$(dirname "$0")/common.sh"

# refuses TEXT ARGUMENT...: the command line is an error with TEXT
failure() { if [[ $1 == minimize ]]; then echo 1; else echo 2; fi; }
refuses() {
  core "$(failure "$2")" "${@:2}"
  grep -qxF "bpfcore: error: $1" core.log || fail "no '$1' in: $(cat core.log)"
}
seen='(see bpfcore --help)'
refuses "the first argument must be check, load or minimize $seen" --table
refuses "'look' is not check, load or minimize $seen" look
refuses "no output is given: -o DIR or --archive FILE $seen" minimize a.o
refuses "--merge is not for check $seen" check a.o --merge
refuses "--jobs is not for check $seen" check a.o --jobs 2
refuses "--set a: is not NAME=VALUE $seen" check a.o --set a
refuses "--set a=b: the value is not a 64-bit number $seen" check a.o --set a=b

compile a <<<'SEC("xdp") int a(void *ctx) { return 2; }'
kernel k <<<'int a;'
refuses 'no program among the files: an object has one in a section other than .text' check k.btf
refuses 'no kernel among the files: give an image or BTF' check a.o
refuses 'a.o/out: cannot make the directory: Not a directory' minimize a.o k.btf -o a.o/out

# Files that are no kernel: one error that names the file, exit status 1, and no output.
head -c 600 a.o >cut.o
head -c 4000 /dev/urandom >random
mkdir empty
rejects() { # FILE TEXT: FILE as a kernel is an error with TEXT
  core 2 check a.o "$1" --json out.json
  grep -q "^bpfcore: error: $1: $2" core.log || fail "no '$1: $2' in: $(cat core.log)"
  core 1 minimize a.o "$1" -o out --archive out.btfs
  [[ ! -e out.json && ! -e out && ! -e out.btfs ]] || fail "an output of $1"
}
rejects cut.o 'section headers at offset .* are outside the file'
rejects random ''
rejects empty 'has no kernel in it'
rejects none 'cannot open: No such file or directory'
rejects /dev/null 'is neither a regular file nor a pipe'
: >nothing
rejects nothing 'is empty'

# Unwritable output: the old file stays.
core 2 check a.o k.btf --json /dev/full
says 'bpfcore: error: /dev/full: cannot write: No space left on device'
"$BPFCORE" check a.o k.btf --table >/dev/full 2>core.log && fail 'a table that nobody gets'
says 'cannot write to standard output'
echo old >old.json
core 2 check a.o k.btf --json old.json --html none/page.html
says "none/page.html: cannot open output file"
[[ $(cat old.json) == old ]] || fail 'a report was replaced though another could not be written'

# An output never replaces an input or an object; messages/every_output.py has all options.
echo CONFIG_HZ=250 >config
for option in --html --json; do
  refuses "$option 'config' would replace the input 'config': name another file" check a.o k.btf --config config $option config
done
refuses "--html 'cut.o' would replace an object file or archive: delete it first" check a.o k.btf --html cut.o
refuses "--html 'x' and --json 'x' are the same file" check a.o k.btf --json x --html x
mkdir kernels
cp k.btf kernels
core 1 minimize a.o kernels -o kernels
says "-o 'kernels/k.btf' would replace the input 'kernels/k.btf'"
cmp k.btf kernels/k.btf

# A release as uname -r has it
compile released -mcpu=v4 <<'EOS'
volatile signed char c;
long l;
SEC("socket") int f(void *ctx) { l = c; return 0; }
EOS
kernel released <<<'void init(void) {}'
for release in 7.3 7.3-cloud-amd64 7.3-rc7 6.12 6.6.1; do
  core 0 check released.o released.btf --release $release
  [[ $(<core.out) == '1 of 1 program fits'* && ! -s core.log ]] || fail "$release: $(<core.out) $(<core.log)"
done
core 1 check released.o released.btf --release 6.5-rc1
for release in foo 6 6. 6.x ''; do
  core 2 check released.o released.btf --release "$release"
  says 'is not a release such as 6.12 or 6.12.3-generic'
done
