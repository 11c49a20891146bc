#!/bin/bash
# --help, and errors in the command line.
. "$(dirname "$0")/common.sh"

core 0 --help
diff - core.out <<'EOS' || fail '--help'
Reports which kernels BPF programs fit, and extracts the kernel types that they need.
Usage: bpfcore check [OPTION]... PROGRAM... KERNEL...
       bpfcore load [OPTION]... PROGRAM... KERNEL...
       bpfcore minimize [OPTION]... PROGRAM... KERNEL... -o DIR

  check                       Report which kernels the programs fit
  load                        Boot the kernels, and load the programs there
  minimize                    Extract the kernel types that the programs need
  FILE                        A BPF object, or a kernel: an image, a BTF file,
                              or a directory of these

Kernels:
  --kernel FILE               Read FILE as a kernel, even if it looks like a
                              program
  --modules DIR               Assume that the modules in DIR are loaded
  --manifest FILE             Read releases, architectures and the like of
                              kernels from FILE (JSON)
  --release RELEASE           Assume that all kernels have this release
  --config FILE               Assume that all kernels have the configuration
                              FILE
  --threads N                 Use N threads (default: one for each processor)

For check and load:
  --set NAME=VALUE            Assume that variable NAME of .rodata has VALUE
  --strict                    Assume nothing of variables of .rodata
  --optional PROGRAM          Only warn if PROGRAM does not fit
  --differences               Warn about members whose size shrinks or whose
                              sign changes
  --table                     Print a table of programs by kernels
  --html FILE                 Write the table and all problems to FILE as a page
                              for browsers
  --json FILE                 Write the whole report to FILE as JSON (- for
                              standard output)

For load:
  --whole                     Load whole objects, not each program alone
  --btf FILE                  Resolve relocations with the types in FILE, as
                              minimize writes them
  --log DIR                   Write all that verifiers say to DIR
  --timeout SECONDS           Stop waiting for a kernel or a program (default:
                              120)
  --jobs N                    Run N kernels at a time (default: 1)
  --memory MIB                Give each kernel MIB of memory (default: 2048)
  --processors N              Give each kernel N processors (default: 1)
  --cache DIR                 Take results that are in DIR, and put new ones
                              there
  --against FILE              Compare with FILE, which load --json wrote

For minimize:
  -o,--output DIR             Write the BTF files and index.json to DIR
  --archive FILE              Write one FILE with all BTF, which
                              bpflink/core_archive.h reads
  --merge                     Write one BTF for each kernel, not one for each
                              program

General:
  -h,--help                   Print this help and exit
  --version                   Print the version and exit

@FILE stands for the arguments in FILE, separated by white space.
Exits with 0 if nothing fails, with 1 if something does, and with 2 if nothing could be checked.
load exits with 2 if a program was not run, and with 3 if only libbpf refuses programs.
check and load print problems to standard error; they write the table and the files
also if something fails. minimize exits with 1 on errors, and leaves the old output.
EOS

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

# An output never replaces an input, by whatever name, or an object.
echo '[]' >manifest.json
echo CONFIG_HZ=250 >config
ln k.btf other.btf
mkdir kernels
cp k.btf kernels/k.btf
mkdir before
cp -r --parents a.o k.btf kernels/k.btf manifest.json config before
replaces() { # TEXT ARGUMENT...: an error with TEXT
  core "$(failure "$2")" "${@:2}"
  grep -q "^bpfcore: error: .*$1" core.log || fail "no '$1' in: $(cat core.log)"
  for file in a.o k.btf kernels/k.btf manifest.json config; do
    cmp -s "$file" "before/$file" || fail "$file was replaced by: $*"
  done
}
replaces "--html 'a.o' would replace the input 'a.o'" check a.o k.btf --html a.o
replaces "--json 'other.btf' would replace the input 'k.btf'" check a.o k.btf --json other.btf
replaces "--json 'config' would replace the input 'config'" check a.o k.btf --config config --json config
replaces "--json 'manifest.json' would replace the input" check a.o k.btf --manifest manifest.json --json manifest.json
replaces "--html 'cut.o' would replace an object file or archive: delete it first" check a.o k.btf --html cut.o
replaces "--html 'x' and --json 'x' are the same file" check a.o k.btf --json x --html x
replaces "--archive 'a.o' would replace the input 'a.o'" minimize a.o k.btf --archive a.o
replaces "-o 'kernels/k.btf' would replace the input 'kernels/k.btf'" minimize a.o kernels -o kernels

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
