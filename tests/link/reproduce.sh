#!/bin/bash
# --reproduce: the tar repeats a link elsewhere, whether the link succeeds or fails.
. "$(dirname "$0")/common.sh"

long="it's a \"$(printf 'long%.0s' {1..50})\" \$ name.o"
mkdir -p here/lib here/build here/objects here/down/below
cd here
ln -s down/below link
compile main <<'EOF'
int helper(int x);
int thin(int x);
SEC("socket") int prog(struct __sk_buff *ctx) { return helper(ctx->len) + thin(2); }
EOF
compile helper <<<'int helper(int x) { return x * 3; } int unused(int x) { return x * 5; }'
compile thin <<'EOF'
int nested(int x);
int absolute(int x);
int thin(int x) { return nested(x) + absolute(x); }
EOF
compile nested <<<'int nested(int x) { return x * 7; }'
compile absolute <<<'int absolute(int x) { return x * 11; }'
mv helper.o "$long"
mv thin.o absolute.o objects
ar rc objects/inner.a nested.o && rm nested.o
ar rcT lib/libthin.a objects/thin.o "$PWD/objects/absolute.o" objects/inner.a
cp main.o ./-dash.o
cp main.o ./@at.o
head -c 500 main.o >cut.o

# again STATUS [PROGRAM]: unpacks bug.tar and repeats the link, out of reach of the inputs
again() {
  local status=0
  rm -rf ../bug
  tar xf bug.tar -C .. 2>../tar || fail "tar: $(<../tar)"
  [[ ! -s ../tar ]] || fail "tar: $(<../tar)"
  [[ -z $(tar tf bug.tar | grep -v '^bug/') ]] || fail "not in one folder: $(tar tf bug.tar)"
  mv "$tmp/here" "$tmp/gone"
  cd "$tmp/bug"
  "${2:-$BPFLINK}" @response.txt >../stdout 2>../errors || status=$?
  mv "$tmp/gone" "$tmp/here"
  cd "$tmp/here"
  [[ $status == "$1" ]] || fail "again: exit status $status: $(<../errors)"
}
at() { echo "$tmp/bug$tmp/here/$1"; } # the unpacked copy of the file

# ---- A link that succeeds

echo "--gc-sections -u helper '--Map=build/a map'" >options
mkdir -p build
link_well() {
  "$BPFLINK" @options -L link/../../lib main.o "link/../../$long" --whole-archive -l thin \
    --prefix-symbols-of main.o=my_ --redefine-sym $'unused=a \'b"\n\\c' -xS --print-sizes=2 -m elf64bpf \
    -o build/out.o --reproduce bug.tar
}
link_well >sizes
cp bug.tar first.tar
touch main.o && link_well >sizes
cmp first.tar bug.tar || fail 'the tar is not reproducible'
again 0
cmp build/out.o "$(at build/out.o)"
[[ -s $(at 'build/a map') ]] || fail 'no map'
cmp <(sed 's|[^ ]*/||g' sizes) <(sed 's|[^ ]*/||g' ../stdout) || fail 'other sizes'
expect "$("$BPFLINK" --version)" cat ../bug/version.txt
expect "--library-path=${tmp#/}/here/lib" grep -e '^--lib.*path' ../bug/response.txt
expect '0/0 1970-01-01' bash -c "tar tvf bug.tar --numeric-owner --utc | awk '{ print \$2, \$4 }' | sort -u"
python3 -c 'import tarfile; tarfile.open("bug.tar").getmember("bug" + __import__("os").getcwd() + "/" + __import__("sys").argv[1])' "$long"

# An input named twice is stored once; odd names; inputs from pipes; an output to a pipe.
"$BPFLINK" -r --reproduce bug.tar -o - -- -dash.o <(cat ./@at.o) /dev/stdin <objects/thin.o >out.o 2>errors &&
  fail 'defined twice'
again 1
cmp <(sed 's|[^ ]*/||g' errors) <(sed 's|[^ ]*/||g' ../errors) || fail "other errors: $(<../errors)"
"$BPFLINK" -r --reproduce bug.tar -o - -- ./@at.o <(cat "$long") /dev/stdin <objects/thin.o | cat >out.o
again 0
cmp out.o ../stdout
"$BPFLINK" -r --reproduce bug.tar -o out.o -- ./-dash.o <objects/thin.o
again 0
cmp out.o "$(at out.o)"
(cd / && "$BPFLINK" -r --reproduce "$tmp/here/bug.tar" -o "$tmp/here/out.o" "${tmp#/}/here/main.o" "$tmp/here/main.o" 2>/dev/null) || true
expect 1 bash -c 'tar tf bug.tar | grep -c main'

