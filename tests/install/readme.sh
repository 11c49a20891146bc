#!/bin/bash
# Every snippet in README.md and dedup/README.md runs unchanged and does what the text says. The case
# fails if it did not run one.
. "$(dirname "$0")/common.sh"
needs clang-19 bpftool cmake jq meson ninja pkg-config

read_snippets "$repository/README.md" "$repository/dedup/README.md"

paste() { bash -euc "$1" >log 2>&1 || fail "$1"$'\n'"$(<log)"; }

# in_folder NAME: enters a new folder with the text's files
in_folder() {
  mkdir "$tmp/work/$1"
  cd "$tmp/work/$1"
  write_files
}

# is_count OBJECT: OBJECT is linked from the text's files
is_count() {
  readelf -sW "$1" >symbols
  local name
  for name in count queue_of packets total; do
    grep -qE " (FUNC|OBJECT) +GLOBAL .* [0-9]+ $name\$" symbols || fail "$1 does not define $name"
  done
}

# install/packages runs the first, .ci/steps the others; each builds everything.
for number in 1 2 3; do snippet 'Try it' $number >/dev/null; done

section='Link a program of three files'
mkdir "$tmp/work"
in_folder files
paste "$(snippet "$section" 5)"
is_count count.o

# In a BPF file system that disappears with the mount namespace
pinned() {
  unshare --mount bash -euc 'mount -t bpf none /sys/fs/bpf; bash -euc "$1"; find /sys/fs/bpf' pinned "$1"
}
load=$(tr '\n' ' ' <"$repository/README.md" | grep -o '`bpftool prog loadall [^`]*`' | tr -d '`')
[[ $load ]] || fail 'README.md loads nothing'
snippet "$section" 6 >count.c
run=$(snippet "$section" 7)
if pinned 'bpftool map create /sys/fs/bpf/probe type array key 4 value 4 entries 1 name probe' >log 2>&1; then
  pinned "$load" >log 2>&1 || fail "$load"$'\n'"$(<log)"
  grep -qx /sys/fs/bpf/count/count log || fail "no program is pinned: $(<log)"
  paste "$run"
  [[ $(<log) == '3 packets' ]] || fail "the skeleton's program prints: $(<log)"
else
  echo "not loaded: $(tail -n 1 log)"
  paste "${run% && *}"
fi

in_folder make
snippet 'In a Makefile' 1 >Makefile
make >log
is_count count.o
make -q || fail 'make has something left to do'
echo '/* */' >sizes.h
sed -i '1i #include "sizes.h"' maps.bpf.c
make >log
age
touch sizes.h
make >log
contains log '-c maps.bpf.c'
contains log 'bpflink '

in_folder cmake
cp ../files/count.c .
snippet 'In CMake' 1 >CMakeLists.txt
CMAKE_PREFIX_PATH=$PREFIX cmake -B build >log
cmake --build build >log
is_count build/count.o
[[ -x build/count ]] || fail 'no program with the skeleton'

in_folder meson
cp ../files/count.c .
snippet 'In Meson' 1 >meson.build
meson setup build >log && ninja -C build >log
is_count build/count.o
[[ -x build/count ]] || fail 'no program with the skeleton'

# The message, from a program with the call at the text's position
in_folder message
snippet bpflink 1 >wanted
{
  printf '#include <linux/bpf.h>\n#include <bpf/bpf_helpers.h>\nint helper(int value);\n'
  printf '\n%.0s' {4..39}
  printf 'SEC("xdp") int count(struct xdp_md *ctx) {\n    int value = ctx->rx_queue_index;\n'
  printf '    if (value) return helper(value);\n    return 2;\n}\n'
} >main.bpf.c
clang-19 -g -O2 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -c main.bpf.c -o main.o
if bpflink main.o -o out.o 2>errors; then fail 'an undefined symbol is not an error'; fi
sed "s|$PWD/||" errors | head -n "$(wc -l <wanted)" | diff wanted - || fail "README.md's message is another"
bpftool gen object peer.o main.o 2>errors || fail "bpftool has something to say: $(<errors)"
bpftool gen skeleton peer.o >skeleton 2>errors || true
diff <(sed -n 's/^`\(libbpf: [^`]*\)`.*/\1/p' "$repository/README.md" | sed 's/[0-9]\+/N/g') <(head -n 1 errors | sed 's/[0-9]\+/N/g') ||
  fail "README.md's message of libbpf is another"

