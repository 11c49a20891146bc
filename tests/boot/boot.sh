# Boots kernels in qemu: fetches a Debian suite's kernel, packs an initramfs, runs the guest. For
# scripts to source.
#
#   fetch_kernel sid cloud-amd64 kernel             # kernel/vmlinuz
#   make_initramfs root initramfs                   # root/init, and what it runs
#   boot_kernel kernel/vmlinuz initramfs console 60
#   guest_results console
#
# BOOT_ARCH selects another architecture than x86_64, with its packages' names: arm64.
BOOT_FOLDER=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$BOOT_FOLDER/../../.ci/root.sh"

# fetch_kernel SUITE FLAVOUR DIRECTORY: fetches and unpacks the newest kernel that the suite has now,
# with its modules, without installing it: DIRECTORY/vmlinuz. FLAVOUR is the end of its package's
# name, such as amd64, cloud-amd64, arm64. On failure prints the reason. MODULES= leaves out packages
# that have only modules.
fetch_kernel() {
  local suite=$1 flavour=$2 directory=$3 packages
  mkdir -p "$directory"
  private_apt "$suite" "${flavour##*-}" "$directory/apt" || return
  packages=$(kernel_packages "linux-image-$flavour" "$directory/apt")
  [[ $packages ]] || { echo "$suite has no linux-image-$flavour" && return 1; }
  # shellcheck disable=SC2086 # names
  (cd "$directory" && apt-get -q -c apt/apt.conf download $packages) &>"$directory/log" ||
    { echo "no $packages: $(tail -n 1 "$directory/log")" && return 1; }
  local package
  for package in "$directory"/*.deb; do dpkg-deb -x "$package" "$directory" && rm "$package"; done
  # Split packages have it beside the modules, others in /boot.
  local images=("$directory"/usr/lib/modules/*/vmlinuz "$directory"/boot/vmlinuz-*) image
  for image in "${images[@]}"; do
    if [[ -e $image ]]; then ln -sf "${image#"$directory"/}" "$directory/vmlinuz"; fi
  done
  [[ -e $directory/vmlinuz ]] || { echo "no vmlinuz in $packages" && return 1; }
}

# fetch_linux_source SUITE DIRECTORY PATH...: unpacks these paths of the suite's newest source of Linux. On
# failure prints the reason.
fetch_linux_source() {
  local package directory=$2 paths=("${@:3}")
  private_apt "$1" "$(dpkg --print-architecture)" "$directory/apt" || return
  package=$(apt-cache -c "$directory/apt/apt.conf" pkgnames | grep -E '^linux-source-[0-9.]+$' | sort -V | tail -n 1)
  [[ $package ]] || { echo "$1 has no source of Linux" && return 1; }
  (cd "$directory" && apt-get -q -c apt/apt.conf download "$package") &>"$directory/log" ||
    { echo "no $package: $(tail -n 1 "$directory/log")" && return 1; }
  dpkg-deb --fsys-tarfile "$directory/$package"_*.deb | tar -xO "./usr/src/$package.tar.xz" |
    tar -xJ -C "$directory" --strip-components=1 "${paths[@]/#/$package/}"
}

