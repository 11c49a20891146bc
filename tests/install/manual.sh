#!/bin/bash
# The manual pages tell the truth: each example is run as it stands there, and every warning has
# its paragraph.
. "$(dirname "$0")/common.sh"
needs clang-19 man bpftool
manual=$PREFIX/share/man

# Every page is whole.
pages=("$manual"/man[1357]/{bpflink,btfdedup}*)
for page in "${pages[@]}"; do
  man --warnings -l -Tutf8 "$page" 2>"$tmp/warnings" >/dev/null
  [[ ! -s $tmp/warnings ]] || fail "${page##*/}: $(<"$tmp/warnings")"
  # What it refers to is installed, or is another project's.
  sed -n '/^\.SH SEE ALSO/,$p' "$page" | sed -nE 's/^\.BR ([^ ]+) \(([0-9])\).*/\1.\2/p' |
    grep '^bpflink\|^btfdedup' | while read -r other; do
      [[ -e $manual/man${other##*.}/$other ]] || fail "${page##*/} refers to $other, which is not installed"
    done
done

# of_roff: text as the user copies it
of_roff() { sed "s/\\\\-/-/g; s/\\\\(aq/'/g; s/\\\\(dq/\"/g; s/\\\\f[A-Z]//g; s/\\\\&//g; s/\\\\e/\\\\/g"; }

# example PAGE N: the Nth example
example() {
  sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' "$1" |
    awk -v n="$2" '/^\.EX/ { ++i; next } /^\.EE/ { inside = 0 } i == n && /^\.SH/ { exit }
      i == n && !/^\.EE/ && !done { print } /^\.EE/ && i == n { done = 1 }' | of_roff
}

# count_examples PAGE: six, each after a sentence that says what it is for
count_examples() {
  local text
  text=$(sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' "$1")
  [[ $(grep -c '^\.EX' <<<"$text") == 6 ]] || fail "${1##*/}: not six examples"
  [[ $(grep -B 2 '^\.EX' <<<"$text" | grep -cE '^[^.].*[:?]$|^\.I.* [:?]$|^\.IR .*[?:]$') == 6 ]] ||
    fail "${1##*/}: an example without a sentence before it"
}

# run PAGE N: the Nth example is run; what it prints is in the file `log`
run() {
  example "$1" "$2" >commands
  [[ -s commands ]] || fail "${1##*/}: no example $2"
  bash -euc "$(<commands)" >log 2>&1 || fail "${1##*/}, example $2:"$'\n'"$(<commands)"$'\n'"$(<log)"
}

mkdir "$tmp/bin" "$tmp/link" "$tmp/types"
ln -s "$(command -v clang-19)" "$tmp/bin/clang"
PATH=$tmp/bin:$PATH
compile() { clang -g -O2 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -c "$@"; }
defined() { readelf -sW "$1" | grep -qE " (FUNC|OBJECT) +(GLOBAL|LOCAL) .* [0-9]+ $2\$"; }
global() { readelf -sW "$1" | grep -qE " (FUNC|OBJECT) +GLOBAL .* [0-9]+ $2\$"; }
is_whole() { for name in count packets total; do global "$1" $name || fail "$1 does not define $name"; done; }

# ---- bpflink(1)

cd "$tmp/link"
page=$manual/man1/bpflink.1
count_examples "$page"
cat >maps.bpf.c <<'END'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 256);
         __type(key, __u32); __type(value, __u64); } packets SEC(".maps");
__u64 total;
char LICENSE[] SEC("license") = "GPL";
END
cat >main.bpf.c <<'END'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 256);
                __type(key, __u32); __type(value, __u64); } packets SEC(".maps");
extern __u64 total;
SEC("xdp") int count(struct xdp_md *ctx)
{
  __u32 key = ctx->rx_queue_index;
  __u64 *value = bpf_map_lookup_elem(&packets, &key);
  if (value) __sync_fetch_and_add(value, 1);
  __sync_fetch_and_add(&total, 1);
  return XDP_PASS;
}
END
cat >other.bpf.c <<'END'
__attribute__((visibility("hidden"))) int of_the_library(int x) { return 3 * x; }
int offered(int x) { return of_the_library(x) + 1; }
END
compile other.bpf.c

run "$page" 1
is_whole prog.o
rm prog.o
run "$page" 2
is_whole prog.o
if defined prog.o offered; then fail 'a member that is not needed is linked'; fi
example "$page" 3 >Makefile
rm prog.o
make >log
is_whole prog.o
make -q || fail 'make has something left to do'
age
touch libcount.a
if make -q; then fail 'make does not see a changed archive'; fi
run "$page" 4
is_whole prog.o
contains log offered
if defined prog.o offered; then fail 'prog.o has what nothing reaches'; fi
run "$page" 5
is_whole prog.o
global library.o offered || fail 'library.o does not offer its function'
if global library.o of_the_library; then fail 'library.o offers what is hidden'; fi
run "$page" 6
contains log 'main.bpf.o: reference to total'
contains log 'maps.bpf.o: definition of total'
[[ $(tail -n 1 log) == *0x*total ]] || fail "the map does not say where total went: $(<log)"

