#!/bin/bash
# The steps of run.sh, within the root. Files are in /newest. PROGRAMS is a directory with bpflink,
# bpfskel and bpftool-bpflink; without it they are built. SELFTESTS has patterns for the names of
# the selftests whose objects are judged, such as 'linked_* test_usdt*'.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../boot/boot.sh"
. "$here/../boot/own_objects.sh"
top=$(cd "$here/../.." && pwd)
work=/newest
log=$work/log
programs=${PROGRAMS:-$top/build/newest/bin}
jobs=$(nproc)
mkdir -p "$work"
cd "$work"
: >"$log"

# step TEXT COMMAND...: prints one line with the time that the command takes; its output is in the log
step() {
  local start=$SECONDS status=0
  printf '%-58s' "$1"
  echo "== $1" >>"$log"
  set +e
  (set -e; "${@:2}") >>"$log" 2>&1
  status=$?
  set -e
  printf '%4d:%02d\n' $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60))
  if ((status)); then tail -n 20 "$log" && echo "failed: $1; all output is in $log" && exit 1; fi
}

modules_folder() {
  local folder
  for folder in kernel/{usr/,}lib/modules/*; do
    if [[ -d $folder ]]; then echo "$folder"; fi
  done
}

# newest REGEX: the package of the highest version in its name
newest() { apt-cache pkgnames | grep -xE "$1" | sort -V | tail -n 1; }

# choose_packages: sets what the suite calls its newest compiler and source, and the kernel's release
choose_packages() {
  local clang
  clang=$(newest 'clang-[0-9]+')
  llvm=${clang#clang-}
  source_package=$(newest 'linux-source-[0-9.]+')
  release=$(basename "$(modules_folder)")
  # bpftool's Makefile calls clang and llvm-strip without a version.
  PATH=/usr/lib/llvm-$llvm/bin:$PATH
}

packages() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get -q -y --no-install-recommends install g++ cmake make pkgconf libelf-dev zlib1g-dev libxxhash-dev \
    libboost-container-dev liblzma-dev libzstd-dev liblz4-dev libbz2-dev libfmt-dev nlohmann-json3-dev libbpf-dev \
    doctest-dev "clang-$llvm" "llvm-$llvm" "lld-$llvm" gcc-bpf binutils-bpf "$source_package" "linux-headers-$release" \
    file flex bison jq bc libssl-dev libcap-dev libpcap-dev openssl rsync xz-utils zstd kmod cpio patch python3 \
    qemu-system-x86 busybox-static iproute2 iputils-ping ethtool nftables iptables procps
}

build_programs() {
  if [[ ${PROGRAMS:-} ]]; then return; fi
  cmake -S "$top" -B "$top/build/newest" -DCMAKE_BUILD_TYPE=Release
  cmake --build "$top/build/newest" --target bpflink bpfskel bpfcore --parallel "$jobs"
  cp "$top/linker/programs/bpftool/bpftool-bpflink.sh" "$programs/bpftool-bpflink"
  chmod +x "$programs/bpftool-bpflink"
}

selftests=$work/linux/tools/testing/selftests/bpf
unpack() {
  if [[ -e linux ]]; then return; fi
  tar -x -f "/usr/src/$source_package.tar.xz"
  mv "$source_package" linux
}

extract_btf() { [[ -e vmlinux ]] || linux/scripts/extract-vmlinux kernel/vmlinuz >vmlinux; }

# write_module_makefile: a directory to build modules in for the suite's kernel. The selftests set
# KBUILD_OUTPUT, which Debian's headers set themselves.
write_module_makefile() {
  mkdir -p kernel-build
  printf 'modules clean:\n\tenv -u MAKEFLAGS -u KBUILD_OUTPUT make -C /usr/src/linux-headers-%s M=$(M) $@\n' \
    "$release" >kernel-build/Makefile
}

# selftests_make TARGET...: what fails to compile is left out. libbpf and bpftool are of the same
# source.
selftests_make() {
  KDIR=$work/kernel-build make -C "$selftests" -j"$jobs" -k BPF_STRICT_BUILD=0 SKIP_LLVM=1 SKIP_DOCS=1 \
    VMLINUX_BTF="$work/vmlinux" BPF_GCC=bpf-gcc "$@" || true
}
bpftool=$selftests/tools/sbin/bpftool

build_tools() {
  write_module_makefile
  selftests_make "$bpftool"
  "$bpftool" version
}

# ---- Objects

# groups: prints the groups of objects that the Makefile links: a name and the objects
groups() {
  sed -nE 's/^([a-z_0-9]+)\.skel\.h-deps := (.* .*)/\1 \2/p' "$selftests/Makefile"
}

# matching FOLDER SUFFIX: prints the files of the selftests under judgement
matching() {
  local patterns pattern
  read -ra patterns <<<"${SELFTESTS:-*}"
  for pattern in "${patterns[@]}"; do compgen -G "$1/$pattern$2" || true; done | sort -u
}

# take_objects FROM TO: copies objects without DWARF, which only makes the initramfs larger
take_objects() {
  local object
  matching "$1" .bpf.o | while read -r object; do
    llvm-objcopy --strip-debug "$object" "$2/$(basename "$object" .bpf.o).o"
  done
}

build_arena_library() {
  make -C "$selftests/libarena" CLANG=clang BPFTOOL="$bpftool" INCLUDE_DIR="$selftests/tools/include" \
    libarena.bpf.o libarena_asan.bpf.o || true
}

# compile clang|gcc: makes objects-NAME/before of the objects as compiled
compile() {
  local objects=objects-$1 folder=$selftests source targets=()
  rm -rf "$objects"
  mkdir -p "$objects"/{before,after,smaller}
  if [[ $1 == gcc ]]; then folder+=/bpf_gcc; fi
  while read -r source; do
    targets+=("$folder/$(basename "$source" .c).bpf.o")
  done < <(matching "$selftests/progs" .c)
  selftests_make "${targets[@]}"
  take_objects "$folder" "$objects/before"
}

# link_one FOLDER NAME OBJECT...: bpflink's link, and a smaller one. If an extern is left, as in an
# object that needs another one, a partial link, which is what bpftool makes. What it refuses is
# recorded if bpftool links it.
link_one() {
  local folder=$1 name=$2 why
  shift 2
  local after=$folder/after/$name.o smaller=$folder/smaller/$name.o
  if "$programs/bpflink" "$@" -o "$after" 2>/dev/null; then
    why=$("$programs/bpflink" --gc-sections -s "$@" -o "$smaller" 2>&1) ||
      printf '%s, with --gc-sections -s: %s\n' "$name" "$(grep -m 1 error <<<"$why")" >>"$folder/refused"
  elif why=$("$programs/bpflink" -r "$@" -o "$after" 2>&1); then
    cp "$after" "$smaller"
    echo "$name" >>"$folder/partial"
  elif "$bpftool" gen object "$work/peer.o" "$@" &>/dev/null; then
    printf '%s: %s\n' "$name" "$(grep -m 1 error <<<"$why")" >>"$folder/refused"
  fi
}

# link_group FOLDER NAME OBJECT...: bpftool's link stands for the objects as compiled
link_group() {
  if "$bpftool" gen object "$1/before/$2.o" "${@:3}"; then link_one "$@"; fi
}

# link_all clang|gcc: each object alone, and the groups
link_all() {
  local folder=objects-$1 flavour='' object name members
  if [[ $1 == gcc ]]; then flavour=/bpf_gcc; fi
  : >"$folder/refused"
  : >"$folder/partial"
  for object in "$folder"/before/*.o; do link_one "$folder" "$(basename "$object" .o)" "$object"; done
  while read -r name members; do
    # shellcheck disable=SC2086 # a list of names
    (cd "$selftests$flavour" && link_group "$work/$folder" "group-$name" $members)
  done < <(groups)
  if [[ $1 == clang ]]; then link_arena_library "$work/$folder"; fi
}

link_arena_library() { # FOLDER
  cd "$selftests/libarena"
  rm -f libarena*.bpf.o
  local plain
  mapfile -t plain < <(find . -name '*.bpf.o' ! -name '*_asan.bpf.o' | sort)
  link_group "$1" group-libarena "${plain[@]}"
  link_group "$1" group-libarena_asan ./*_asan.bpf.o
  cd "$work"
}

# build_init: what bpfcore's guests run, with the libbpf of the kernel's source
build_init() {
  gcc -O2 -I"$selftests/tools/include" "$top/linker/programs/bpfcore/load/init.c" -o bpfcore-init -static \
    -Wl,--wrap=syscall -L"$selftests/tools/build/libbpf" -lbpf -lelf -lz -lzstd
}

# copy_modules DIRECTORY: those of networks, for the initramfs, with kmod and the configuration, which
# libbpf reads for externs
copy_modules() {
  local from to=$1/lib/modules/$release
  from=$(modules_folder)
  mkdir -p "$to/kernel/drivers"
  cp -r "$from"/kernel/{net,crypto,lib} "$to/kernel"
  cp -r "$from/kernel/drivers/net" "$to/kernel/drivers"
  rm -rf "$to"/kernel/drivers/net/{ethernet,wireless,usb,phy,dsa,can}
  cp "$from"/modules.{builtin,order}* "$to"
  mkdir -p "$1/boot"
  cp "$from/config" "$1/boot/config-$release" || cp "kernel/boot/config-$release" "$1/boot"
  depmod -b "$1" "$release"
  copy_program "$(command -v kmod)" "$1"
  local tool
  for tool in modprobe insmod rmmod; do ln -sf kmod "$1/bin/$tool"; done
  mkdir -p "$1/sbin" && ln -sf ../bin/kmod "$1/sbin/modprobe"
}

# judge_objects clang|gcc: loads each program, and prints what differs; fails on anything worse
judge_objects() {
  local folder=objects-$1 status=0 variant objects
  objects=("$folder"/before/*.o)
  printf '\n%s, Linux %s: %d objects and groups; %d links refused that bpftool makes, %d only partial\n' "$1" \
    "$release" "${#objects[@]}" "$(wc -l <"$folder/refused")" "$(wc -l <"$folder/partial")"
  cat "$folder/refused"
  if [[ -s $folder/refused ]]; then status=1; fi
  for variant in after smaller; do
    if [[ ! -d $folder/$variant ]]; then continue; fi
    echo "-- $variant"
    BPFCORE=$programs/bpfcore BPFCORE_INIT=$work/bpfcore-init compare_loads "$folder" $variant "$work/kernel/vmlinuz" \
      --modules "$work/$(modules_folder)" --cache "$work/loads" || status=1
  done
  return "$status"
}

judge() { # clang|gcc
  step "Compile the selftests with $1" compile "$1"
  if [[ $1 == clang ]]; then step 'libarena, with and without its sanitizer' build_arena_library; fi
  step 'Link' link_all "$1"
  judge_objects "$1" || failed=1
}

# ---- Bitcode

# compile_bitcode: makes objects-bitcode/before of clang's objects, and of what bpftool links of them,
# and bitcode of the same sources
compile_bitcode() {
  compile clang
  rm -rf objects-bitcode bitcode
  mkdir -p objects-bitcode bitcode
  mv objects-clang/before objects-bitcode/before
  mkdir objects-bitcode/after
  local name members object objects=()
  for object in objects-bitcode/before/*.o; do objects+=("$selftests/$(basename "$object" .o).bpf.o"); done
  while read -r name members; do
    # shellcheck disable=SC2086 # a list of names
    (cd "$selftests" && "$bpftool" gen object "$work/objects-bitcode/before/group-$name.o" $members)
  done < <(groups)
  rm -f "$selftests"/*.bpf.o
  selftests_make CLANG='clang -flto' "${objects[@]}"
  mv "$selftests"/*.bpf.o bitcode
}

# link_bitcode: each file, and the groups
link_bitcode() {
  local folder=objects-bitcode name members
  : >$folder/refused
  : >$folder/partial
  while read -r name members; do
    # shellcheck disable=SC2086 # a list of names
    (cd bitcode && link_one_bitcode "$work/$folder" "$name" $members)
  done < <(for file in bitcode/*.bpf.o; do echo "$(basename "$file" .bpf.o) $(basename "$file")"; done
    groups | sed 's/^/group-/')
}

link_one_bitcode() { # FOLDER NAME FILE...
  local folder=$1 name=$2 why
  shift 2
  if ! why=$("$programs/bpflink" "$@" -o "$folder/after/$name.o" 2>&1); then
    if grep -q 'undefined symbol' <<<"$why" && "$programs/bpflink" -q -r "$@" -o "$folder/after/$name.o"; then
      echo "$name" >>"$folder/partial"
    else
      printf '%s: %s\n' "$name" "$(grep -m 1 error <<<"$why")" >>"$folder/refused"
    fi
  fi
}

judge_bitcode() {
  step 'Compile the selftests with clang, and with clang -flto' compile_bitcode
  step 'Link the bitcode' link_bitcode
  judge_objects bitcode || failed=1
}

# ---- test_progs

# build_test_progs NAME BPFTOOL: builds test_progs in the same place each time, so that both have the
# same paths, and copies what it needs to test_progs-NAME
build_test_progs() {
  rm -f "$selftests"/{test_progs,*.skel.h,*.subskel.h,*.lskel.h,*.test.o,*.test.d}
  rm -f "$selftests"/libarena/{*.skel.h,libarena*.bpf.o}
  BPFLINK_BPFTOOL=$bpftool selftests_make BPFTOOL="$2" test_progs
  local target=test_progs-$1 file
  rm -rf "$target"
  mkdir -p "$target"
  for file in "$selftests"/{*.bpf.o,*.ko,test_progs,urandom_read,liburandom_read.so,uprobe_multi,xdp_synproxy} \
    "$selftests"/{sign-file,ima_setup.sh,verify_sig_setup.sh,btf_dump_test_case_*.c,veristat} \
    "$selftests"/progs/btf_dump_test_case_*.c; do
    if [[ -e $file ]]; then cp -L "$file" "$target"; fi
  done
  strip -g "$target/test_progs"
  local object
  for object in "$target"/*.bpf.o; do llvm-objcopy --strip-debug "$object"; done
}

# run_test_progs NAME: runs test by test, each in its own process. Some depend on time: a test that
# passed with bpftool may run three times with bpflink. A guest that ends early is started again after
# the test that ended it.
run_test_progs() {
  local root=root-test_progs-$1 first=1 tool done_to
  rm -rf "$root"
  mkdir -p "$root"
  cp -r "test_progs-$1" "$root/selftests"
  for tool in "$root"/selftests/{test_progs,veristat,uprobe_multi,xdp_synproxy}; do
    if [[ -e $tool ]]; then copy_program "$tool" "$root" && rm "$root/bin/$(basename "$tool")"; fi
  done
  for tool in ip tc ethtool nft iptables bash ping; do
    if tool=$(command -v $tool); then copy_program "$tool" "$root"; fi
  done
  copy_program "$bpftool" "$root"
  copy_modules "$root"
  : >"$root/expected"
  if [[ $1 == bpflink ]]; then sed -n 's/^test \(.*\) 0 Summary.*/\1/p' results-test_progs-bpftool >"$root/expected"; fi
  : >"results-test_progs-$1"
  while [[ $first ]]; do
    write_test_init "$root" "$first"
    make_initramfs "$root" "$root.initramfs"
    first=''
    BOOT_MEMORY=4096 boot_kernel kernel/vmlinuz "$root.initramfs" "console-test_progs-$1" 14400 || first=again
    guest_results "console-test_progs-$1" >>"results-test_progs-$1"
    if [[ $first ]]; then
      done_to=$(sed -n 's/^begins //p' "results-test_progs-$1" | tail -n 1)
      first=$((${done_to%% *} + 1))
    fi
  done
}

