#!/bin/bash
# Builds a Linux kernel with pahole-btfdedup in pahole's place, and boots it with its modules and with
# programs that bpflink linked. Most of the time goes into compiling. Installs and builds what it needs on
# Debian 12; safe to run again.
#
#   samples/kernel/build.sh [DIRECTORY]
#
#   DIRECTORY   for all files, some 2 GB; the default is samples/build/kernel
#   CC=...      (environment) the compiler of the kernel, such as 'ccache gcc'
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
  if [[ -e $source/.unpacked ]]; then return; fi
  rm -rf "$source"
  tar -x -f "$tarball" -C "$work"
  touch "$source/.unpacked"
}

kernel_make() { make -C "$source" O="$work/kernel" PAHOLE="$work/pahole" CC="$compiler" "$@"; }

# Writes a script in pahole's place, which logs seconds, kilobytes and the last argument of each run
write_timed() {
  cat >"$work/pahole" <<SCRIPT
#!/bin/sh
for file; do :; done
exec /usr/bin/time -a -o $work/times -f "%e %M \$file" $programs/pahole-btfdedup "\$@"
SCRIPT
  chmod +x "$work/pahole"
}

configure() {
  mkdir -p "$work/kernel"
  write_timed
  kernel_make tinyconfig
  cat "$here/config" >>"$work/kernel/.config"
  kernel_make olddefconfig
  # make ignores options that no longer exist or whose dependencies are missing.
  local line missing=0
  while read -r line; do
    if ! grep -qxF "$line" "$work/kernel/.config"; then echo "not in the configuration: $line" && missing=1; fi
  done < <(grep -E '^CONFIG_' "$here/config")
  return $missing
}

build_kernel() {
  # Link again, so that every run measures times. Modules as well: a second run of resolve_btfids on
  # a module would assign flags in .BTF_ids to the wrong functions.
  rm -f "$work/times" "$work/kernel/vmlinux"
  find "$work/kernel" -name '*.ko' -delete
  kernel_make -j"$(nproc)" bzImage modules
}

# build_module plain|distilled [VARIABLE=VALUE]: builds the module outside of the kernel's tree
build_module() {
  mkdir -p "$work/module-$1"
  cp "$here"/module/* "$work/module-$1"
  kernel_make M="$work/module-$1" "${@:2}" modules
}

# Builds the module of the kernel's selftests, which has kfuncs and struct_ops, outside of the kernel's tree
build_testmod() {
  mkdir -p "$work/testmod"
  cp "$source"/tools/testing/selftests/bpf/bpf_testmod/*.[ch] "$work/testmod"
  # shellcheck disable=SC2016 # for make
  printf 'obj-m := bpf_testmod.o\nCFLAGS_bpf_testmod.o := -I$(src)\n' >"$work/testmod/Kbuild"
  kernel_make M="$work/testmod" modules
}

build_programs_of_guest() {
  mkdir -p "$work/guest"
  cd "$work/guest"
  "$programs/btfdedup" "$work/kernel/vmlinux" --dump c >vmlinux.h
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

note_accelerator() { choose_accelerator "$work/kernel/arch/x86/boot/bzImage" >"$work/accelerator"; }

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

# Boots the kernel with its modules and the programs, which must all succeed
boot_with_modules() {
  rm -rf "$work/root-kernel"
  kernel_make INSTALL_MOD_PATH="$work/root-kernel" modules_install
  pack kernel "$work"/guest/{loader,guest.o} "$work/testmod/bpf_testmod.ko"
  boot kernel "$work/kernel/arch/x86/boot/bzImage"
  grep -q '^PASS' "$work/kernel.console"
  if grep '^refused' "$work/kernel.console"; then return 1; fi
  local modules
  mapfile -t modules <"$work/kernel/modules.order"
  has_types kernel vmlinux bpf_testmod "${modules[@]%.o}"
}

# Builds a module into vmlinux, whose types then get other ids. Other modules cannot detect that.
rebuild() {
  cp "$work/kernel/vmlinux" "$work/vmlinux.before"
  "$source/scripts/config" --file "$work/kernel/.config" --enable VETH
  kernel_make olddefconfig
  kernel_make -j"$(nproc)" bzImage
  ! cmp "$work/vmlinux.before" "$work/kernel/vmlinux"
}

boot_rebuilt() {
  rm -rf "$work/root-rebuilt"
  local kind
  for kind in plain distilled; do
    mkdir -p "$work/root-rebuilt/$kind"
    cp "$work/module-$kind/sample_tasks.ko" "$work/root-rebuilt/$kind"
  done
  pack rebuilt "$work/guest/types"
  boot rebuilt "$work/kernel/arch/x86/boot/bzImage"
  # The plain module is refused or, if its ids happen to be valid, has the wrong types.
  local right='^types: struct sample_task: list_head list; task_struct task; fib_table routes; u64 seen;'
  (($(grep -c "$right" "$work/rebuilt.console") == 1))
  sed -n '/distilled/,$p' "$work/rebuilt.console" | grep "$right"
}

# Prints seconds and megabytes for vmlinux, and their sum and maximum for modules
print_cost() {
  awk '$3 ~ /vmlinux/ { seconds = $1; peak = $2 } $3 ~ /\.ko$/ { all += $1; n++; if ($2 > most) most = $2 }
    END { printf "BTF of vmlinux %.2f s, %.0f MB; of %d modules %.2f s in all, %.0f MB at most\n",
          seconds, peak / 1024, n, all, most / 1024 }' "$work/times"
}

step "Packages" packages
step "bpflink and btfdedup" build_programs
step "Source of the kernel" unpack
step "Configuration" configure
step "Kernel" build_kernel
step "A module of another tree, split from vmlinux" build_module plain MODULE_PAHOLE_FLAGS=
step "The same, with a distilled base" build_module distilled
step "bpf_testmod" build_testmod
step "Programs of the guest" build_programs_of_guest
step "Whether KVM can be used" note_accelerator
step "Boot" boot_with_modules
step "vmlinux once more, with other ids" rebuild
step "Boot that with the modules of before" boot_rebuilt

echo
echo "qemu with $(<"$work/accelerator"):"
sed -n '/^  task->pid/,/^PASS/p' "$work/kernel.console"
grep -E '^(refused|inserted|types)' "$work/rebuilt.console"
print_cost
echo "What the guests said: $work/*.console; all else: $log"
