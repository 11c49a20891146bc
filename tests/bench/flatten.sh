#!/bin/bash
# Times `btfdedup --flatten` of vmlinux and all modules of Debian's kernel package, which it
# downloads. Run it by hand. It has no peer: no other program does this.
#
#   tests/bench/flatten.sh [PROGRAMS]
#
#   PROGRAMS        the directory with btfdedup; default build/release/bin
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=$(realpath "${1:-$here/../../build/release/bin}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

package=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image-/ { print $2; exit }')
apt-get -q download "$package-unsigned" >apt.log 2>&1 || { cat apt.log; exit 1; }
dpkg-deb -x "$package-unsigned"_*.deb root
image=$(echo root/boot/vmlinuz-*)
# The image is code that unpacks an .xz stream, then the stream.
export LC_ALL=C
offset=$(grep -abo -P '\xfd7zXZ\x00' "$image" | cut -d : -f 1 | sed -n 1p)
xz -d --single-stream < <(tail -c "+$((offset + 1))" "$image") >vmlinux
find root -name '*.ko' | sort >all
while read -r module; do
  if [[ $(readelf -SW "$module") == *' .BTF '* ]]; then echo "$module"; fi
done <all >modules

echo "$package: vmlinux and $(wc -l <modules) modules"
"$programs/btfdedup" --flatten --base vmlinux @modules -o flat.btf --stats
hyperfine -N --warmup 1 --runs 10 \
  "$programs/btfdedup --flatten --base vmlinux @modules -o flat.btf"
/usr/bin/time -f '%M KB at most, with mapped inputs' \
  "$programs/btfdedup" --flatten --base vmlinux @modules -o flat.btf
