#!/bin/bash
# Builds a Linux kernel whose BTF comes from gcc and btfdedup, and the same kernel with pahole's BTF.
# Compares their types, and boots both with modules and with programs that bpflink linked. Most of the
# time goes into compiling. Installs and builds what it needs on Debian 12; safe to run again.
#
#   samples/kernel/build.sh [DIRECTORY]
#
#   DIRECTORY   for all files, some 4 GB; the default is samples/build/kernel
#   CC=...      (environment) the compiler of the kernels, such as 'ccache gcc'
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
. "$top/tests/boot/boot.sh"
work=$(realpath -m "${1:-$top/samples/build/kernel}")
programs=$top/build/release/bin
compiler=${CC:-gcc}
tarball=/usr/src/linux-source-6.12.tar.xz
source=$work/linux-source-6.12
log=$work/build.log
PATH=$PATH:/usr/sbin:/sbin
mkdir -p "$work"
: >"$log"

# step TEXT COMMAND...: prints one line with the time that the command takes; its output is in the log
step() {
  local start=$SECONDS
  printf '%-64s' "$1"
  echo "== $1" >>"$log"
  # In a subshell, because set -e has no effect in a command whose status is tested.
  set +e
  (set -e; "${@:2}") >>"$log" 2>&1
  local status=$?
  set -e
  printf '%3d:%02d\n' $(((SECONDS - start) / 60)) $(((SECONDS - start) % 60))
  if ((status)); then
    tail -n 20 "$log"
    echo "failed: $1; all that was said is in $log"
    exit 1
  fi
}

packages() { "$top/cmake/packages.sh" build bpf kernel; }

build_programs() {
  cd "$top"
  cmake --preset release
  cmake --build --preset release --target bpflink btfdedup --parallel "$(nproc)"
}

unpack() {
  if [[ -e $source/.patched ]]; then return; fi
  rm -rf "$source"
  tar -x -f "$tarball" -C "$work"
  patch -d "$source" -p1 <"$here/units.patch"
  touch "$source/.patched"
}

# The two kernels differ in these variables of make, and in the version that the program in pahole's
# place prints. The types of the vDSO are removed because they would be mapped into each process.
# shellcheck disable=SC2034 # kernel_make reads both by their names
pahole=()
# shellcheck disable=SC2034
gcc=(DEBUG_CFLAGS=-gbtf OBJCOPYFLAGS_vdso64.so=--remove-section=.BTF)

# kernel_make NAME ARGUMENT...: runs make for the kernel of that name
kernel_make() {
  local -n variables=$1
  make -C "$source" O="$work/$1" PAHOLE="$work/$1-pahole" CC="$compiler" "${variables[@]}" "${@:2}"
}

# write_timed NAME PROGRAM: writes a script that replaces pahole. It runs the program and logs its
# seconds, kilobytes and last argument
write_timed() {
  cat >"$work/$1-pahole" <<SCRIPT
#!/bin/sh
if [ "\$1" = --version ]; then exec $2 --version; fi
for file; do :; done
exec /usr/bin/time -a -o $work/$1.times -f "%e %M \$file" $2 "\$@"
SCRIPT
  chmod +x "$work/$1-pahole"
}

configure() { # NAME PROGRAM
  mkdir -p "$work/$1"
  write_timed "$1" "$2"
  kernel_make "$1" tinyconfig
  cat "$here/config" >>"$work/$1/.config"
  kernel_make "$1" olddefconfig
  # make ignores options that no longer exist or whose dependencies are missing.
  local line missing=0
  while read -r line; do
    if ! grep -qxF "$line" "$work/$1/.config"; then echo "not in the configuration: $line" && missing=1; fi
  done < <(grep -E '^CONFIG_' "$here/config")
  return $missing
}

build_kernel() { # NAME
  # Link again, so that every run measures times. Modules as well: a second run of resolve_btfids on
  # a module would assign flags in .BTF_ids to the wrong functions.
  rm -f "$work/$1.times" "$work/$1/vmlinux"
  find "$work/$1" -name '*.ko' -delete
  kernel_make "$1" -j"$(nproc)" bzImage modules
}

