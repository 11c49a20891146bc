#!/bin/bash
# Makes the newest libbpf that Debian has: that of its newest kernel's source package, whatever this
# machine's release. The guests of `bpfcore load` then load as the newest loader does. Does nothing if
# DIRECTORY is there. Needs the packages of the group `build`.
#
#   cmake/libbpf.sh [DIRECTORY [SUITE...]]
#
#   DIRECTORY   gets libbpf.a and include; the default is build/libbpf, where CMake looks. Another one is
#               named to CMake by BPFLINK_LIBBPF, an option of its or a variable of the environment
#   SUITE       the first that apt reaches counts; the default is sid trixie
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tests/boot/boot.sh
directory=$(realpath -m "${1:-build/libbpf}")
suites=("${@:2}")
if ((${#suites[@]} == 0)); then suites=(sid trixie); fi
if [[ -e $directory/libbpf.a ]]; then exit 0; fi
work=$directory.new
trap 'rm -rf "$work"' EXIT
rm -rf "$work" "$directory"

for suite in "${suites[@]}"; do
  if why=$(fetch_linux_source "$suite" "$work" tools/{lib/bpf,include,arch}); then break; fi
done
[[ -e $work/tools/lib/bpf/libbpf.c ]] || { echo "no newer libbpf: $why" && exit 1; }
mkdir -p "$work"/kept/include/{bpf,linux}
cd "$work/tools/lib/bpf"
printf '%s\n' *.c | xargs -P "$(nproc)" -I {} "${CC:-cc}" -O2 -fPIC -g0 -w -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 \
  -I../../include -I../../include/uapi -c {} -o {}.o
ar rcs "$work/kept/libbpf.a" ./*.o
cp ./*.h "$work/kept/include/bpf"
cp ../../include/uapi/linux/bpf*.h "$work/kept/include/linux"
mv "$work/kept" "$directory"
