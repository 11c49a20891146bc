#!/bin/bash
# The manual pages are correct: each example runs unchanged, and what they list is there.
. "$(dirname "$0")/common.sh"
needs clang-19 llvm-objcopy-19 man bpftool jq cmake pkg-config
manual=$PREFIX/share/man

# Every page is complete.
pages=("$manual"/man[1357]/{bpflink,bpftool,btfdedup,bpfskel,bpfcore}*)
for page in "${pages[@]}"; do
  man --warnings -l -Tutf8 "$page" 2>"$tmp/warnings" >/dev/null
  [[ ! -s $tmp/warnings ]] || fail "${page##*/}: $(<"$tmp/warnings")"
  # Pages that it refers to are installed, or are another project's.
  sed -n '/^\.SH SEE ALSO/,$p' "$page" | sed -nE 's/^\.BR ([^ ]+) \(([0-9])\).*/\1.\2/p' |
    grep 'bpflink\|^btfdedup\|^bpfskel\|^bpfcore' | while read -r other; do
      [[ -e $manual/man${other##*.}/$other ]] || fail "${page##*/} refers to $other, which is not installed"
    done
done

# Turns of phrase that readers stumbled over stay out of pages and help.
turns='[Ww]arn(s|ed|ings?)? of |[Nn]obody else|\b(is|are) no errors?\b|[a-z], too[.,;:]|\b(is|are) (told|said)\b|\bhas not the\b'
for page in "${pages[@]}"; do
  if tr '\n' ' ' <"$page" | grep -oE ".{30}($turns)" >found; then fail "${page##*/}, in plain English: $(<found)"; fi
done
for program in bpflink btfdedup bpfskel bpfcore; do
  if "$program" --help | grep -E "$turns" >found; then fail "$program --help, in plain English: $(<found)"; fi
done

# of_roff: text as a user copies it
of_roff() { sed "s/\\\\-/-/g; s/\\\\(aq/'/g; s/\\\\(dq/\"/g; s/\\\\f[A-Z]//g; s/\\\\&//g; s/\\\\e/\\\\/g"; }

# example PAGE N: the Nth example
example() {
  awk -v n="$2" '/^\.EX/ { ++i; open = i == n; next } /^\.EE/ { open = 0 } open' "$1" | of_roff
}

# count_examples PAGE [COUNT]: the page has COUNT examples, default six, each after an explaining sentence
count_examples() {
  local text count=${2:-6}
  text=$(sed -n '/^\.SH EXAMPLES/,/^\.SH SEE/p' "$1")
  [[ $(grep -c '^\.EX' <<<"$text") == "$count" ]] || fail "${1##*/}: not $count examples"
  [[ $(grep -B 2 '^\.EX' <<<"$text" | grep -cE '^[^.].*[:?]$|^\.I.* [:?]$|^\.IR .*[?:]$') == "$count" ]] ||
    fail "${1##*/}: an example without a sentence before it"
}

# run PAGE N: runs the Nth example; its output is in the file `log`
run() {
  example "$1" "$2" >commands
  [[ -s commands ]] || fail "${1##*/}: no example $2"
  bash -euc "$(<commands)" >log 2>&1 || fail "${1##*/}, example $2:"$'\n'"$(<commands)"$'\n'"$(<log)"
}

mkdir "$tmp/bin" "$tmp/link" "$tmp/types"
ln -s "$(command -v clang-19)" "$tmp/bin/clang"
PATH=$tmp/bin:$PATH
compile() { clang -g -O2 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -c "$@"; }
defined() { readelf -sW "$1" | has -E " (FUNC|OBJECT) +(GLOBAL|LOCAL) .* [0-9]+ $2\$"; }
global() { readelf -sW "$1" | has -E " (FUNC|OBJECT) +GLOBAL .* [0-9]+ $2\$"; }
is_whole() { for name in count packets total; do global "$1" $name || fail "$1 does not define $name"; done; }

# ---- bpflink(1)

cd "$tmp/link"
page=$manual/man1/bpflink.1
count_examples "$page" 7
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

mkdir flto
cp ./*.bpf.c flto
(cd flto && run "$page" 7 && is_whole prog.o)

# Options of compilers and other linkers
accepted=$(sed -n '/are accepted:$/,/^\.SH EXIT/p' "$page" | sed -n 's/^\.B[RI]* //p' | of_roff | sed 's/ *[,.]$//; s/ N$/2/')
(($(wc -l <<<"$accepted") > 5)) || fail "hardly any options: $accepted"
# shellcheck disable=SC2086 # an option and its argument
bpflink $accepted main.bpf.o maps.bpf.o -o accepted.o || fail "not all are accepted: $accepted"

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

# Every paragraph's warning exists.
sed -n '/^\.SH WARNINGS/,/^\.SH FORMATS/p' "$page" | grep -A 1 '^\.T[PQ]' | sed -n 's/^\.B //p' |
  sed -E 's/\\fI[A-Z]+\\fB/@/g; s/\\-/-/g; s/[].*^$()[]/\\&/g; s/@/.*/g' >explained
grep -ohE "(bpflink|[0-9]): warning: [^>]*" "$repository"/tests/{messages,link,dedup}/*.sh |
  sed -E 's/^[^:]*: warning: //' | grep ' ' | sort -u >warned
(($(wc -l <explained) > 5 && $(wc -l <warned) > 5)) || fail 'hardly any warnings'
while read -r pattern; do
  grep -qE -- "^$pattern" warned || fail "bpflink(1) explains what no test has: $pattern"
done <explained

# Every section in FORMATS has a case.
sed -n '/^\.SH FORMATS/,/^\.SH EX/p' "$page" | grep -A 1 '^\.TP' | sed -n 's/^\.B \([.a-z]\)/\1/p' | sed 's/\\f[A-Z]//g; s/, /\n/g' >formats
(($(wc -l <formats) > 10)) || fail 'hardly any formats'
while read -r section; do
  grep -rqF -- "${section%\*}" "$repository/tests/link" || fail "no case in tests/link has '$section'"
done <formats

# ---- btfdedup(1)

cd "$tmp/types"
page=$manual/man1/btfdedup.1
count_examples "$page" 9
echo 'struct task { int a; }; struct task task_a; struct same { struct same *next; } same_a;' >a.c
echo 'struct task { long a; }; struct task task_b; struct same { struct same *next; } same_b;' >b.c
echo 'struct stream { int descriptor; } stream; struct bpf_ctx_convert {} convert;' >c.c
"$CC" -gbtf -c a.c b.c c.c
cp c.o vmlinux
objcopy --dump-section .BTF=base.btf vmlinux
python3 -S "$repository/tests/bpfobj.py" blob mod.btf 'split("base.btf"); add(PTR, "", 1); add(STRUCT, "module", 8)'
objcopy --remove-section=.BTF --add-section=.BTF=mod.btf c.o mod.ko
rm mod.btf base.btf

# both_units FILE: FILE has two definitions of `task` and one of `same`
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
ld -e 0 vmlinux -o vmlinuz # what is in a vmlinuz: linked, and with what only kernels define
mkdir modules
cp mod.ko modules
run "$page" 4
bpftool btf dump file modules/mod.ko -B vmlinux >listing
contains listing "STRUCT 'module'"
rm modules/mod.ko
xz -c mod.ko >modules/mod.ko.xz
run "$page" 5
bpftool btf dump file vmlinux.btf >listing
contains listing "STRUCT 'stream'"
contains log '1 file accepted, which needs Linux'
run "$page" 6
bpftool btf dump file vmlinux.btf >listing
contains listing "STRUCT 'stream'"
run "$page" 7
contains log 'int a;'
contains log 'long int a;'
if [[ -r /sys/kernel/btf/vmlinux ]]; then
  run "$page" 8
  echo '#include "vmlinux.h"
struct task_struct task;' >core.c
  clang -g -O2 --target=bpf -c core.c
fi
run "$page" 9
both_units all.o
jq -e '.out.types < .in.types and .in.blobs == 2' figures.json >log || fail "figures: $(<figures.json)"

# ---- bpfskel(1)

cd "$tmp/link"
page=$manual/man1/bpfskel.1
count_examples "$page" 8
run "$page" 1
contains count.skel.h 'struct bpf_map *packets;'
example "$page" 2 >loader.c
run "$page" 3
[[ $(./loader) == xdp ]] || fail "bpfskel(1): the example prints: $(./loader)"
run "$page" 4
contains count.skel.hpp 'class count_skel {'
contains count.skel.rs 'pub mod count {'
example "$page" 5 >Makefile
make main.skel.h >log
contains main.skel.h 'struct bpf_map *packets;'
run "$page" 6
contains types.h 'struct xdp_md {'
run "$page" 7
example "$page" 8 >library.c
cat >>library.c <<'END'
#include "count.skel.h"
int main(void)
{
	struct count *skel = count__open();
	skel->bss->total = 7;
	return total(skel->obj) == 7 ? 0 : 1;
}
END
cc -Wall -Werror library.c -o library -lbpf
./library || fail 'bpfskel(1): the subskeleton does not find the variable'

# ---- bpfcore(1)

mkdir -p "$tmp/core/kernels"
cd "$tmp/core"
page=$manual/man1/bpfcore.1
count_examples "$page" 11
cat >trace.bpf.c <<'END'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
char LICENSE[] SEC("license") = "GPL";
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct task_struct { int pid; long state; struct files_struct *files; };
struct task_struct___new { unsigned int __state; };
struct files_struct { int next_fd, wanted; };
#pragma clang attribute pop
extern int bpf_no_such_kfunc(void *) __ksym __weak;
const volatile _Bool wants_files;
long sum;
SEC("raw_tp/sys_enter") int trace(void *ctx)
{
  struct task_struct *task = (void *)bpf_get_current_task();
  struct task_struct___new *new_task = (void *)task;
  sum += BPF_CORE_READ(task, pid);
  if (bpf_core_field_exists(new_task->__state))
    sum += BPF_CORE_READ(new_task, __state);
  else
    sum += BPF_CORE_READ(task, state);
  if (wants_files) sum += BPF_CORE_READ(task, files, wanted);
  if (bpf_no_such_kfunc) bpf_no_such_kfunc(ctx);
  return 0;
}
SEC("?raw_tp/sys_exit") int leave(void *ctx) { return 0; }
END
sed '/wants_files\|no_such_kfunc/d; s/int trace/int other/' trace.bpf.c >other.bpf.c
compile trace.bpf.c other.bpf.c
# kernel NAME STATE: a kernel's types; its task_struct has the member STATE
kernel() {
  cat >"$1.c" <<END
#include <linux/bpf.h>
typedef void (*btf_trace_sys_enter)(void *), (*btf_trace_sys_exit)(void *);
btf_trace_sys_enter tracepoint;
btf_trace_sys_exit other_tracepoint;
enum bpf_prog_type type;
enum bpf_map_type map;
enum bpf_func_id helper;
int start_kernel(void) { return 0; }
struct files_struct { int next_fd; } files;
struct task_struct { int pid; $2; struct files_struct *files; } task;
END
  clang -g -O0 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -c "$1.c" -o "$1.o"
  llvm-objcopy-19 --dump-section .BTF="kernels/$1.btf" "$1.o"
}
kernel old 'long state'
kernel new 'unsigned int __state'
if [[ -r /sys/kernel/btf/vmlinux ]]; then run "$page" 1; fi
run "$page" 2
contains log 'trace     g'
contains log 'leave     +  (optional)'
contains matrix.html '<html'
# With that variable, the program does not fit.
if bash -c "$(example "$page" 3)" 2>log; then fail 'bpfcore(1), example 3: it fits'; fi
contains log "struct files_struct has no member 'wanted' in 2 of 2 kernels"
run "$page" 4
contains log 'struct files_struct.wanted on kernels/new.btf needs wants_files=0'
run "$page" 5
contains log 'kernels/new.btf  5.14.0-70.el9  x86_64'
run "$page" 6
contains log 'kernels/old.btf: trace.bpf/'
while read -r file; do [[ -s btfs/$file ]] || fail "index.json: no $file"; done < <(jq -r '.kernels[].files[].file' btfs/index.json)
gzip -c kernels/old.btf >vmlinuz
mkdir modules
{ printf '\x9f\xeb\1\0\x18\0\0\0' && head -c 16 /dev/zero; } >modules/own # split BTF without types
run "$page" 7
[[ -s whole/whole.btf || -s whole/trace.bpf/whole.btf ]] || fail "flattened: $(ls -R whole)"
mkdir -p btfhub-archive/ubuntu/20.04/x86_64
tar -cJf btfhub-archive/ubuntu/20.04/x86_64/5.4.0-42-generic.btf.tar.xz -C kernels old.btf
run "$page" 8
[[ -s fleet.btfs ]] || fail 'bpfcore(1): no archive of a fleet'
if [[ -r /sys/kernel/btf/vmlinux ]]; then
  run "$page" 9
  example "$page" 10 >loader.c
  "$CC" -I"$PREFIX/include" loader.c -o loader -lbpf
  [[ $(./loader) == 'types from the archive' ]] || fail "bpfcore(1): the example prints: $(./loader)"
fi

# Reports have exactly the fields that their schemas describe; the page has those of index.json.
# fields FILE...: the paths of all values, without indices of arrays
fields() { jq -r 'paths(scalars or . == null or . == false) | map(select(type == "string")) | join(".")' "$@" | sort -u; }
same_fields() { # SCHEMA FILE...
  python3 - "$PREFIX/share/bpflink/$1" >told <<'END'
import json, sys
schema = json.load(open(sys.argv[1]))
def fields(rule, path):
    rules = [rule]
    for one in rules:
        rules += one.get("allOf", []) + [one.get("items", {})] * ("items" in one)
        rules += [schema["$defs"][one["$ref"][len("#/$defs/"):]]] if "$ref" in one else []
    found = [pair for one in rules for pair in one.get("properties", {}).items()]
    for name, inner in found:
        yield from fields(inner, path + [name])
    if not found:
        yield ".".join(path)
# Only thousands of programs, struct_ops maps and booted kernels have these.
rare = (".more_programs", ".struct_ops", ".libbpf", "unread")
print("\n".join(sorted(path for path in set(fields(schema, [])) if not path.endswith(rare) and ".load." not in path)))
END
  fields "${@:2}" | diff told - >log || fail "fields of $1 (<) and of the report (>): $(<log)"
}
bpfcore check trace.bpf.o kernels --manifest manifest.json --set wants_files=1 --json report.json 2>log || [[ $? == 1 ]]
bpfcore check trace.bpf.o kernels --json guarded.json
same_fields core.schema.json report.json guarded.json
for field in $(fields btfs/index.json | tr . '\n' | sort -u); do
  sed -n '/^\.I DIR\/index.json/,/^\.TP/p' "$page" | has -w -- "$field" || fail "bpfcore(1): index.json has $field"
done

# ---- bpflink-reports(5)

# said HEADING: the tags in a section of the page, one a line
said() {
  sed -n "/^\.SH $1/,/^\.SH/p" "$manual/man5/bpflink-reports.5" | grep -A 1 '^\.TP' | sed -n 's/^\.[BI] //p' |
    sed 's/\\fR, \\fB/\n/g' | sort
}
has_fields() { # HEADING FILE...: the section of the page has each field
  sed -n "/^\.SH $1/,/^\.SH/p" "$manual/man5/bpflink-reports.5" >text
  fields "${@:2}" | tr . '\n' | sort -u >made
  while read -r field; do grep -qw -- "$field" text || fail "bpflink-reports(5), $1: no $field"; done <made
}
cd "$tmp/link"
echo 'extern int total; int wrong(void) { return total; }' >wrong.bpf.c
echo 'int total(int); int unused_one(void) { return nobody(1); }' | sed 's/^/int nobody(int); /' >open.bpf.c
echo '__attribute__((weak)) int offered(int x) { return x; }' >weak.bpf.c
cat >costs.bpf.c <<'END'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
struct { __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); __uint(max_entries, 1);
         __type(key, __u32); __type(value, struct shape { int x; }); } shapes SEC(".maps");
struct shape last;
__attribute__((noinline)) int times(int x) { return last.x * x; }
SEC("tc") int costs(struct __sk_buff *ctx)
{
  __u32 key = 0;
  struct shape *shape = bpf_map_lookup_elem(&shapes, &key);
  return shape ? times(shape->x) : 0;
}
END
echo 'struct shape { int y; long z; } shape;' >shape.bpf.c
compile wrong.bpf.c open.bpf.c weak.bpf.c costs.bpf.c shape.bpf.c
clang -g -O2 --target=bpfeb -c other.bpf.c -o big.bpf.o
# A pointer that nothing refers to
llvm-objcopy-19 --dump-section .BTF=maps.btf maps.bpf.o
python3 -S "$repository/tests/bpfobj.py" blob pointer.btf 'import bpfobj; read("maps.btf")
add(STRUCT, "orphan", 4); add(PTR, "", len(bpfobj.starts_of(words)) - 1)'
llvm-objcopy-19 --update-section .BTF=pointer.btf maps.bpf.o pointer.bpf.o
bpflink pointer.bpf.o -o prog.o --json pointer.json
{
  bpflink -y total -v --json-diagnostics --gc-sections -u shape main.bpf.o maps.bpf.o other.bpf.o costs.bpf.o shape.bpf.o -o prog.o --json figures.json
  bpflink --json-diagnostics main.bpf.o maps.bpf.o wrong.bpf.o -o refused.o || [[ $? == 1 ]]
  bpflink --json-diagnostics main.bpf.o maps.bpf.o open.bpf.o -o refused.o || [[ $? == 1 ]]
  bpflink --json-diagnostics absent.o -o refused.o || [[ $? == 1 ]]
  bpflink --json-diagnostics main.bpf.o maps.bpf.o maps.bpf.o -o refused.o || [[ $? == 1 ]]
  bpflink --json-diagnostics main.bpf.o maps.bpf.o -o none/refused.o || [[ $? == 1 ]]
  bpflink --json-diagnostics maps.bpf.o big.bpf.o -o refused.o || [[ $? == 1 ]]
} 2>messages.json
same_fields output.schema.json figures.json pointer.json
has_fields 'MESSAGES AS JSON' messages.json
btfdedup main.bpf.o maps.bpf.o -o all.btf --stats --json >btf.json
has_fields 'FIGURES OF BTFDEDUP' btf.json

# Values: the page lists all.
words=$(sed -n '/^The codes are/,/^\.SH/p' "$manual/man5/bpflink-reports.5" | sed -n 's/^\.BR\? \([a-z-]\+\).*/\1/p' | sort)
known=$(sed -n "/code_names\[\]/,/};/p" "$repository/linker/text/render.cpp" | grep -o "\"[a-z-]*\"" | tr -d "\"" | sort -u)
diff <(echo "$words") <(echo "$known") >log || fail "bpflink-reports(5): codes of the page (<) and of the program (>): $(<log)"
jq -r .code messages.json | sort -u >made
for code in conflicting-types undefined-symbol duplicate-symbol invalid-input output-failure trace dropped general input-mismatch; do
  contains made $code
  grep -qx -- "$code" <<<"$words" || fail "bpflink-reports(5) has no code $code"
done
jq -e -s 'all(.severity == "error" or .severity == "warning" or .severity == "note") and
  ([.[].details // [] | .[]] | all(startswith(">>> ")))' messages.json >log || fail 'messages as JSON are not as the page says'

# --Map: it contains everything that the page names, and the page has each reason for a dropped line.
bpflink --gc-sections main.bpf.o maps.bpf.o other.bpf.o weak.bpf.o --Map prog.map --dependency-file prog.d --cref -o prog.o >cref
while read -r tag; do
  [[ $tag == SECTION ]] || contains prog.map "$tag"
done < <(said MAP)
[[ $(sed -n 2p prog.map | tr -s ' ') == ' offset size where from' ]] || fail "other columns: $(sed -n 2p prog.map)"
page_text=$(sed -n '/^\.SH MAP/,/^\.SH CROSS/p' "$manual/man5/bpflink-reports.5" | sed 's/^\.[A-Z]* //; s/"//g')
sed -n '/^Dropped$/,/^$/p' prog.map | sed -nE 's/^ +0x[0-9a-f]+ .*: //p' | sed 's/ of [^ ]*\.o$/ of/; s/ in [^ ]*\.o$/ in/' | sort -u >reasons
(($(wc -l <reasons) >= 4)) || fail "hardly any reasons: $(<reasons)"
while read -r reason; do
  grep -qF -- "$reason" <<<"$page_text" || fail "bpflink-reports(5) does not know why: $reason"
done <reasons

# --cref
[[ $(head -n 1 cref) == "$(said 'CROSS REFERENCES' | grep -v SYMBOL)" ]] || fail "the first line of --cref: $(head -n 1 cref)"
bpflink -r --cref main.bpf.o other.bpf.o -o part.o >>cref
for state in $(grep -oE '\((defined|dropped|undefined|overridden)\)' cref | sort -u | tr ' ' _); do
  grep -qF -- "${state//_/ }" "$manual/man5/bpflink-reports.5" || fail "bpflink-reports(5) has no ${state//_/ }"
done
for state in defined dropped undefined overridden; do contains cref "($state)"; done

# --dependency-file
cp main.bpf.o 'a #$.o'
bpflink 'a #$.o' maps.bpf.o --dependency-file prog.d -o prog.o
[[ $(<prog.d) == 'prog.o: \
  a\ \#$$.o \
  maps.bpf.o

a\ \#$$.o:

maps.bpf.o:' ]] || fail "dependencies: $(<prog.d)"

# ---- bpflink-bpftool(7): both programs behave as the page says

page=$manual/man7/bpflink-bpftool.7
cp main.bpf.o main.o
cp maps.bpf.o maps.o
rm -f prog.o part.o
bash -euc "$(example "$page" 2)"
is_whole prog.o
if bpftool gen object peer.o maps.o main.o; then # the order of bpftool's arguments
  for object in prog peer; do
    bpftool btf dump file $object.o | grep -oE "[A-Z]+ '[^']+' size=[0-9]+" | sort >$object.types
    readelf -sW $object.o 2>errors | awk '$4 ~ /FUNC|OBJECT/ { print $3, $4, $5, $8 }' | sort >$object.symbols
  done
  diff peer.types prog.types || fail 'other types than from bpftool'
  diff peer.symbols prog.symbols || fail 'other symbols than from bpftool'
  readelf -sW peer.o 2>log >&2
  contains log sh_info
  readelf -sW prog.o 2>log >&2
  if grep -q sh_info log; then fail 'sh_info is not right'; fi
fi
bash -euc "$(example "$page" 1)" >log 2>&1
rm prog.o
bash -euc "$(example "$page" 3)"
is_whole prog.o
bash -euc "$(example "$page" 4)"
[[ $(stat -c %s smaller.o) -lt $(stat -c %s maps.o) ]] || fail 'DWARF is not dropped'
if bpflink prog.o main.o maps.o 2>log; then fail 'bpftool'"'"'s order is taken'; fi
contains log "what bpftool takes as 'gen object OUTPUT INPUT...'"

# Stricter, and more lenient
bpftool gen object peer.o main.o || fail 'bpftool does not leave an undefined symbol'
if bpflink main.o -o refused.o 2>log; then fail 'an undefined symbol is not an error'; fi
contains log 'undefined symbol: total'
bpflink -r main.o -o part.o
echo 'extern int shade; int user_of_it(void) { return shade; }' >user.bpf.c
echo 'unsigned shade = 1;' >owner.bpf.c
compile user.bpf.c owner.bpf.c
bpftool gen object peer.o user.bpf.o owner.bpf.o || fail 'bpftool looks at signs'
bpflink user.bpf.o owner.bpf.o -o signs.o 2>log
contains log "warning: conflicting types of 'shade'"
if bpflink --fatal-warnings user.bpf.o owner.bpf.o -o refused.o 2>log; then fail 'no error of it'; fi
sed -i 's/unsigned/long/' owner.bpf.c
compile owner.bpf.c
if bpftool gen object peer.o user.bpf.o owner.bpf.o 2>log; then fail 'bpftool does not look at sizes'; fi
if bpflink user.bpf.o owner.bpf.o -o refused.o 2>log; then fail 'sizes are not an error'; fi
bpflink --no-check-types user.bpf.o owner.bpf.o -o signs.o 2>log
contains log "warning: conflicting types of 'shade'"
rm -f peer.o
status=0
bpftool gen object peer.o user.bpf.o absent.o 2>log || status=$?
[[ $status == 234 || $status == 254 ]] || fail "bpftool's exit status is $status"
[[ -e peer.o && ! -s peer.o ]] || fail 'bpftool leaves no empty file any more'

# ---- bpflink-cmake(7)

mkdir "$tmp/cmake" && cd "$tmp/cmake"
page=$manual/man7/bpflink-cmake.7
sed 's/__u64 \*value/_Static_assert(LIMIT == 16, ""); __u64 *value/' ../link/main.bpf.c >main.bpf.c
cp ../link/maps.bpf.c .
printf '#include <stdio.h>\nint main(void) { puts(OBJECT); }\n' >loader.c
example "$page" 1 >CMakeLists.txt
cmake -B build -DCMAKE_PREFIX_PATH="$PREFIX" >log 2>&1 || fail "bpflink-cmake(7): $(<log)"
cmake --build build >log 2>&1 || fail "bpflink-cmake(7): $(<log)"
is_whole "$(build/loader)"
example "$page" 2 >CMakeLists.txt
cp ../link/loader.c .
cmake -B skeleton -DCMAKE_PREFIX_PATH="$PREFIX" >log 2>&1 || fail "bpflink-cmake(7): $(<log)"
cmake --build skeleton >log 2>&1 || fail "bpflink-cmake(7): $(<log)"
[[ $(skeleton/loader) == xdp ]] || fail 'bpflink-cmake(7): no skeleton'
example "$page" 3 >CMakeLists.txt
cp -r ../core/kernels .
cmake -B core -DCMAKE_PREFIX_PATH="$PREFIX" >log 2>&1 || fail "bpflink-cmake(7): $(<log)"
cmake --build core >log 2>&1 || fail "bpflink-cmake(7): $(<log)"
contains log 'kernels/old.btf'
# The page describes the package's commands and no others.
modules=("$PREFIX"/lib/cmake/bpflink/Bpflink{Add{Object,Skeleton},CheckCore}.cmake)
module=${modules[0]}
functions=$(sed -nE 's/^function\(([a-z][a-z_]*) .*/\1/p' "${modules[@]}")
[[ $functions == $'bpflink_add_object\nbpflink_add_skeleton\nbpflink_check_core' ]] || fail "bpflink-cmake(7) does not have all of: $functions"
grep -ohE '"[A-Z_;]{4,}"' "${modules[@]}" | grep -oE '[A-Z_]{4,}' | sort -u >arguments
sed -n '/^\.SH DESCRIPTION/,/^\.SH PROP/p' "$page" | grep -A 1 '^\.TP' | sed -n 's/^\.B //p' | sort -u | diff arguments - >log ||
  fail "bpflink-cmake(7): arguments (<: the module, >: the page): $(<log)"
sed -n '/^\.SH TARGETS/,/^\.SH EX/p' "$page" | sed -n '/^\.TP/{n;p}' | grep -oE 'bpflink::[a-z_]+' | sort >targets
grep -ohE 'add_library\(bpflink::[a-z_]+|add_executable\(bpflink::[a-z_]+' "$PREFIX"/lib/cmake/bpflink/*.cmake | sed 's/.*(//' |
  sort -u | diff - targets >log || fail "bpflink-cmake(7): targets (<: the package, >: the page): $(<log)"
grep -ohE 'BPFLINK_(CLANG|COMPILE_OPTIONS|OBJECT|SKELETON)\b' "${modules[@]}" | sort -u | while read -r name; do contains "$page" "$name"; done
options=$(sed -nE 's/^set\(BPFLINK_COMPILE_OPTIONS (.*) CACHE.*/\1/p' "$module")
of_roff <"$page" >text
contains text "$options"

# ---- libbpflink(3) and bpflink.h(3): one program in two languages

for language in cpp c; do
  mkdir "$tmp/$language" && cd "$tmp/$language"
  page=$manual/man3/libbpflink.3
  if [[ $language == c ]]; then page=$manual/man3/bpflink.h.3; fi
  example "$page" 1 >maps.$language
  cp ../link/main.bpf.o ../link/maps.bpf.o .
  run "$page" 2
  [[ $(<log) == 'packets: array of 256 entries' ]] || fail "${page##*/}: the example prints: $(<log)"
  if ./maps main.bpf.o 2>log; then fail "${page##*/}: a link that fails goes well"; fi
  contains log 'undefined symbol: packets'
done
"$CC" -std=c99 -pedantic -Wall -Wextra -Werror $(pkg-config --cflags bpflink) -fsyntax-only maps.c
# libbpflink(3) lists each C++ header and no others.
ls "$PREFIX"/include/bpflink | grep '\.hpp$' | grep -vx 'error.hpp' >wanted
grep -oE '<bpflink/[a-z_]+\.hpp>' "$manual/man3/libbpflink.3" | tr -d '<>' | sed 's|.*/||' | sort -u >found
diff wanted found >log || fail "libbpflink(3): headers (<) and the page (>) differ: $(<log)"