# private_apt SUITE ARCHITECTURE DIRECTORY: makes DIRECTORY/apt.conf, for packages of the suite on a
# machine of another one.
private_apt() {
  local source directory
  directory=$(realpath -m "$3")
  source=$(debian_sources "$1" 2>/dev/null | head -n 1)
  [[ $source ]] || { echo "apt reaches no sources of Debian's $1" && return 1; }
  mkdir -p "$directory"/{lists,cache,preferences.d}
  : >"$directory/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $source" >"$directory/sources.list"
  cat >"$directory/apt.conf" <<END
Dir::Etc::SourceList "$directory/sources.list";
Dir::Etc::SourceParts "-";
Dir::Etc::PreferencesParts "$directory/preferences.d";
Dir::State::Lists "$directory/lists";
Dir::State::Status "$directory/status";
Dir::Cache "$directory/cache";
APT::Architecture "$2";
APT::Architectures { "$2"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::http::Timeout "20";
Acquire::Retries "1";
END
  apt-get -q -c "$directory/apt.conf" update &>"$directory/log" ||
    { echo "no package lists of $1: $(tail -n 1 "$directory/log")" && return 1; }
}

# kernel_packages PACKAGE APT: of the packages that PACKAGE depends on, those that hold the kernel.
kernel_packages() {
  local kinds='image|binary|base'
  if [[ ${MODULES-yes} ]]; then kinds+='|modules'; fi
  apt-cache -c "$2/apt.conf" depends --recurse --important "$1" 2>/dev/null |
    grep -E "^linux-($kinds)-[0-9]" | grep -v -e -unsigned | sort -u | xargs
}

# make_initramfs DIRECTORY FILE: packs the directory, with busybox for its tools. The kernel runs the
# directory's /init, which may source /guest.sh.
make_initramfs() {
  local tool
  mkdir -p "$1"/{bin,sbin,proc,sys,dev,tmp,etc}
  cp "${BOOT_BUSYBOX:-/bin/busybox}" "$1/bin/busybox"
  # modprobe only where the directory has no better one
  for tool in sh mount umount modprobe insmod rmmod find basename ls cat sed grep echo sleep reboot \
    poweroff timeout mkdir rm ln cp ps kill tail head wc sort tr cut env id true false uname dd touch \
    ip ifconfig ping chmod mktemp seq awk tee xargs dmesg; do
    if [[ ! -e $1/bin/$tool && ! -e $1/sbin/$tool ]]; then ln -s busybox "$1/bin/$tool"; fi
  done
  cp "$BOOT_FOLDER/guest.sh" "$1"
  (cd "$1" && find . | cpio --quiet -o -H newc | gzip -1) >"$2"
}

# emulate SECONDS ARGUMENT...: runs qemu with a serial console and no other devices, in the process
# group of the caller, with which it ends
emulate() {
  # A slow host delays the timer that x86 otherwise checks, and panics for.
  local command console=ttyS0 checks=no_timer_check
  case ${BOOT_ARCH:-x86_64} in
    arm64) command=(qemu-system-aarch64 -machine virt) console=ttyAMA0 checks='' ;;
    *) command=(qemu-system-x86_64) ;;
  esac
  timeout --foreground "$1" "${command[@]}" -cpu max -m "${BOOT_MEMORY:-512}" -display none -no-reboot -nic none \
    -append "console=$console earlyprintk=$console $checks reboot=t panic=-1" "${@:2}"
}

# choose_accelerator KERNEL: prints kvm or tcg. On a virtual machine, /dev/kvm may exist but not run
# an ordinary kernel.
choose_accelerator() {
  local console
  console=$(mktemp)
  if [[ -e /dev/kvm ]]; then emulate 20 -accel kvm -kernel "$1" -serial "file:$console" &>/dev/null || true; fi
  if grep -q 'Linux version' "$console"; then echo kvm; else echo tcg; fi
  rm -f "$console"
}

# boot_kernel KERNEL INITRAMFS CONSOLE SECONDS: runs until the guest ends; its output is in CONSOLE.
# Fails if the guest did not reach its end.
boot_kernel() {
  [[ ${BOOT_ACCELERATOR:-} ]] || BOOT_ACCELERATOR=$(choose_accelerator "$1")
  emulate "$4" -accel "$BOOT_ACCELERATOR" -kernel "$1" -initrd "$2" -serial "file:$3" || true
  grep -aq '^the guest is done' "$3"
}

# guest_results CONSOLE: prints what the guest passed to `result`, without the kernel's messages.
guest_results() { tr -d '\r' <"$1" | sed -n 's/^@ //p'; }

# copy_program FILE DIRECTORY: copies a program to DIRECTORY/bin, with the libraries that it needs
copy_program() {
  local library
  mkdir -p "$2/bin"
  cp -L "$1" "$2/bin/"
  { ldd "$1" 2>/dev/null || true; } | grep -oE '/[^ ]+' | sort -u | while read -r library; do
    mkdir -p "$2${library%/*}"
    cp -L "$library" "$2$library"
  done
}
