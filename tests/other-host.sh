#!/bin/bash
# Other host architectures, such as arm64, or s390x with its other byte order: dedup/'s unit tests and
# a link, compiled for the architecture and run under qemu-user, must give the same bytes as on this
# machine. Takes minutes, because it compiles everything again; not a part of CTest.
#
#     tests/other-host.sh BUILD ARCHITECTURE
#
# BUILD is a build directory of this machine with both programs. ARCHITECTURE is a Debian name: arm64,
# s390x, ppc64el, riscv64. Needs Debian's cross compiler g++-12-TRIPLE and qemu-user, and downloads the
# libraries. WORK, if set, is a directory to keep for later runs.
set -euo pipefail
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
build=$(realpath "${1:?a build directory}")
architecture=${2:?an architecture}
work=${WORK:-$(mktemp -d)}
[[ -n ${WORK:-} ]] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
cd "$work"

case $architecture in
  arm64) machine=aarch64 triple=aarch64-linux-gnu ;;
  ppc64el) machine=ppc64le triple=powerpc64le-linux-gnu ;;
  *) machine=$architecture triple=$architecture-linux-gnu ;;
esac
# The architecture's packages, which this machine's apt may not know
root=$work/root libraries=$work/root/usr/lib/$triple
if [[ ! -d $root ]]; then
  mkdir -p packages lists/partial
  cd packages
  apt=(apt-get -q -o "APT::Architectures::=$architecture" -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache=")
  "${apt[@]}" update
  names=(libelf1 libelf-dev libxxhash0 libxxhash-dev libfmt9 libfmt-dev zlib1g zlib1g-dev liblzma5 liblzma-dev
    libzstd1 libzstd-dev liblz4-1 liblz4-dev libbz2-1.0 libbz2-dev)
  "${apt[@]}" download "${names[@]/%/:$architecture}"
  cd ..
  for package in packages/*.deb; do dpkg-deb -x "$package" unpacked; done
  sed -i "s|^prefix=/usr|prefix=$root/usr|; s|^libdir=/usr|libdir=$root/usr|" unpacked/usr/lib/"$triple"/pkgconfig/*.pc
  mv unpacked root
fi
emulate=("qemu-$machine" -L "/usr/$triple" -E "LD_LIBRARY_PATH=$libraries:$root/lib/$triple")

PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=$libraries/pkgconfig cmake -S "$source" -B other \
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$machine -DCMAKE_BUILD_TYPE=None -DBUILD_TESTING=OFF \
  -DCMAKE_C_COMPILER=$triple-gcc-12 -DCMAKE_CXX_COMPILER=$triple-g++-12 -DCMAKE_CXX_FLAGS=-O1 \
  -DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$libraries:$root/lib/$triple" \
  -DCMAKE_FIND_ROOT_PATH="$root" -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
  "-DCMAKE_CROSSCOMPILING_EMULATOR=$(IFS=';' && echo "${emulate[*]}")" -Dfmt_DIR="$libraries/cmake/fmt" >configure.log
cmake --build other -j"$(nproc)" --target bpflink_btf

# dedup/'s unit tests
mkdir -p tests
for test in main.cpp unit/{btf_hostile_test,btf_reader_test,dedup_conflict_test,dedup_random_test,dedup_rules_test,dedup_threads_test,meaning,plain_btf,print_header_test,random_inputs,random_types}.cpp; do
  echo "$test"
done | xargs -P "$(nproc)" -I '{}' bash -c 'out=tests/$(basename "{}" .cpp).o
  [[ $out -nt "$0/tests/{}" ]] || '$triple'-g++-12 -std=c++23 -O1 -DBPFLINK_LONG_CHAIN=100000 -DDOCTEST_CONFIG_SUPER_FAST_ASSERTS \
    -I"$0" -I"$0/include" -c "$0/tests/{}" -o "$out"' "$source"
$triple-g++-12 tests/*.o "$(find other -name 'libbpflink_btf.a')" -pthread -o btf_test
BPFLINK_SEEDS=${BPFLINK_SEEDS:-100} "${emulate[@]}" ./btf_test

# The programs of the standalone archive: the same output from the same inputs, in both byte orders
cmake --build other -j"$(nproc)" --target standalone
tar -xf other/bpflink-*-linux-"$machine".tar.gz
programs=$(echo bpflink-*-linux-"$machine")/bin
for program in bpflink btfdedup bpfskel bpfcore; do
  "${emulate[@]}" "$programs/$program" --version
done
cat >main.bpf.c <<'EOF'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __type(key, int); __type(value, long); __uint(max_entries, 7); } counts SEC(".maps");
struct pair { int a, b; } __attribute__((preserve_access_index));
extern const int limit;
int add(int a, int b);
static int table[4] = {1, 2, 3, 4};
int *place = &table[2];
SEC("xdp") int prog(struct xdp_md *ctx) {
  struct pair *pair = (void *)(long)ctx->data;
  int key = 1;
  long *count = bpf_map_lookup_elem(&counts, &key);
  return add(pair->b, count ? *count : limit) + __builtin_btf_type_id(*(struct pair *)0, 0) + *place;
}
char _license[] SEC("license") = "GPL";
EOF
cat >lib.bpf.c <<'EOF'
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
const int limit = 99;
__attribute__((weak)) int unused(int x) { return x; }
int add(int a, int b) { return a + b; }
char _license[] SEC("license") = "GPL";
EOF
for target in bpfel bpfeb; do
  for name in main lib; do
    clang-19 -g -O2 --target=$target -mcpu=v3 -I"/usr/include/$(uname -m)-linux-gnu" -c $name.bpf.c -o $name.$target.o
  done
  for options in '' --gc-sections; do
    "$build/bin/bpflink" $options main.$target.o lib.$target.o -o here.o
    "${emulate[@]}" "$programs"/bpflink --verify $options main.$target.o lib.$target.o -o there.o
    cmp here.o there.o
  done
  for options in '' --sort; do
    "$build/bin/btfdedup" $options main.$target.o lib.$target.o -o here.btf
    "${emulate[@]}" "$programs"/btfdedup $options main.$target.o lib.$target.o -o there.btf
    cmp here.btf there.btf
  done
  cp here.o updated-here.o
  cp here.o updated-there.o
  "$build/bin/btfdedup" --update updated-here.o
  "${emulate[@]}" "$programs"/btfdedup --update updated-there.o
  cmp updated-here.o updated-there.o
done
echo 'the same bytes on both'
