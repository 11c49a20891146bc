#!/bin/bash
# Minimized BTF: files that kernels share, an index, one archive, and the C header that finds the
# running kernel's types in the archive.
. "$(dirname "$0")/common.sh"

compile a <<'EOS'
#include <bpf/bpf_core_read.h>
struct task_struct { int pid; } __attribute__((preserve_access_index));
SEC("raw_tp/sys_enter") int read_pid(void *ctx) { return BPF_CORE_READ((struct task_struct *)bpf_get_current_task(), pid); }
EOS
compile b <<'EOS'
#include <bpf/bpf_core_read.h>
struct file { int f_flags; } __attribute__((preserve_access_index));
SEC("raw_tp/sys_enter") int read_flags(struct file *ctx) { return BPF_CORE_READ(ctx, f_flags) + bpf_core_type_id_kernel(struct file); }
EOS
for release in 5.10.1 5.10.2; do
  kernel $release <<<'struct task_struct { long state; int pid; char comm[16]; } task; struct file { int f_flags; } file;'
done
kernel 6.1.0 <<<'struct task_struct { int pid; } task; struct file { int f_flags; long other; } file;'
for release in 5.10.1 5.10.2 6.1.0; do
  printf '{"file": "%s.btf", "release": "%s", "arch": "x86_64", "build_id": "00%s"}\n' $release $release "${release//./}"
done | jq -s . >manifest.json
kernels=(5.10.1.btf 5.10.2.btf 6.1.0.btf --manifest manifest.json)

core 0 minimize a.o b.o "${kernels[@]}" -o out
says 'warning: read_flags gets an id of the minimized BTF, which the kernel takes for one of its own'
says_not 'a.o'
[[ $(cd out && find . -type f | sort | tr '\n' ' ') == './a/5.10.1.x86_64.btf ./a/6.1.0.x86_64.btf ./b/5.10.1.x86_64.btf ./b/6.1.0.x86_64.btf ./index.json ' ]] ||
  fail "files: $(cd out && find . -type f | sort)"
[[ $(jq -r '.kernels[1].files[] | "\(.program) \(.file)"' out/index.json | tr '\n' ';') == 'a.o a/5.10.1.x86_64.btf;b.o b/5.10.1.x86_64.btf;' ]] ||
  fail "index: $(cat out/index.json)"
bpftool btf dump file out/a/5.10.1.x86_64.btf >types
diff - types <<'EOS' || fail 'types'
[1] STRUCT 'task_struct' size=32 vlen=1
	'pid' type_id=2 bits_offset=64
[2] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED
EOS

# A kernel's layout section stays behind: loaders that do not know it read the minimized BTF.
python3 -S "$bpfobj" blob layout.btf "read('6.1.0.btf')
elements = {4: 12, 5: 12, 6: 8, 13: 8, 15: 12, 19: 12}
layout = [(12 if k == 3 else 4 * (k in (1, 14, 17)), elements.get(k, 0), 0) for k in range(20)]"
for kernel in 6.1.0 layout; do core 0 minimize a.o $kernel.btf -o from-$kernel; done
[[ $(od -An -tu4 -j 4 -N 4 layout.btf) -eq 32 ]] || fail 'the kernel has a short header'
minimized=$(find from-layout -name '*.btf')
[[ $(od -An -tu4 -j 4 -N 4 "$minimized") -eq 24 ]] || fail 'the minimized BTF has a long header'
cmp "$minimized" "$(find from-6.1.0 -name '*.btf')"

core 0 minimize --merge a.o b.o "${kernels[@]}" -o merged --archive all.btfs
[[ $(jq -r '.kernels[2].files[] | keys | join(" ")' merged/index.json) == 'bytes file' ]] || fail "$(cat merged/index.json)"
python3 "$here/compare.py" a.o 6.1.0.btf

# An archive's loader finds types by the file names of objects.
mkdir same
cp b.o same/a.o
core 1 minimize a.o same/a.o 6.1.0.btf --archive same.btfs
says '--archive: loaders find types by file names, and a.o and same/a.o have one'
says '>>> rename one, or give an archive to each; -o DIRECTORY takes both, and --merge writes types for both'
[[ ! -e same.btfs ]] || fail 'writes an archive that hides types'
core 0 minimize a.o same/a.o 6.1.0.btf -o same.out
core 0 minimize --merge a.o same/a.o 6.1.0.btf --archive same.btfs --release 6.1.0

# No name leads out of the directory, or is too long for a file.
mkdir names
for name in ...o 'x y.o' %.o "$(printf 'long%.0s' {1..60}).o"; do cp b.o "names/$name"; done
cp 6.1.0.btf names/..btf
core 0 minimize a.o names/*.o names/...o names/..btf -o names.out
[[ $(find names.out -name '*.btf' | wc -l) == 5 && -e names.out/%2E./%2E.btf ]] || fail "not in the directory: $(find . -name '*E.btf')"

# If a file cannot be written, the old files stay.
cp -r out before
mkdir -p wrong/a/5.10.1.x86_64.btf
core 1 minimize a.o b.o "${kernels[@]}" -o wrong
says 'wrong/a/5.10.1.x86_64.btf'
[[ ! -e wrong/index.json ]] || fail 'an index of files that are not there'

# The header finds the running kernel by its release or build id.
cat >find.c <<'EOS'
#include <bpflink/core_archive.h>
int main(int argc, char **argv) {
  (void)argc;
  char path[BPFCORE_PATH_SIZE];
  int fd = bpfcore_open(argv[1], argv[2], path);
  if (fd < 0) return printf("%s\n", strerror(-fd)), 1;
  char buffer[4096];
  FILE *file = fopen(path, "r");
  size_t size = fread(buffer, 1, sizeof buffer, file);
  return fwrite(buffer, 1, size, stdout) != size;
}
EOS
gcc -Wall -Wextra -Werror -I"$here/../../include" find.c -o find
./find all.btfs a.o >found && fail 'found a kernel that runs nowhere'
grep -q 'No such file' found || fail "$(cat found)"
jq --arg release "$(uname -r)" '.[2].release = $release | .[2].arch = "" | .[2].build_id = "" | .[0:3]' manifest.json >mine.json
core 0 minimize a.o 5.10.1.btf 6.1.0.btf --manifest mine.json --archive mine.btfs -o mine
./find mine.btfs a.o >found
cmp found "mine/$(uname -r).btf" || fail 'the header finds other types'
./find mine.btfs other.o >/dev/null && fail 'found types for another program'
head -c 100 mine.btfs >cut.btfs
./find cut.btfs a.o >/dev/null && fail 'read an archive that is cut off'

# For programs without relocations, the empty result is still valid BTF.
compile none <<<'SEC("xdp") int none(void *ctx) { return 2; }'
core 0 minimize none.o 6.1.0.btf -o none
[[ $(ls none) == $'6.1.0.btf\nindex.json' ]] || fail "files: $(ls none)"