snippet 'As one program' 1 >/dev/null # of install/whole-program

in_folder size_map
cp ../files/*.o .
paste "$(snippet 'See what costs, and drop it' 1)"
is_count count.o
contains size.html '<html'
for told in 'What can be saved' '--strip-line-info' '  kept by       program count -> '; do contains log "$told"; done

# The library
in_folder c
cp ../files/*.o .
cp -r "$repository/samples" .
paste "$(snippet 'As a library' 1)"
contains log 'program count: section xdp'
export CMAKE_PREFIX_PATH=$PREFIX

# The btfdedup lines, each in a folder with the files that it names. A line whose comment begins with
# "..." continues in the folder of the line before.
in_folder btf
echo 'struct foo { int a; }; struct foo foo_a; struct same { struct same *next; } same_a;' >a.c
echo 'struct foo { long a; }; struct foo foo_b; struct same { struct same *next; } same_b;' >b.c
echo 'struct stream { int descriptor; } stream; struct task_struct { int pid; } task;
  struct bpf_iter__task { struct task_struct *task; } iterator;' >c.c
"$CC" -gbtf -c a.c b.c
"$CC" -g -gbtf -c c.c
ar rcs libc.a c.o
printf '%s\n' a.o b.o >objects.txt
cp c.o vmlinux
gzip -c vmlinux >vmlinuz
mkdir 5.10 6.12
cp vmlinuz 5.10 && cp vmlinuz 6.12
clang-19 -g -O2 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -c main.bpf.c -o prog.o
cp main.bpf.c prog.c
# split OUT NAME BASE...: writes raw BTF of one struct, split from the bases
cat >split.c <<'END'
#include <bpf/btf.h>
#include <stdio.h>
int main(int argc, char **argv) {
  struct btf *base = btf__parse(argv[3], NULL);
  for (int i = 4; i < argc; i++) base = btf__parse_split(argv[i], base);
  struct btf *btf = btf__new_empty_split(base);
  btf__add_ptr(btf, btf__add_struct(btf, argv[2], 8));
  unsigned size;
  const void *data = btf__raw_data(btf, &size);
  return !data || fwrite(data, size, 1, fopen(argv[1], "w")) != 1;
}
END
"$CC" split.c -o split -lbpf
module() { # NAME STRUCT BASE...: NAME.ko
  ./split "$1.btf" "${@:2}"
  objcopy --remove-section=.BTF --add-section=.BTF="$1.btf" c.o "$1.ko"
}
module mod first vmlinux
module a second vmlinux
xz -c mod.ko >mod.ko.xz
mkdir modules
cp mod.ko.xz modules
module b stream vmlinux a.btf # a name in vmlinux: libbpf 1.1 gets a new name's offset wrong here
objcopy --dump-section .BTF=base.btf vmlinux
objcopy --remove-section=.BTF --add-section=.BTF=a.btf --add-section=.BTF.base=base.btf c.o new.ko

# check LINE: the line wrote or printed the right result
check() {
  local output=log
  case $1 in
    *' -o '*) output=${1##* -o } ;;
    *' --update '*) output=${1##* --update } ;;
  esac
  output=${output%% *}
  output=${output/\*.ko/mod.ko}
  [[ -s $output ]] || fail "$1: nothing in '$output'"
  case $1 in
    ld*) ;;
    *--check*) contains log 'needs Linux' ;;
    *'*.ko'*) bpftool -B vmlinux btf dump file "$output" >types || fail "$1: no split BTF" ;;
    *--flatten*)
      bpftool btf dump file "$output" >types
      contains types "STRUCT 'stream'"
      contains types "STRUCT 'second'"
      ;;
    *--distill*)
      readelf -SW "$output" >types
      contains types ' .BTF.base '
      ;;
    *--base*) [[ $(od -An -tx2 -N2 "$output") == ' eb9f' ]] || fail "$1: no BTF" ;;
    *--explain*) contains log 'struct foo' ;;
    *'--dump rust'*) contains log 'pub struct task_struct' ;;
    *--dump*) "$CC" -Werror -fsyntax-only -x c log ;;
    *new.ko*) bpftool -B ../base.btf btf dump file "$output" >types || fail "$1: no split BTF" ;;
    *) bpftool btf dump file "$output" >types || fail "$1: no BTF" ;;
  esac
  if [[ $1 != ld* && $output == all.* ]]; then # both inputs' types
    [[ $(grep -c "STRUCT 'foo'" types) == 2 ]] || fail "$1: $(<types)"
    [[ $(grep -c "STRUCT 'same'" types) == 1 ]] || fail "$1: $(<types)"
  fi
}

{ snippet btfdedup 1 && snippet btfdedup 2; } | sed '/^ *#/d; s/ *#/#/' >lines
number=0
while IFS='#' read -r line comment; do
  if [[ $comment != ' ...'* ]]; then
    mkdir "$tmp/work/btf/line$((++number))"
    cd "$tmp/work/btf"
    cp a.o b.o "line$number"
    for file in libc.a objects.txt vmlinux vmlinuz 5.10 6.12 modules mod.ko.xz {mod,a,b,new}.ko prog.[oc]; do
      if [[ " $line " == *[\ @]"$file"[\ /]* ]]; then cp -r $file "line$number"; fi
    done
    if [[ $line == *'*.ko'* ]]; then cp mod.ko a.ko "line$number"; fi
    cd "line$number"
  fi
  paste "$line"
  check "$line"
done <"$tmp/work/btf/lines"
((number > 7)) || fail 'hardly any line of btfdedup'

# The bpfcore lines, for a program that fits one of two kernels and guards against the other
in_folder core
mkdir kernels
for member in pid state; do
  echo "struct task_struct { int $member; } task;" >$member.c
  "$CC" -gbtf -c $member.c
  btfdedup $member.o -o kernels/$member.btf
done
cat >prog.c <<'END'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
struct task_struct { int pid; } __attribute__((preserve_access_index));
SEC("kprobe") int prog(struct task_struct *task)
{
  return bpf_core_field_exists(task->pid) ? BPF_CORE_READ(task, pid) : 0;
}
char LICENSE[] SEC("license") = "GPL";
END
clang-19 -g -O2 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -c prog.c
mkdir -p btfhub-archive/ubuntu/20.04/x86_64
tar -cJf btfhub-archive/ubuntu/20.04/x86_64/5.4.0-42-generic.btf.tar.xz kernels/pid.btf
cp -r ../btf/{vmlinuz,modules} .
paste "$(snippet bpfcore 1)"
contains log '2  kernels/state.btf'
[[ -s prog.btfs ]] || fail 'bpfcore: no archive'
bpftool btf dump file kernels/whole.btf >types
contains types "STRUCT 'first'"
rm kernels/whole.btf
file=$(jq -r '.kernels[0].files[0].file' btfs/index.json)
bpftool btf dump file "btfs/$file" >types
contains types "STRUCT 'task_struct'"
sed -i 's/bpf_core_field_exists(.*) ? \(.*\) : 0/\1/' prog.c
clang-19 -g -O2 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -c prog.c
if bash -euc "$(snippet bpfcore 1)" >log 2>&1; then fail 'bpfcore: prog.o fits both kernels'; fi
contains log "error: struct task_struct has no member 'pid' in 1 of 2 kernels"
# Types do not boot; tests/core/load.sh has what the table shows of kernels that do.
if bash -euc "$(snippet bpfcore 2 | head -1)" >log 2>&1; then fail 'bpfcore: types boot'; fi
contains log 'error: kernels/pid.btf: load needs a vmlinuz of x86_64 or arm64'

for used in "$tmp"/snippets/*.section; do
  [[ -e ${used%.section}.used ]] || fail "no test runs this of README.md, '$(<"$used")':"$'\n'"$(<"${used%.section}")"
done