# build_module plain|distilled [VARIABLE=VALUE]: builds the module outside of the kernel's tree
build_module() {
  mkdir -p "$work/module-$1"
  cp "$here"/module/* "$work/module-$1"
  kernel_make gcc M="$work/module-$1" "${@:2}" modules
}

# Compiled once, with the header of one kernel: CO-RE adapts them to the other.
build_programs_of_guest() {
  mkdir -p "$work/guest"
  cd "$work/guest"
  "$programs/btfdedup" "$work/gcc/vmlinux" --dump c >vmlinux.h
  clang-19 -g -O2 --target=bpf -mcpu=v3 -Wall -I. -D__TARGET_ARCH_x86 -c "$here"/guest/{guest,task}.bpf.c
  "$programs/bpflink" guest.bpf.o task.bpf.o -o guest.o
  gcc -O2 -Wall -static "$here/guest/loader.c" -o loader -lbpf -lelf -lz
  gcc -O2 -Wall -static "$here/guest/types.c" -o types -lbpf -lelf -lz
}

# pack NAME FILE...: makes the initramfs NAME.cpio.gz of the guest's init, the files, and the contents
# of the directory root-NAME
pack() {
  local root=$work/root-$1
  mkdir -p "$root"
  cp -r "$here/guest/init" "${@:2}" "$root"
  make_initramfs "$root" "$work/$1.cpio.gz"
}

note_accelerator() { choose_accelerator "$work/pahole/arch/x86/boot/bzImage" >"$work/accelerator"; }

# boot NAME KERNEL: runs until the guest ends; its output is in NAME.console
boot() {
  BOOT_ACCELERATOR=$(<"$work/accelerator") boot_kernel "$2" "$work/$1.cpio.gz" "$work/$1.console" 300
  cat "$work/$1.console"
}

# has_types NAME MODULE...: checks that the guest's kernel shows types of these modules
has_types() {
  local module name
  for module in "${@:2}"; do
    name=$(basename "$module" .ko)
    grep -qE " ${name//-/_}\s*$" "$work/$1.console" || { echo "no types of $module" && return 1; }
  done
}

# boot_with_modules NAME: boots it with its modules and the programs, which must all succeed
boot_with_modules() {
  rm -rf "$work/root-$1"
  kernel_make "$1" INSTALL_MOD_PATH="$work/root-$1" modules_install
  pack "$1" "$work"/guest/{loader,guest.o}
  boot "$1" "$work/$1/arch/x86/boot/bzImage"
  grep -q '^PASS' "$work/$1.console"
  if grep '^refused' "$work/$1.console"; then return 1; fi
  local modules
  mapfile -t modules <"$work/$1/modules.order"
  has_types "$1" vmlinux "${modules[@]%.o}"
}

# Builds a module into vmlinux, whose types then get other ids. Other modules cannot detect that.
rebuild() {
  cp "$work/gcc/vmlinux" "$work/vmlinux.before"
  "$source/scripts/config" --file "$work/gcc/.config" --enable VETH
  kernel_make gcc olddefconfig
  kernel_make gcc -j"$(nproc)" bzImage
  ! cmp "$work/vmlinux.before" "$work/gcc/vmlinux"
}

boot_rebuilt() {
  rm -rf "$work/root-rebuilt"
  local kind
  for kind in plain distilled; do
    mkdir -p "$work/root-rebuilt/$kind"
    cp "$work/module-$kind/sample_tasks.ko" "$work/root-rebuilt/$kind"
  done
  pack rebuilt "$work/guest/types"
  boot rebuilt "$work/gcc/arch/x86/boot/bzImage"
  # The plain module is refused or, if its ids happen to be valid, has the wrong types.
  local right='^types: struct sample_task: list_head list; task_struct task; fib_table routes; u64 seen;'
  (($(grep -c "$right" "$work/rebuilt.console") == 1))
  sed -n '/distilled/,$p' "$work/rebuilt.console" | grep "$right"
}

compare() {
  "$here/compare.py" "$work/pahole/vmlinux" "$work/gcc/vmlinux" --names pahole btfdedup \
    --details "$work/differences.txt" >"$work/comparison.txt"
}

# print_cost NAME: prints seconds and megabytes for vmlinux, and their sum and maximum for modules
print_cost() {
  awk -v name="$1" '$3 ~ /vmlinux/ { seconds = $1; peak = $2; next } { all += $1; n++; if ($2 > most) most = $2 }
    END { printf "%-10s vmlinux %.2f s, %.0f MB; %d modules %.2f s in all, %.0f MB at most\n",
          name, seconds, peak / 1024, n, all, most / 1024 }' "$work/$1.times"
}

step "Packages" packages
step "bpflink and btfdedup" build_programs
step "Source of the kernel" unpack
step "Configuration, for gcc's BTF" configure gcc "$here/pahole-btfdedup"
step "Configuration, for pahole" configure pahole "$(command -v pahole || true)"
step "Kernel with gcc's BTF" build_kernel gcc
step "Kernel with pahole's" build_kernel pahole
step "Comparison of types" compare
step "A module of another tree, split from vmlinux" build_module plain MODULE_PAHOLE_FLAGS=
step "The same, with a distilled base" build_module distilled
step "Programs of the guest" build_programs_of_guest
step "Whether KVM can be used" note_accelerator
step "Boot with pahole's types" boot_with_modules pahole
step "Boot with gcc's types" boot_with_modules gcc
step "vmlinux once more, with other ids" rebuild
step "Boot that with the modules of before" boot_rebuilt

echo
echo "qemu with $(<"$work/accelerator"):"
sed -n '/^  task->pid/,/^PASS/p' "$work/gcc.console"
grep -E '^(refused|inserted|types)' "$work/rebuilt.console"
print_cost pahole
print_cost gcc
du -sh "$work/pahole" "$work/gcc"
cat "$work/comparison.txt"
echo "The names: $work/differences.txt; what the guests said: $work/*.console; all else: $log"
