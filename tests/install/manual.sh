#!/bin/bash
# The manual pages are correct: each example runs unchanged, and what they list is there.
. "$(dirname "$0")/common.sh"
needs clang-19 llvm-objcopy-19 man bpftool jq cmake pkg-config
manual=$PREFIX/share/man

# Every page is complete, and the pages of this project that it refers to are installed.
pages=("$manual"/man[1357]/{bpflink,bpftool,btfdedup,bpfskel,bpfcore}*)
for page in "${pages[@]}"; do
  man --warnings -l -Tutf8 "$page" 2>"$tmp/warnings" >/dev/null
  [[ ! -s $tmp/warnings ]] || fail "${page##*/}: $(<"$tmp/warnings")"
  sed -n '/^\.SH SEE ALSO/,$p' "$page" | sed -nE 's/^\.BR ([^ ]+) \(([0-9])\).*/\1.\2/p' |
    grep 'bpflink\|^btfdedup\|^bpfskel\|^bpfcore' | while read -r other; do
      [[ -e $manual/man${other##*.}/$other ]] || fail "${page##*/} refers to $other, which is not installed"
    done
done

# Turns of phrase that readers stumbled over stay out of pages and help.
turns='[Ww]arn(s|ed|ings?)? of |[Nn]obody else|\b(is|are) no errors?\b|[a-z], too[.,;:]|\b(is|are) (told|said)\b|\bhas not the\b'
for program in bpflink btfdedup bpfskel bpfcore; do "$program" --help >"$tmp/$program.help"; done
for page in "${pages[@]}" "$tmp"/*.help; do
  if tr '\n' ' ' <"$page" | grep -oE ".{30}($turns)" >"$tmp/found"; then fail "${page##*/}, in plain English: $(<"$tmp/found")"; fi
done

# run PAGE N: runs the Nth example; its output is in the file `log`
run() {
  example "$1" "$2" >commands
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

for n in 1 2; do
  run "$page" $n
  is_whole prog.o
  rm prog.o
done
example "$page" 3 >Makefile
make >log
is_whole prog.o
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

# Every paragraph's warning exists.
sed -n '/^\.SH WARNINGS/,/^\.SH FORMATS/p' "$page" | grep -A 1 '^\.T[PQ]' | sed -n 's/^\.B //p' |
  sed -E 's/\\fI[A-Z]+\\fB/@/g; s/\\-/-/g; s/[].*^$()[]/\\&/g; s/@/.*/g' >explained
{
  grep -ohE "(bpflink|[0-9]): warning: [^>]*" "$repository"/tests/{messages,link,dedup,core}/*.sh | sed -E 's/^[^:]*: warning: //'
  sed -nE "s/^\?\|([^|]*)\|.*/libbpf refuses map 'map', which \1/p" "$repository/tests/core/verdicts.sh" # a table
} | grep ' ' | sort -u >warned
(($(wc -l <explained) > 5 && $(wc -l <warned) > 5)) || fail 'hardly any warnings'
while read -r pattern; do
  grep -qE -- "^$pattern" warned || fail "bpflink(1) explains what no test has: $pattern"
done <explained

# ---- btfdedup(1)

cd "$tmp/types"
page=$manual/man1/btfdedup.1
echo 'struct task { int a; }; struct task task_a; struct same { struct same *next; } same_a;' >a.c
echo 'struct task { long a; }; struct task task_b; struct same { struct same *next; } same_b;' >b.c
echo 'struct stream { int descriptor; } stream; struct bpf_ctx_convert {} convert;' >c.c
"$CC" -gbtf -c a.c b.c c.c
cp c.o vmlinux
objcopy --dump-section .BTF=base.btf vmlinux
python3 -S "$repository/tests/bpfobj.py" blob mod.btf 'split("base.btf"); add(PTR, "", 1); add(STRUCT, "module", 8)'
objcopy --remove-section=.BTF --add-section=.BTF=mod.btf c.o mod.ko
rm mod.btf base.btf

# lists FILE TEXT [BASE]: the types in FILE, as bpftool sees them
lists() {
  bpftool btf dump file "$1" ${3:+-B "$3"} >listing
  contains listing "$2"
}
for n in 1 2 10; do # two definitions of `task` and one of `same`
  rm -f all.btf all.o
  run "$page" $n
  lists all.[bo]* "STRUCT 'same'"
  [[ $(grep -c "STRUCT 'task'" listing) == 2 && $(grep -c "STRUCT 'same'" listing) == 1 ]] || fail "$(<listing)"
done
jq -e '.out.types < .in.types and .in.blobs == 2' figures.json >log || fail "figures: $(<figures.json)"
run "$page" 3
lists mod.btf "STRUCT 'module'" vmlinux
if grep -q "STRUCT 'stream'" listing; then fail 'mod.btf has a type of its base'; fi
ld -e 0 vmlinux -o vmlinuz # what is in a vmlinuz: linked, and with what only kernels define
mkdir modules
cp mod.ko modules
run "$page" 4
lists modules/mod.ko "STRUCT 'module'" vmlinux
rm modules/mod.ko
xz -c mod.ko >modules/mod.ko.xz
run "$page" 5
lists vmlinux.btf "STRUCT 'stream'"
contains log '1 file accepted, which needs Linux'
run "$page" 6
lists vmlinux.btf "STRUCT 'stream'"
run "$page" 7
contains log 'int a;'
contains log 'long int a;'
if [[ -r /sys/kernel/btf/vmlinux ]]; then
  run "$page" 8
  echo '#include "vmlinux.h"
struct task_struct task;' >core.c
  clang -g -O2 --target=bpf -c core.c
  echo '#include "vmlinux.h"
__attribute__((section("kprobe"))) int prog(struct task_struct *task) { return task->pid; }' >prog.bpf.c
  clang -g -O2 --target=bpf -c prog.bpf.c
  run "$page" 9
  clang -g -O2 --target=bpf -c prog.bpf.c
  contains task.h 'struct task_struct {'
fi

# ---- bpfskel(1)

cd "$tmp/link"
page=$manual/man1/bpfskel.1
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

# fields FILE...: the names of all fields
fields() { jq -r 'paths(scalars or . == null or . == false) | .[] | strings' "$@" | sort -u; }
# has_fields PAGE BEGIN END FILE...: this part of the page has each field of the files
has_fields() {
  sed -n "/^$2/,/^$3/p" "$1" >text
  fields "${@:4}" >made
  while read -r field; do grep -qw -- "$field" text || fail "${1##*/}: no $field"; done <made
}
has_fields "$page" '\.I DIR\/index.json' '\.TP' btfs/index.json

# ---- bpflink-reports(5)

cd "$tmp/link"
page=$manual/man5/bpflink-reports.5
echo 'extern int total; int wrong(void) { return total; }' >wrong.bpf.c
echo '__attribute__((weak)) int offered(int x) { return x; }' >weak.bpf.c
compile wrong.bpf.c weak.bpf.c
{
  bpflink -y total -v --json-diagnostics main.bpf.o maps.bpf.o -o prog.o
  bpflink --json-diagnostics main.bpf.o maps.bpf.o wrong.bpf.o -o refused.o || [[ $? == 1 ]]
  bpflink --json-diagnostics main.bpf.o maps.bpf.o maps.bpf.o -o refused.o || [[ $? == 1 ]]
} 2>messages.json
has_fields "$page" '\.SH MESSAGES AS JSON' '\.SH' messages.json
btfdedup main.bpf.o maps.bpf.o -o all.btf --stats --json >btf.json
has_fields "$page" '\.SH FIGURES OF BTFDEDUP' '\.SH' btf.json
words=$(sed -n '/^The codes are/,/^\.SH/p' "$page" | sed -n 's/^\.BR\? \([a-z-]\+\).*/\1/p' | sort)
known=$(sed -n "/code_names\[\]/,/};/p" "$repository/linker/text/render.cpp" | grep -o "\"[a-z-]*\"" | tr -d "\"" | sort -u)
diff <(echo "$words") <(echo "$known") >log || fail "bpflink-reports(5): codes of the page (<) and of the program (>): $(<log)"

# --Map contains everything that the page names, and the page has each reason for a dropped line.
bpflink --gc-sections main.bpf.o maps.bpf.o other.bpf.o weak.bpf.o --Map prog.map -o prog.o
sed -n '/^\.SH MAP/,/^\.SH/p' "$page" | grep -A 1 '^\.TP' | sed -n 's/^\.[BI] //p' | sed 's/\\fR, \\fB/\n/g' >tags
while read -r tag; do
  [[ $tag == SECTION ]] || contains prog.map "$tag"
done <tags
page_text=$(sed -n '/^\.SH MAP/,/^\.SH CROSS/p' "$page" | sed 's/^\.[A-Z]* //; s/"//g')
sed -n '/^Dropped$/,/^$/p' prog.map | sed -nE 's/^ +0x[0-9a-f]+ .*: //p' | sed 's/ of [^ ]*\.o$/ of/; s/ in [^ ]*\.o$/ in/' | sort -u >reasons
(($(wc -l <reasons) >= 4)) || fail "hardly any reasons: $(<reasons)"
while read -r reason; do
  grep -qF -- "$reason" <<<"$page_text" || fail "bpflink-reports(5) does not know why: $reason"
done <reasons

# ---- bpflink-bpftool(7)

page=$manual/man7/bpflink-bpftool.7
cp main.bpf.o main.o
cp maps.bpf.o maps.o
for n in 1 2 3; do
  rm -f prog.o
  run "$page" $n
  ((n == 1)) || is_whole prog.o
done
run "$page" 4
[[ $(stat -c %s smaller.o) -lt $(stat -c %s maps.o) ]] || fail 'DWARF is not dropped'

# ---- bpflink-cmake(7)

mkdir "$tmp/cmake" && cd "$tmp/cmake"
page=$manual/man7/bpflink-cmake.7
sed 's/__u64 \*value/_Static_assert(LIMIT == 16, ""); __u64 *value/' ../link/main.bpf.c >main.bpf.c
cp -r ../link/maps.bpf.c ../core/kernels .
for n in 1 2 3; do
  printf '#include <stdio.h>\nint main(void) { puts(OBJECT); }\n' >loader.c
  if ((n == 2)); then cp ../link/loader.c .; fi
  example "$page" $n >CMakeLists.txt
  { cmake -B build$n -DCMAKE_PREFIX_PATH="$PREFIX" && cmake --build build$n; } >log 2>&1 || fail "bpflink-cmake(7), example $n: $(<log)"
done
contains log 'kernels/old.btf'
is_whole "$(build1/loader)"
[[ $(build2/loader) == xdp ]] || fail 'bpflink-cmake(7): no skeleton'
# The page describes the arguments and targets of the package and no others.
modules=("$PREFIX"/lib/cmake/bpflink/Bpflink{Add{Object,Skeleton},CheckCore}.cmake)
grep -ohE '"[A-Z_;]{4,}"' "${modules[@]}" | grep -oE '[A-Z_]{4,}' | sort -u >arguments
sed -n '/^\.SH DESCRIPTION/,/^\.SH PROP/p' "$page" | grep -A 1 '^\.TP' | sed -n 's/^\.B //p' | sort -u | diff arguments - >log ||
  fail "bpflink-cmake(7): arguments (<: the module, >: the page): $(<log)"
sed -n '/^\.SH TARGETS/,/^\.SH EX/p' "$page" | sed -n '/^\.TP/{n;p}' | grep -oE 'bpflink::[a-z_]+' | sort >targets
grep -ohE 'add_(library|executable)\(bpflink::[a-z_]+' "$PREFIX"/lib/cmake/bpflink/*.cmake | sed 's/.*(//' |
  sort -u | diff - targets >log || fail "bpflink-cmake(7): targets (<: the package, >: the page): $(<log)"

# ---- libbpflink(3) and bpflink.h(3): one program in two languages

for page in "$manual"/man3/{libbpflink,bpflink.h}.3; do
  mkdir "$tmp/${page##*/}" && cd "$tmp/${page##*/}"
  cp ../link/main.bpf.o ../link/maps.bpf.o .
  example "$page" 1 >maps.cpp
  cp maps.cpp maps.c
  run "$page" 2
  [[ $(<log) == 'packets: array of 256 entries' ]] || fail "${page##*/}: the example prints: $(<log)"
  if ./maps main.bpf.o 2>log; then fail "${page##*/}: a link that fails goes well"; fi
  contains log 'undefined symbol: packets'
done
"$CC" -std=c99 -pedantic -Wall -Wextra -Werror $(pkg-config --cflags bpflink) -fsyntax-only maps.c
ls "$PREFIX"/include/bpflink | grep '\.hpp$' | grep -vx 'error.hpp' >wanted
grep -oE '<bpflink/[a-z_]+\.hpp>' "$manual/man3/libbpflink.3" | tr -d '<>' | sed 's|.*/||' | sort -u >found
diff wanted found >log || fail "libbpflink(3): headers (<) and the page (>) differ: $(<log)"

# No example was left out. Other cases run those of bpftool-bpflink(1) and bpflink2go(1), and boot kernels.
touch "$tmp/used/bpfcore.1.11"
[[ -r /sys/kernel/btf/vmlinux ]] || touch "$tmp"/used/{btfdedup.1.8,bpfcore.1.{1,9,10}}
for page in "${pages[@]}"; do
  for ((n = $(grep -c '^\.EX' "$page"); n > 0; n--)); do
    [[ $page =~ bpftool-bpflink|bpflink2go || -e $tmp/used/${page##*/}.$n ]] || fail "${page##*/}: no test runs example $n"
  done
done
