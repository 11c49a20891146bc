#!/bin/bash
# Installs the Debian 12 packages that the project's commands need, as root or with sudo. Does
# nothing if all are installed.
#
#   cmake/packages.sh GROUP...
#
# The groups: build (programs and tests of the presets), bpf (to compile, load and inspect BPF
# objects), rust (what samples/whole_program also needs), test (other programs that the tests call), bench
# (programs for tests/bench), release (to make what a release publishes), lint (CI's style checks),
# sanitize (to build the preset `sanitize`), root (to make a clean root), boot (to boot a kernel with
# tests/boot), kernel (to build and boot one with samples/kernel/build.sh), libcxx (another C++ library to
# build with), arm64 (to build for arm64 and run the result), boot_arm64 (to boot an arm64 kernel, with
# boot).
set -euo pipefail

build=(g++ cmake make pkgconf libelf-dev zlib1g-dev libxxhash-dev libboost-container-dev
  liblzma-dev libzstd-dev liblz4-dev libbz2-dev libfmt-dev nlohmann-json3-dev libbpf-dev doctest-dev
  xz-utils)
bpf=(clang-19 llvm-19 bpftool libbpf-dev linux-libc-dev gcc)
rust=(rustc rust-src)
test=(acl attr elfutils file gcc-bpf binutils-bpf lld-19 dwz python3 strace zstd
  time valgrind pahole doxygen meson ninja-build dpkg-dev git lintian debootstrap man-db zsh fish jq python3-jsonschema chromium
  poppler-utils
  "${rust[@]}" cargo rust-clippy bindgen rustfmt golang-go golang-github-cilium-ebpf-dev)
bench=(gcc libc6-dev libbpf-dev clang-19 bpftool hyperfine time python3 valgrind zstd)
release=(build-essential debhelper doxygen dpkg-dev fakeroot git cargo)
lint=(git clang-format-14 clang-tidy-19)
sanitize=(clang-19 libclang-rt-19-dev)
root=(debootstrap)
boot=(qemu-system-x86 busybox-static cpio gcc libbpf-dev libelf-dev zlib1g-dev jq)
kernel=("${boot[@]}" linux-source-6.12 make flex bison bc libssl-dev kmod patch xz-utils dwarves bpftool time python3)
arm64=(g++-12-aarch64-linux-gnu qemu-user)
boot_arm64=(gcc-12-aarch64-linux-gnu libc6-dev-arm64-cross qemu-system-arm)
libcxx=(clang-19 libc++-19-dev libc++abi-19-dev)

packages=()
for group; do
  declare -n names=$group
  packages+=("${names[@]}")
done

missing=()
for package in "${packages[@]}"; do
  if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) != installed ]]; then
    missing+=("$package")
  fi
done
if ((${#missing[@]} == 0)); then exit 0; fi

as_root=()
if ((EUID != 0)); then as_root=(sudo); fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
echo "Installing: ${missing[*]}"
"${apt[@]}" update
"${apt[@]}" install -y --no-install-recommends "${missing[@]}"