# bpfskel has the option as well.
bpfskel=${BPFLINK%/*}/bpfskel
if [[ -x $bpfskel ]]; then
  "$bpfskel" --name x -o skel.h --reproduce bug.tar "$long"
  again 0 "$bpfskel"
  cmp skel.h "$(at skel.h)"
fi

# ---- A link that fails: the tar has all readable inputs

# fails TEXT ARGUMENT...: the link fails with TEXT, here and repeated
fails() {
  rm -f bug.tar
  link_fails --reproduce bug.tar "${@:2}"
  expect_error "$1"
  again 1
  grep -qF -- "${1//main.o/${tmp#/}/here/main.o}" ../errors || fail "another error: $(<../errors)"
}
fails 'undefined symbol: helper' main.o
fails 'duplicate symbol: ' main.o ./-dash.o "$long" -Llib -lthin
fails 'cut.o: ' cut.o main.o
fails 'missing.o: cannot open: No such file or directory' missing.o main.o
fails 'is a directory: give the objects in it' lib
fails 'no libmissing.a in the directory given with -L' -Llib -lmissing
fails 'is not a directory' -Lmissing --fatal-warnings "$long"
mv objects/thin.o . # the archive still names it
fails 'cannot open: No such file or directory (a thin archive' main.o "$long" -Llib -lthin
mv thin.o objects
"$BPFLINK" main.o --reproduce bug.tar -o /dev/full 2>/dev/null && fail 'a full device'
again 1

# ---- Names that lead out of the tar's folder are not stored

python3 - "$long" <<'EOF'
import os, sys
here = os.getcwd()
names = ["../" * 40 + here[1:] + "/" + sys.argv[1], "/../.." + here + "/objects/thin.o", "..\0/x", "/", "/response.txt", "/dev/zero"]
table = "".join(name + "/\n" for name in names)
headers = "".join(f"/{table.index(name + '/'):<15}{0:<12}{0:<6}{0:<6}{644:<8}{0:<10}`\n" for name in names)
table += "\n" * (len(table) % 2)
open("odd.a", "w").write(f"!<thin>\n{'//':48}{len(table):<10}`\n{table}{headers}")
EOF
for tar in ..tar ...tar; do
  "$BPFLINK" --whole-archive odd.a --reproduce $tar -o out.o 2>errors && fail 'odd.a is linked'
  expect 4 grep -c ' error: odd.a(' errors
  expect reproduce bash -c "tar tPf $tar | cut -d / -f 1 | sort -u"
  lacks '(^|/)\.\.(/|$)' tar tPf $tar
  expect 2 bash -c "tar tPf $tar | grep -c '[.]o$'"
done

# ---- The tar is no other output; messages/every_output.py has what else it must not be

for place in "-o 'out.o'" "--json 'figures'"; do
  file=${place#* \'} file=${file%\'}
  "$BPFLINK" "$long" --reproduce "$file" -o out.o --json figures 2>errors && fail "$file was written"
  expect "bpflink: error: --reproduce '$file' and $place are the same file" cat errors
done

# What only an archive names is in the tar if it is to be linked and beside the inputs.
mkdir ../elsewhere objects/away
cp objects/thin.o ../elsewhere
cp objects/thin.o objects/away
echo secret >objects/key
ar rcT taken.a objects/thin.o objects/absolute.o objects/inner.a ../elsewhere/thin.o objects/key
ar rcT through.a objects/away/thin.o
rm -r objects/away
ln -s ../../elsewhere objects/away
for all in '' --reproduce-all; do
  "$BPFLINK" -r "$long" taken.a through.a --reproduce taken.tar $all -o out.o 2>errors || true
  expect "$([[ $all ]] && echo 3 || echo 0)" bash -c "tar tf taken.tar | grep -cE 'elsewhere/|away/|objects/key' || true"
  expect 3 bash -c "tar tf taken.tar | grep -cE '/objects/(thin.o|absolute.o|inner.a)'"
  omitted='taken.tar does not have what only an archive names and is not beside the inputs, or not to be linked: ../elsewhere/thin.o, objects/away/thin.o, objects/key; --reproduce-all takes it'
  [[ $all ]] || grep -qF "bpflink: warning: $omitted" errors || fail "does not say what is not in the tar: $(<errors)"
done

# A thin archive that names itself ends.
compile self <<<'int self(void) { return 1; }'
ar rcT self.a self.o
sed 's|self\.o/|self.a/|' self.a >names-itself.a
mv names-itself.a self.a
timeout 20 "$BPFLINK" self.o self.a --reproduce self.tar -o out.o 2>errors || (($? == 1)) || fail "status $?: $(<errors)"

# Options that --help does not show are repeated as well.
"$BPFLINK" self.o -O2 --lto-O0 --cpu v3 --reproduce hidden.tar -o out.o
tar xOf hidden.tar hidden/response.txt >response
for option in --lto-O0 --cpu=v3; do grep -qxe $option response || fail "no $option: $(<response)"; done