# Other names of a file that is replaced
for program in "bpflink main.bpf.o maps.bpf.o -o" 'btfdedup main.bpf.o -o' 'btfdedup --update'; do
  cp main.bpf.o one
  ln -f one other
  chmod 640 one
  $program one
  cmp -s main.bpf.o other || fail "$program: the other name has not the old contents"
  [[ $program == *update || ! one -ef other ]] || fail "$program: the other name is the new file"
  [[ $(stat -c %a one) == 640 ]] || fail "$program: the mode is $(stat -c %a one)"
done

# Each warning that a test has is explained, and each that is explained is there.
sed -n '/^\.SH WARNINGS/,/^\.SH FORMATS/p' "$page" | grep -A 1 '^\.T[PQ]' | sed -n 's/^\.B //p' |
  sed -E 's/\\fI[A-Z]+\\fB/@/g; s/\\-/-/g; s/[].*^$()[]/\\&/g; s/@/.*/g' >explained
grep -ohE "bpflink: warning: [^>]*" "$repository"/tests/{messages,link,dedup}/*.sh |
  sed 's/bpflink: warning: //' | grep ' ' | sort -u >warned
(($(wc -l <explained) > 5 && $(wc -l <warned) > 5)) || fail 'hardly any warnings'
while read -r text; do
  grep -qE -- "^($(paste -sd '|' explained))" <<<"$text" || fail "bpflink(1) does not explain the warning: $text"
done <warned
while read -r pattern; do
  grep -qE -- "^$pattern" warned || fail "bpflink(1) explains what no test has: $pattern"
done <explained

# Of each section in FORMATS there is a case.
sed -n '/^\.SH FORMATS/,/^\.SH EX/p' "$page" | grep -A 1 '^\.TP' | sed -n 's/^\.B \([.a-z]\)/\1/p' | sed 's/\\f[A-Z]//g; s/, /\n/g' >formats
(($(wc -l <formats) > 10)) || fail 'hardly any formats'
while read -r section; do
  grep -rqF -- "${section%\*}" "$repository/tests/link" || fail "no case in tests/link has '$section'"
done <formats

# ---- btfdedup(1)

cd "$tmp/types"
page=$manual/man1/btfdedup.1
count_examples "$page"
echo 'struct task { int a; }; struct task task_a; struct same { struct same *next; } same_a;' >a.c
echo 'struct task { long a; }; struct task task_b; struct same { struct same *next; } same_b;' >b.c
echo 'struct stream { int descriptor; } stream;' >c.c
"$CC" -gbtf -c a.c b.c c.c
cp c.o vmlinux
cat >split.c <<'END'
#include <bpf/btf.h>
#include <stdio.h>
int main(void) {
  struct btf *base = btf__parse("vmlinux", NULL), *btf = btf__new_empty_split(base);
  btf__add_ptr(btf, btf__find_by_name(base, "stream"));
  btf__add_ptr(btf, btf__add_struct(btf, "module", 8));
  unsigned size;
  const void *data = btf__raw_data(btf, &size);
  return !data || fwrite(data, size, 1, fopen("mod.btf", "w")) != 1;
}
END
"$CC" split.c -o split -lbpf && ./split
objcopy --remove-section=.BTF --add-section=.BTF=mod.btf c.o mod.ko
rm mod.btf

# both_units FILE: two definitions of `task`, one of `same`
both_units() {
  bpftool btf dump file "$1" >listing
  [[ $(grep -c "STRUCT 'task'" listing) == 2 && $(grep -c "STRUCT 'same'" listing) == 1 ]] ||
    fail "$1: $(<listing)"
}
run "$page" 1
both_units all.btf
rm all.btf
run "$page" 2
both_units all.o
rm all.o
run "$page" 3
bpftool btf dump file mod.btf -B vmlinux >listing
contains listing "STRUCT 'module'"
if grep -q "STRUCT 'stream'" listing; then fail 'mod.btf has a type of its base'; fi
run "$page" 4
contains log 'int a;'
contains log 'long int a;'
if [[ -r /sys/kernel/btf/vmlinux ]]; then
  run "$page" 5
  echo '#include "vmlinux.h"
struct task_struct task;' >core.c
  clang -g -O2 --target=bpf -c core.c
fi
run "$page" 6
both_units all.o
jq -e '.out.types < .in.types and .in.blobs == 2' figures.json >log || fail "figures: $(<figures.json)"