write_test_init() { # DIRECTORY FIRST
  cat >"$1/init" <<END
#!/bin/sh
. /guest.sh
begin
export PATH=/bin:/sbin HOME=/
cd /selftests
mkdir -p /run /var/run/netns /etc
test_progs=./test_progs
\$test_progs -l 2>/dev/null | sed 's/^#[0-9]* *//' >/tmp/tests
number=0
while read -r test; do
  number=\$((number + 1))
  if [ \$number -lt $2 ]; then continue; fi
  echo "\$number \$test" | result begins
  for try in 1 2 3; do
    timeout -s KILL 120 \$test_progs -a "\$test" </dev/null >/tmp/output 2>&1
    status=\$?
    echo "\$test \$status \$(grep '^Summary:' /tmp/output)" | result test
    if [ \$status = 0 ] || ! grep -qxF "\$test" /expected; then break; fi
  done
done </tmp/tests
end
END
  chmod +x "$1/init"
}

judge_test_progs() {
  step 'Build test_progs with bpftool' build_test_progs bpftool "$bpftool"
  step 'Build test_progs with bpflink and bpfskel' build_test_progs bpflink "$programs/bpftool-bpflink"
  step 'Run it, built with bpftool' run_test_progs bpftool
  step 'Run it, built with bpflink and bpfskel' run_test_progs bpflink
  "$here/compare_tests.py" results-test_progs-bpftool results-test_progs-bpflink || failed=1
}

# ----

if (($# == 0)); then set -- objects-clang objects-gcc bitcode test_progs; fi
apt-get -q update >>"$log" 2>&1
choose_packages
failed=0
step 'Packages' packages
step 'bpflink and bpfskel' build_programs
step "Source of the kernel" unpack
step "Types of the kernel $release" extract_btf
step 'libbpf and bpftool of that source' build_tools
step 'The program of guests' build_init
echo "$(clang --version | head -n 1); $(bpf-gcc --version | head -n 1); $("$bpftool" version | tr '\n' ' ')"
for name; do
  case $name in
    objects-*) judge "${name#objects-}" ;;
    bitcode) judge_bitcode ;;
    test_progs) judge_test_progs ;;
    *) echo "no such step: $name" && exit 2 ;;
  esac
done
exit "$failed"
